//! What a record counts for in its owner's quota of bytes.

/// What a row costs beyond its texts, about.
pub(crate) const ROW: u64 = 256;

pub(crate) fn sum(texts: &[&str]) -> u64 {
    texts.iter().map(|text| text.len() as u64).sum()
}
