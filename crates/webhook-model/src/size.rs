//! The size of a record in its owner's quota of bytes.

/// The approximate size of a row without its texts.
pub(crate) const ROW: u64 = 256;

pub(crate) fn sum(texts: &[&str]) -> u64 {
    texts.iter().map(|text| text.len() as u64).sum()
}
