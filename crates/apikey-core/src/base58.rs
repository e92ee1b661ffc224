//! The alphabet of key strings: base58, which has no `0 O I l`, survives a double click and
//! needs no escaping in a header, a URL or a shell.
//!
//! Characters are drawn one by one and never decoded as a number, so there is no big-integer
//! arithmetic and each character carries the full log2(58) bits.

use rand::CryptoRng;
use zeroize::Zeroize;

const VALUES: [u8; 256] = {
    let mut values = [0; 256];
    let mut i = 0;
    while i < 58 {
        #[expect(clippy::cast_possible_truncation, reason = "i < 58")]
        {
            values[ALPHABET[i] as usize] = i as u8;
        }
        i += 1;
    }
    values
};

pub(crate) const ALPHABET: &[u8; 58] =
    b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/// The size of the blocks in which random bytes are fetched.
const BLOCK: usize = 64;

/// A block yields 58 characters on average, so that running dry after this many means that the
/// generator is broken (the odds are below 2^-1000), and an endless loop is worse than an error.
const MAX_BLOCKS: usize = 32;

/// Returns whether every byte is in the alphabet. It has no branches, so that the compiler
/// vectorises it; it reads blocks of 16, the last of which overlaps, so that no remainder is
/// processed byte by byte.
#[inline]
pub(crate) fn is_base58<const N: usize>(bytes: &[u8; N]) -> bool {
    const { assert!(N >= 16) };
    let (blocks, _) = bytes.as_chunks::<16>();
    let last = bytes.last_chunk::<16>();
    blocks
        .iter()
        .chain(last)
        .fold(true, |ok, block| ok & block_is_base58(block))
}

#[inline]
fn block_is_base58(block: &[u8; 16]) -> bool {
    let mut ok = true;
    for &b in block {
        let digit = b.wrapping_sub(b'1') < 9;
        let letter = (b | 0x20).wrapping_sub(b'a') < 26;
        let left_out = (b == b'I') | (b == b'O') | (b == b'l');
        ok &= digit | (letter & !left_out);
    }
    ok
}

/// Encodes a CRC-32 as six characters, most significant first.
pub(crate) fn encode_check(crc: u32) -> [u8; 6] {
    let mut rest = crc;
    let mut out = [0; 6];
    for place in out.iter_mut().rev() {
        *place = ALPHABET[(rest % 58) as usize];
        rest /= 58;
    }
    out
}

/// Decodes six characters. For some inputs the number exceeds any CRC-32 and matches no checksum:
/// each CRC has exactly one spelling.
#[inline]
pub(crate) fn decode_check(check: &[u8; 6]) -> u64 {
    check
        .iter()
        .fold(0, |n, &b| n * 58 + u64::from(VALUES[usize::from(b)]))
}

/// Fills `out` with uniformly drawn characters by rejection sampling (six bits at a time; values
/// from 58 to 63 are discarded). Returns `false` if the generator returned nothing usable.
pub(crate) fn draw(out: &mut [u8], rng: &mut impl CryptoRng) -> bool {
    let mut places = out.iter_mut();
    let mut block = [0; BLOCK];
    let mut complete = false;
    'blocks: for _ in 0..MAX_BLOCKS {
        rng.fill_bytes(&mut block);
        for byte in block {
            if let Some(&character) = ALPHABET.get(usize::from(byte & 0x3f)) {
                match places.next() {
                    Some(place) => *place = character,
                    None => {
                        complete = true;
                        break 'blocks;
                    }
                }
            }
        }
    }
    block.zeroize();
    complete
}

/// Returns sixteen characters that depend only on `seed`; 58^16 is less than 2^94, so that the bias
/// of the remainder is below 2^-34.
pub(crate) fn from_seed(seed: u128) -> [u8; 16] {
    let mut rest = seed;
    [(); 16].map(|()| {
        let character = ALPHABET[(rest % 58) as usize];
        rest /= 58;
        character
    })
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use rand::rngs::StdRng;
    use rand::{SeedableRng, TryCryptoRng, TryRng};

    use super::*;

    /// A generator that always gives the same byte, as a broken device would.
    struct Stuck(u8);

    impl TryRng for Stuck {
        type Error = Infallible;
        fn try_next_u32(&mut self) -> Result<u32, Infallible> {
            Ok(u32::from_ne_bytes([self.0; 4]))
        }
        fn try_next_u64(&mut self) -> Result<u64, Infallible> {
            Ok(u64::from_ne_bytes([self.0; 8]))
        }
        fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Infallible> {
            out.fill(self.0);
            Ok(())
        }
    }
    impl TryCryptoRng for Stuck {}

    #[test]
    fn is_base58_accepts_exactly_the_alphabet_bytes() {
        for b in 0..=u8::MAX {
            assert_eq!(is_base58(&[b; 16]), ALPHABET.contains(&b), "byte {b:#x}");
        }
    }

    #[test]
    fn one_foreign_byte_anywhere_is_seen() {
        for index in 0..39 {
            let mut bytes = [b'z'; 39];
            assert!(is_base58(&bytes));
            bytes[index] = b'0';
            assert!(!is_base58(&bytes), "at {index}");
        }
    }

    #[test]
    fn a_checksum_has_one_spelling() {
        for crc in [0, 1, 57, 58, u32::MAX - 1, u32::MAX, 0xcbf4_3926] {
            assert_eq!(decode_check(&encode_check(crc)), u64::from(crc));
        }
        assert!(decode_check(b"zzzzzz") > u64::from(u32::MAX));
    }

    #[test]
    fn draw_from_stuck_generator_fails_without_endless_loop() {
        assert!(!draw(&mut [0; 16], &mut Stuck(0xff)));
        assert!(draw(&mut [0; 16], &mut Stuck(0)));
    }

    #[test]
    fn each_character_is_drawn_equally_often() {
        let mut drawn = vec![0; 580_000];
        let mut rng = StdRng::seed_from_u64(1);
        for chunk in drawn.chunks_mut(33) {
            assert!(draw(chunk, &mut rng));
        }
        for character in ALPHABET {
            let count = drawn.iter().filter(|b| *b == character).count();
            // 10,000 expected; six standard deviations are 600.
            assert!((9_400..10_600).contains(&count), "{character}: {count}");
        }
    }
}
