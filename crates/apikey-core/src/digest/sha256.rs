//! SHA-256 and HMAC-SHA-256 of exactly 50 bytes, on the block function.
//!
//! Fifty bytes and their padding fill one block. For HMAC the two states after the key blocks are
//! computed once for each pepper, which leaves two compressions a check instead of four.

use sha2::block_api::compress256;
use sha2::{Digest as _, Sha256};
use zeroize::Zeroize;

use crate::key::ID_SECRET_LEN;

const BLOCK: usize = 64;
const OUTPUT: usize = 32;

type State = [u32; 8];

/// The initial state, FIPS 180-4 section 5.3.3.
const INITIAL: State = [
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
];

#[inline]
pub(super) fn sha256(message: &[u8; ID_SECRET_LEN]) -> [u8; OUTPUT] {
    finish(INITIAL, message, 0)
}

/// A prepared pepper: the states after the inner and the outer key block (RFC 2104).
pub(super) struct HmacKey {
    inner: State,
    outer: State,
}

impl HmacKey {
    pub(super) fn new(secret: &[u8]) -> Self {
        let mut key = [0; BLOCK];
        if secret.len() > BLOCK {
            let mut hashed: [u8; OUTPUT] = Sha256::digest(secret).into();
            key[..OUTPUT].copy_from_slice(&hashed);
            hashed.zeroize();
        } else {
            key[..secret.len()].copy_from_slice(secret);
        }
        let made = Self {
            inner: after_block(key.map(|b| b ^ 0x36)),
            outer: after_block(key.map(|b| b ^ 0x5c)),
        };
        key.zeroize();
        made
    }

    #[inline]
    pub(super) fn mac(&self, message: &[u8; ID_SECRET_LEN]) -> [u8; OUTPUT] {
        let inner = finish(self.inner, message, BLOCK);
        finish(self.outer, &inner, BLOCK)
    }
}

impl Drop for HmacKey {
    fn drop(&mut self) {
        self.inner.zeroize();
        self.outer.zeroize();
    }
}

fn after_block(mut block: [u8; BLOCK]) -> State {
    let mut state = INITIAL;
    compress256(&mut state, &[block]);
    block.zeroize();
    state
}

/// Returns the digest of `before` bytes that are already in `state`, followed by `message`, whose
/// padding must fit into its block: at most 55 bytes, which both callers' array types guarantee.
#[inline]
fn finish<const N: usize>(mut state: State, message: &[u8; N], before: usize) -> [u8; OUTPUT] {
    const { assert!(N <= 55) };
    let mut block = [0; BLOCK];
    block[..N].copy_from_slice(message);
    block[N] = 0x80;
    let bits = (before as u64 + N as u64) * 8;
    block[56..].copy_from_slice(&bits.to_be_bytes());
    compress256(&mut state, &[block]);

    let mut out = [0; OUTPUT];
    let (words, _) = out.as_chunks_mut::<4>();
    for (place, word) in words.iter_mut().zip(state) {
        *place = word.to_be_bytes();
    }
    out
}

#[cfg(test)]
mod tests {
    use hmac::{Hmac, KeyInit, Mac};
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn our_sha256_is_the_library_s(half in any::<[u8; 32]>(), rest in any::<[u8; 18]>()) {
            let message = join(half, rest);
            prop_assert_eq!(sha256(&message), <[u8; 32]>::from(Sha256::digest(message)));
        }

        #[test]
        fn our_hmac_is_the_library_s(
            half in any::<[u8; 32]>(),
            rest in any::<[u8; 18]>(),
            key in prop::collection::vec(any::<u8>(), 0..200),
        ) {
            let message = join(half, rest);
            let mut reference = Hmac::<Sha256>::new_from_slice(&key).unwrap();
            reference.update(&message);
            let expected: [u8; 32] = reference.finalize().into_bytes().into();
            prop_assert_eq!(HmacKey::new(&key).mac(&message), expected);
        }
    }

    #[test]
    fn hmac_key_lengths_around_block_follow_rfc_2104() {
        for len in [0, 1, 63, 64, 65, 128] {
            let key = vec![0x61; len];
            let mut reference = Hmac::<Sha256>::new_from_slice(&key).unwrap();
            reference.update(&[7; 50]);
            let expected: [u8; 32] = reference.finalize().into_bytes().into();
            assert_eq!(HmacKey::new(&key).mac(&[7; 50]), expected, "{len}");
        }
    }

    fn join(half: [u8; 32], rest: [u8; 18]) -> [u8; 50] {
        let mut message = [0; 50];
        message[..32].copy_from_slice(&half);
        message[32..].copy_from_slice(&rest);
        message
    }
}
