//! Decoders of filters that are written in JavaScript, or are in the other module.

use std::cell::RefCell;

use js_sys::{Function, Uint8Array, Uint32Array};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

use crate::error::FilterFault;

thread_local! {
    static DECODERS: RefCell<Vec<(u16, Function)>> = RefCell::default();
}

/// Registers a function of the bytes, the client data and the most bytes that may come out, which gives bytes.
#[wasm_bindgen(js_name = registerDecoder)]
pub fn register_decoder(id: u16, decode: Function) {
    DECODERS.with_borrow_mut(|decoders| {
        decoders.retain(|(other, _)| *other != id);
        decoders.push((id, decode));
    });
    crate::filter::register(id, move |bytes, values, bound| call(id, bytes, values, bound));
}

fn call(id: u16, bytes: &[u8], values: &[u32], bound: usize) -> Result<Vec<u8>, FilterFault> {
    let decode = DECODERS
        .with_borrow(|decoders| decoders.iter().find(|(other, _)| *other == id).map(|(_, decode)| decode.clone()));
    let decode = decode.ok_or(FilterFault::Stream("its decoder was registered elsewhere"))?;
    let (bytes, values) = (Uint8Array::from(bytes), Uint32Array::from(values));
    let decoded = decode.call3(&JsValue::NULL, &bytes, &values, &bound.into());
    let decoded = decoded.map_err(|_| FilterFault::Stream("its decoder fails"))?;
    let decoded: Uint8Array = decoded.dyn_into().map_err(|_| FilterFault::Stream("its decoder gives no bytes"))?;
    if decoded.length() as usize > bound {
        return Err(FilterFault::TooLong(bound as u64));
    }
    Ok(decoded.to_vec())
}
