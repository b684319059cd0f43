//! The path of an object, as it was found.

use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::bytes::Text;

/// The path of an object from the root, which `Display` writes. What is in one group shares the path of that group:
/// thousands of groups in one another have paths that together would be longer than any file.
#[derive(Clone)]
pub struct ObjectPath(Arc<Step>);

struct Step {
    /// The group, where there is one.
    parent: Option<ObjectPath>,
    /// The name there, or the whole path.
    name: Box<str>,
    /// The whole path, once somebody has asked for it.
    whole: OnceLock<Box<str>>,
}

impl ObjectPath {
    pub(crate) fn new(path: &str) -> Self {
        Self(Arc::new(Step { parent: None, name: path.into(), whole: OnceLock::new() }))
    }

    /// The path of what a link of this group leads to.
    pub(crate) fn child(&self, name: &Text) -> Self {
        let name = name.display().into();
        Self(Arc::new(Step { parent: Some(self.clone()), name, whole: OnceLock::new() }))
    }

    pub(crate) fn as_str(&self) -> &str {
        self.0.whole.get_or_init(|| self.written().into())
    }

    /// The whole path, which is not kept.
    pub(crate) fn written(&self) -> String {
        let mut steps: Vec<&str> = Vec::new();
        let mut top = &self.0;
        while let Some(parent) = &top.parent {
            steps.push(&top.name);
            top = &parent.0;
        }
        let mut path = String::with_capacity(top.name.len() + steps.iter().map(|name| name.len() + 1).sum::<usize>());
        path.push_str(&top.name);
        for name in steps.into_iter().rev() {
            path.truncate(path.trim_end_matches('/').len());
            path.push('/');
            path.push_str(name);
        }
        path
    }
}

impl AsRef<str> for ObjectPath {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Display for ObjectPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written())
    }
}

impl fmt::Debug for ObjectPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Drop for Step {
    /// Lets go of groups one by one: a path may have more of them than the stack has room for.
    fn drop(&mut self) {
        let mut next = self.parent.take();
        while let Some(ObjectPath(step)) = next {
            next = Arc::into_inner(step).and_then(|mut step| step.parent.take());
        }
    }
}

#[cfg(test)]
#[test]
fn paths_share_their_groups() {
    let name = |text: &str| Text::from(text);
    let root = ObjectPath::new("/");
    let group = root.child(&name("g"));
    let (a, b) = (group.child(&name("a")), group.child(&name("b")));
    assert_eq!([&root, &group, &a, &b].map(ToString::to_string), ["/", "/g", "/g/a", "/g/b"]);
    assert_eq!((a.as_str(), ObjectPath::new("<object>").child(&name("x")).as_str()), ("/g/a", "<object>/x"));
    let deep = (0..1_000_000).fold(group, |path, _| path.child(&name("d")));
    assert_eq!(deep.to_string().len(), 2 + 2_000_000);
}
