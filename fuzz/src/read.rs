use std::collections::HashSet;
use std::sync::Arc;

use h5kit::digest::Lines;
use h5kit::element::{Strings, Value};
use h5kit::encoding::{anndata::AnnData, h5col};
use h5kit::source::Memory;
use h5kit::{Dataset, File, Group, Object, SurveyData};

use super::options;

/// Elements of the largest dataset that is read as values of several kinds.
const FEW: u64 = 4096;

/// Reads everything in a file, in all ways there are.
pub fn read(input: &[u8]) {
    salvage(input);
    let Ok(file) = options().from_bytes(input) else { return };
    Lines::of(&file).for_each(drop);
    let _ = file.survey(SurveyData::Read);
    group(&file.root(), &mut HashSet::new());
    conventions(&file);
}

/// Whatever is there of a file that may not even open.
fn salvage(input: &[u8]) {
    let Ok(salvage) = options().salvage_source(Arc::new(Memory::new(input.to_vec()))) else { return };
    for found in salvage.objects() {
        if let Ok(Object::Dataset(dataset)) = salvage.open(found)
            && dataset.len() <= FEW
        {
            let _ = dataset.read_past_damage::<Vec<Value>>(..);
        }
    }
}

/// All that is in a group and below it.
fn group(group: &Group, seen: &mut HashSet<u64>) {
    for link in group.links().into_iter().flatten().flatten() {
        let Ok(object) = link.open() else { continue };
        if !seen.insert(object.info().address()) {
            continue;
        }
        for attribute in object.attributes().into_iter().flatten().flatten() {
            let _ = attribute.read::<Vec<Value>>();
        }
        match object {
            Object::Group(below) => self::group(&below, seen),
            Object::Dataset(found) => dataset(&found),
            _ => {}
        }
    }
}

fn dataset(dataset: &Dataset) {
    let _ = (dataset.stored_size(), dataset.fill_value::<Value>());
    for chunk in dataset.chunks().into_iter().flatten().take(16) {
        let _ = dataset.read_chunk(&chunk);
    }
    if dataset.len() <= FEW {
        let _ = dataset.read::<Vec<Value>>(..);
        let _ = dataset.read::<Vec<f64>>(..);
        let _ = dataset.read::<Vec<i16>>(..);
        let _ = dataset.read::<Strings>(..);
        let _ = dataset.read::<Vec<String>>(..);
        let _ = dataset.read::<Vec<Vec<u8>>>(..);
    }
}

/// The file as what conventions make of it.
fn conventions(file: &File) {
    if let Ok(whole) = AnnData::open(file) {
        let _ = whole.faults();
    }
    for group in h5col::tables(file).into_iter().flatten() {
        if let Ok(table) = h5col::Table::open(&group) {
            let _ = h5col::validate(&group, h5col::Depth::Values);
            let _ = table.select(h5col::Predicate::All).limit(FEW).read();
        }
    }
}
