//! The stored digest of a key.

use std::fmt;
use std::hint::black_box;

use subtle::ConstantTimeEq;

use super::scheme::DigestScheme;

/// The stored digest of a key. `==` takes constant time; `Debug` prints only the scheme.
#[derive(Clone, Copy)]
#[allow(
    clippy::exhaustive_structs,
    reason = "a record: who stores it learns of a new field from the compiler"
)]
pub struct Digest {
    /// The scheme of `bytes`.
    pub scheme: DigestScheme,
    /// The digest.
    pub bytes: [u8; 32],
}

impl Digest {
    /// Creates a digest from `bytes` made by `scheme`.
    #[must_use]
    pub fn new(scheme: DigestScheme, bytes: [u8; 32]) -> Self {
        Self { scheme, bytes }
    }
}

impl PartialEq for Digest {
    fn eq(&self, other: &Self) -> bool {
        self.scheme == other.scheme && equal(&self.bytes, &other.bytes)
    }
}

impl Eq for Digest {}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({}, redacted)", self.scheme)
    }
}

/// Compares in constant time: on four words instead of 32 bytes. A single value that indicates any
/// difference is passed to `subtle`, behind a barrier that the optimiser cannot see through.
/// Several times faster than byte by byte.
#[inline]
pub(super) fn equal(a: &[u8; 32], b: &[u8; 32]) -> bool {
    let (a, _) = a.as_chunks::<8>();
    let (b, _) = b.as_chunks::<8>();
    let mut differing = 0;
    for (x, y) in a.iter().zip(b) {
        differing |= u64::from_ne_bytes(*x) ^ u64::from_ne_bytes(*y);
    }
    black_box(differing).ct_eq(&0).into()
}

#[cfg(test)]
mod tests {
    use super::super::scheme::ImportedScheme;
    use super::*;

    #[test]
    fn one_changed_bit_anywhere_is_a_difference() {
        let bytes = [0xa5; 32];
        assert!(equal(&bytes, &bytes));
        for bit in 0..256 {
            let mut other = bytes;
            other[bit / 8] ^= 1 << (bit % 8);
            assert!(!equal(&bytes, &other), "bit {bit}");
        }
    }

    #[test]
    fn the_scheme_is_part_of_a_digest() {
        let bytes = [1; 32];
        let plain = Digest::new(DigestScheme::Sha256, bytes);
        let imported = Digest::new(DigestScheme::Imported(ImportedScheme::Sha256), bytes);
        assert_eq!(plain, plain);
        assert_ne!(plain, imported);
        assert_eq!(format!("{plain:?}"), "Digest(sha256, redacted)");
    }
}
