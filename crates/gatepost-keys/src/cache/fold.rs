//! The hash of a lookup id.

use std::hash::Hasher;

/// Lookup ids are random; what is left to do is to mix the letters that they are written in.
#[derive(Debug, Default)]
pub(super) struct Fold(u64);

impl Hasher for Fold {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0.rotate_left(5) ^ u64::from(*byte)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
    }

    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the two halves are folded into one"
    )]
    fn write_u128(&mut self, id: u128) {
        let folded =
            (id as u64 ^ ((id >> 64) as u64).rotate_left(29)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = folded ^ (folded >> 32);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
