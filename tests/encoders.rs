//! What the encoders write, libhdf5 and the C plugins read.
//!
//! `H5KIT_PYTHON` names a Python with `testdata/requirements.txt`. Without it the test says so and passes.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use h5kit::Limits;
use h5kit::filter::{Step, available, decode, encode};
use serde_json::{Value, json};

mod common;

/// Pseudorandom numbers, the same every time (xorshift64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

/// Elements of `size` bytes: constant, slowly rising, few values, incompressible.
fn data(kind: usize, count: usize, size: usize) -> Vec<u8> {
    let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ (count as u64) << 8 ^ size as u64);
    let element = |i: usize| -> Vec<u8> {
        let number = match kind {
            0 => 0x0102_0304,
            1 => i as u64 * 3,
            2 => random.next() % 5,
            _ => random.next(),
        };
        let bytes = number.to_le_bytes();
        (0..size)
            .map(|at| if kind == 3 { random.next() as u8 } else { bytes.get(at).copied().unwrap_or(at as u8) })
            .collect()
    };
    (0..count).flat_map(element).collect()
}

fn step(id: u16, values: &[u32]) -> Step {
    Step { id, optional: false, values: values.to_vec() }
}

/// Pipelines for elements of `size` bytes, with and without other filters around.
fn pipelines(size: u32, bytes: u32) -> Vec<Vec<Step>> {
    let mut all = vec![
        vec![step(2, &[size])],
        vec![step(3, &[])],
        vec![step(1, &[6])],
        vec![step(2, &[size]), step(1, &[1]), step(3, &[])],
        vec![step(3, &[]), step(2, &[size]), step(1, &[9])],
        vec![step(32000, &[4, 261, bytes])],
        vec![step(2, &[size]), step(32000, &[4, 261, bytes])],
        vec![step(307, &[1])],
        vec![step(307, &[9])],
        vec![step(2, &[size]), step(32004, &[0]), step(3, &[])],
    ];
    all.extend([0, 100, 1000].map(|block| vec![step(32004, &[block])]));
    all.extend([1, 3, 4, 22].map(|level| vec![step(32015, &[level])]));
    for compression in [0, 2, 3] {
        all.extend([0, 8, 64, 1024].map(|block| vec![step(32008, &[0, 4, size, block, compression, 3])]));
    }
    for codec in 1..=5 {
        for shuffle in 0..3 {
            all.extend([0, 1, 5, 9].map(|level| vec![step(32001, &[2, 2, size, bytes, level, shuffle, codec])]));
        }
    }
    all
}

/// A chunk and what it was made of, for the verifier.
fn case(steps: &[Step], plain: &[u8], itemsize: usize, dtype: Option<&str>) -> Value {
    let (encoded, mask) = encode(steps, plain.into()).unwrap_or_else(|error| panic!("{steps:?}: {error}"));
    // Scale-offset of floats rounds: what counts is that libhdf5 decodes to the same.
    let own = decode(steps, mask, Cow::Borrowed(&encoded), plain.len(), &Limits::default()).expect("own chunk");
    let lossy = steps.iter().any(|step| step.id == 6 && step.values[0] == 0);
    assert!(lossy || own == plain, "{steps:?}");
    let name = steps.iter().fold(String::new(), |mut name, step| {
        let _ = write!(name, "{} {:?} ", step.id, step.values);
        name
    });
    json!({
        "name": format!("{name}of {} bytes", plain.len()),
        "filters": steps.iter().map(|step| json!([step.id, u8::from(step.optional), step.values])).collect::<Vec<_>>(),
        "mask": mask,
        "itemsize": itemsize,
        "dtype": dtype,
        "plain": hex(&own),
        "encoded": hex(&encoded),
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

fn cases() -> Vec<Value> {
    let mut cases = Vec::new();
    for size in [1, 2, 3, 4, 8, 12, 17] {
        for (kind, count) in [(0, 300), (1, 1000), (2, 777), (3, 129), (1, 5)] {
            let plain = data(kind, count, size);
            for steps in pipelines(size as u32, plain.len() as u32) {
                cases.push(case(&steps, &plain, size, None));
            }
        }
    }
    // Several blocks of Blosc, and more than the window of LZF and LZ4.
    for size in [4, 8, 17] {
        let plain = data(1, 200_000 / size, size);
        for steps in pipelines(size as u32, plain.len() as u32) {
            cases.push(case(&steps, &plain, size, None));
        }
    }
    cases.extend(built_in());
    cases
}

/// N-bit, scale-offset and szip, which must know the elements.
fn built_in() -> Vec<Value> {
    let mut cases = Vec::new();
    let (count, plain) = (256_u32, data(2, 256, 4));
    for (precision, offset) in [(3, 0), (17, 0), (32, 0)] {
        cases.push(case(&[step(5, &[8, 0, count, 1, 4, 0, precision, offset])], &plain, 4, Some("<i4")));
    }
    let mut values = vec![2, 0, count, 0, 4, 1, 0, 1];
    values.resize(20, 0);
    for kind in 0..4 {
        cases.push(case(&[step(6, &values)], &data(kind, 256, 4), 4, Some("<i4")));
    }
    let mut values = vec![0, 2, count, 1, 8, 0, 0, 1];
    values.resize(20, 0);
    let floats: Vec<u8> = (0..256).flat_map(|i| (f64::from(i) * 0.37 - 3.0).to_le_bytes()).collect();
    cases.push(case(&[step(6, &values)], &floats, 8, Some("<f8")));
    for (mask, pixel, scanline) in [(141, 32, 32), (169, 32, 256), (169, 8, 100), (137 | 32, 16, 64)] {
        let size = pixel / 8;
        let plain = data(1, 256, size);
        let dtype = ["", "u1", "<u2", "", "<u4"][size];
        cases.push(case(&[step(4, &[mask, 8, pixel as u32, scanline])], &plain, size, Some(dtype)));
    }
    cases
}

#[test]
fn libhdf5_reads_what_is_encoded() {
    let cases = cases();
    assert!(cases.len() > 2500, "only {}", cases.len());
    let Some(python) = std::env::var_os("H5KIT_PYTHON") else {
        eprintln!("H5KIT_PYTHON is not set: what the encoders write is not read by libhdf5");
        return;
    };
    let mut input = tempfile::NamedTempFile::new().expect("a file");
    for case in &cases {
        writeln!(input, "{case}").expect("written");
    }
    let output = Command::new(python)
        .arg(common::testdata().join("generate.py"))
        .arg("--verify")
        .arg(input.path())
        .stderr(Stdio::inherit())
        .output()
        .expect("Python runs");
    let lines = String::from_utf8(output.stdout).expect("text");
    let told: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let wrong: Vec<String> = told.iter().filter(|line| line["ok"] != true).map(Value::to_string).collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    assert!(output.status.success() && told.len() == cases.len(), "{} of {} verified", told.len(), cases.len());
}

/// Without the feature there is nothing to write with.
#[test]
fn all_encoders_are_there() {
    for id in [1, 2, 3, 4, 5, 6, 307, 32000, 32001, 32004, 32008, 32015] {
        assert_eq!(available(id), Ok(()));
    }
}
