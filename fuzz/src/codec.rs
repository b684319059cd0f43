use std::borrow::Cow;

use h5kit::Limits;
use h5kit::filter::{Step, decode, encode};

use super::input::Input;

/// The filters, by their registered numbers.
pub const FILTERS: [u16; 16] = [1, 2, 3, 4, 5, 6, 305, 307, 32000, 32001, 32004, 32008, 32013, 32015, 32019, 32026];

/// Those whose encoder loses nothing, whatever the client data say.
const LOSSLESS: [u16; 9] = [1, 2, 3, 307, 32000, 32001, 32004, 32008, 32015];

/// Undoes a filter, and applies it.
pub fn codec(input: &[u8]) {
    let mut input = Input(input);
    let id = FILTERS[usize::from(input.byte()) % FILTERS.len()];
    let expected = input.number(3) as usize;
    let values = (0..input.byte() % 24).map(|_| input.number(4) as u32).collect();
    let steps = [Step { id, optional: false, values }];
    let limits = Limits { chunk_bytes: 1 << 24, ..Limits::default() };
    if let Ok(out) = decode(&steps, 0, Cow::Borrowed(input.0), expected, &limits) {
        assert_eq!(out.len(), expected);
    }
    let Ok((encoded, 0)) = encode(&steps, Cow::Borrowed(input.0)) else { return };
    let decoded = decode(&steps, 0, encoded, input.0.len(), &limits);
    if LOSSLESS.contains(&id) {
        assert_eq!(decoded.as_deref(), Ok(input.0), "filter {id}");
    }
}

/// The input that has a chunk decoded.
#[must_use]
pub fn input_of(id: u16, values: &[u32], expected: usize, chunk: &[u8]) -> Option<Vec<u8>> {
    let number = FILTERS.iter().position(|known| *known == id)?;
    let mut input = vec![number as u8];
    input.extend_from_slice(&(expected as u32).to_le_bytes()[..3]);
    input.push(values.len() as u8);
    values.iter().for_each(|value| input.extend_from_slice(&value.to_le_bytes()));
    input.extend_from_slice(chunk);
    Some(input)
}
