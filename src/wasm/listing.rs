//! What is in a group, and what is attached to an object.

use std::collections::HashSet;

use js_sys::Array;
use wasm_bindgen::JsValue;

use super::describe;
use super::failure::{Failure, Result, each};
use super::values::attribute;
use crate::bytes::Addr;
use crate::digest::json::{Json, list};
use crate::object::{File, Group, Link, Object, ObjectInfo, Target};

/// The links of a group as JSON, and to some depth what is in the groups that hard links lead to.
pub(super) fn entries(group: &Group, file: &File, depth: u32) -> Result<String> {
    let mut seen = HashSet::from([Addr(group.info().address())]);
    level(group, file, depth, &mut seen)
}

fn level(group: &Group, file: &File, depth: u32, seen: &mut HashSet<Addr>) -> Result<String> {
    let mut entries = Vec::new();
    each(group.links()?, |link| {
        entries.push(match link {
            Ok(link) => entry(&link, file, depth, seen)?,
            Err(e) => fault(Json::object(), e)?,
        });
        Ok(())
    })?;
    Ok(list(entries.into_iter()))
}

fn entry(link: &Link, file: &File, depth: u32, seen: &mut HashSet<Addr>) -> Result<String> {
    let mut json = Json::object();
    json.text("name", &link.name().display());
    if link.name().as_str().is_none() {
        json.raw("bytes", &list(link.name().as_bytes().iter().map(u8::to_string)));
    }
    match link.target() {
        Target::Soft(target) => {
            json.text("link", "soft");
            json.text("target", &target.display());
        }
        Target::External { file, path } => {
            json.text("link", "external");
            json.text("file", &file.display());
            json.text("target", &path.display());
        }
        Target::UserDefined { class, .. } => {
            json.text("link", "user");
            json.number("class", class);
        }
        Target::Hard(_) => {
            json.text("link", "hard");
            if depth > 0 {
                return target(json, link, file, depth, seen);
            }
        }
    }
    Ok(json.finish())
}

/// What a hard link leads to; an object that cannot be opened does not hide the others.
fn target(mut json: Json, link: &Link, file: &File, depth: u32, seen: &mut HashSet<Addr>) -> Result<String> {
    let object = match link.open() {
        Ok(object) => object,
        Err(e) => return fault(json, e),
    };
    describe::about(&mut json, &object, file);
    if let Object::Group(group) = &object
        && depth > 1
        && seen.insert(Addr(object.info().address()))
    {
        json.raw("entries", &level(group, file, depth - 1, seen)?);
    }
    Ok(json.finish())
}

fn fault(mut json: Json, error: crate::Error) -> Result<String> {
    if error.is_missing() {
        return Err(Failure::Missing);
    }
    json.text("error", &error.to_string());
    Ok(json.finish())
}

/// The attributes of an object, three values for each.
pub(super) fn attributes(info: &ObjectInfo) -> Result<Array> {
    let all = Array::new();
    each(info.attributes()?.enumerate(), |(number, found)| {
        let (name, read) = match found {
            Ok(found) => (found.name().display().into_owned(), attribute(&found)),
            Err(e) => (format!("#{number}"), Err(e.into())),
        };
        let (description, elements) = match read {
            Ok((description, elements)) => (description.into(), elements),
            Err(Failure::Missing) => return Err(Failure::Missing),
            Err(failure) => (JsValue::NULL, failure.value()),
        };
        for part in [name.into(), description, elements] {
            all.push(&part);
        }
        Ok(())
    })?;
    Ok(all)
}
