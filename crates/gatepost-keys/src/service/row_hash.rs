//! The hash of a row number.

use std::hash::Hasher;

/// The store gives out row numbers, so nobody chooses them: to spread them is enough.
#[derive(Debug, Default)]
pub(super) struct RowHash(u64);

impl Hasher for RowHash {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        let spread = (self.0 ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = spread ^ (spread >> 32);
    }

    #[inline]
    fn write_i64(&mut self, number: i64) {
        self.write_u64(number.cast_unsigned());
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
