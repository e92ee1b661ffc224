//! Keys of several parts: their bytes have the order of the parts.

use chrono::{DateTime, SubsecRound as _, Utc};
use gatepost_ids::OwnerId;
use sha2::{Digest as _, Sha256};

use super::error::{Stop, damaged};

/// A zero byte either ends a text or is part of it, depending on the next byte. So a text is below
/// each longer one that begins with it.
const ZERO: u8 = 0;
const END: u8 = 1;
const ESCAPED: u8 = 0xff;
const SIGN: u64 = 1 << 63;
/// The length of most keys.
const LENGTH: usize = 40;

/// A key that is built part by part.
#[derive(Clone, Debug)]
pub(super) struct Key(Vec<u8>);

/// The parts of a key, read in their order.
pub(super) struct Parts<'a>(&'a [u8]);

impl Key {
    pub(super) fn new() -> Self {
        Self(Vec::with_capacity(LENGTH))
    }

    pub(super) fn byte(mut self, byte: u8) -> Self {
        self.0.push(byte);
        self
    }

    /// Appends a signed number.
    pub(super) fn number(mut self, number: impl Into<i64>) -> Self {
        let number = number.into().cast_unsigned() ^ SIGN;
        self.0.extend_from_slice(&number.to_be_bytes());
        self
    }

    /// Appends a time, to the microsecond.
    pub(super) fn time(self, time: DateTime<Utc>) -> Self {
        self.number(time.timestamp_micros())
    }

    pub(super) fn owner(self, owner: OwnerId) -> Self {
        self.wide(owner.0)
    }

    pub(super) fn wide(mut self, number: u128) -> Self {
        self.0.extend_from_slice(&number.to_be_bytes());
        self
    }

    /// Appends a text; a shorter text is below each longer one that begins with it.
    pub(super) fn text(mut self, text: &str) -> Self {
        for byte in text.bytes() {
            self.0.push(byte);
            if byte == ZERO {
                self.0.push(ESCAPED);
            }
        }
        self.0.extend([ZERO, END]);
        self
    }

    /// Appends the digest of a text of any length that is only looked up as a whole: the length of
    /// a key is limited.
    pub(super) fn name(mut self, text: &str) -> Self {
        self.0.extend_from_slice(&Sha256::digest(text));
        self
    }

    /// Bytes of a fixed length.
    pub(super) fn raw(mut self, bytes: &[u8]) -> Self {
        self.0.extend_from_slice(bytes);
        self
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl From<Key> for Vec<u8> {
    fn from(key: Key) -> Self {
        key.0
    }
}

impl<'a> Parts<'a> {
    pub(super) fn of(key: &'a [u8]) -> Self {
        Self(key)
    }

    pub(super) fn byte(&mut self) -> Result<u8, Stop> {
        Ok(self.take::<1>()?[0])
    }

    pub(super) fn number<N: From<i64>>(&mut self) -> Result<N, Stop> {
        let number = u64::from_be_bytes(self.take()?) ^ SIGN;
        Ok(number.cast_signed().into())
    }

    pub(super) fn time(&mut self) -> Result<DateTime<Utc>, Stop> {
        DateTime::from_timestamp_micros(self.number()?).ok_or_else(|| damaged("the time of a key"))
    }

    pub(super) fn owner(&mut self) -> Result<OwnerId, Stop> {
        Ok(OwnerId(self.wide()?))
    }

    pub(super) fn wide(&mut self) -> Result<u128, Stop> {
        Ok(u128::from_be_bytes(self.take()?))
    }

    pub(super) fn text(&mut self) -> Result<String, Stop> {
        let mut text = Vec::new();
        loop {
            let byte = self.byte()?;
            if byte == ZERO && self.byte()? == END {
                break;
            }
            text.push(byte);
        }
        String::from_utf8(text).map_err(|_| damaged("the text of a key"))
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], Stop> {
        let (part, rest) = (self.0.split_first_chunk::<N>()).ok_or_else(|| damaged("a key"))?;
        self.0 = rest;
        Ok(*part)
    }
}

/// Returns a time as it is stored: truncated to the microsecond.
pub(super) fn micros(time: DateTime<Utc>) -> DateTime<Utc> {
    time.trunc_subsecs(6)
}

/// Returns the number at the end of a key.
pub(super) fn last_number(key: &[u8]) -> Result<i64, Stop> {
    Parts::of(key.last_chunk::<8>().map_or(&[], |last| last)).number()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_the_order_of_their_parts() {
        let texts = ["", "\0", "\0a", "a", "a\0", "a\0b", "a\u{1}", "ab", "b"];
        let numbers = [i64::MIN, -1, 0, 1, i64::MAX];
        let mut keys = Vec::new();
        for text in texts {
            for number in numbers {
                keys.push(Vec::from(Key::new().text(text).number(number)));
            }
        }
        assert!(keys.is_sorted());
        keys.dedup();
        assert_eq!(keys.len(), texts.len() * numbers.len());
    }

    #[test]
    fn parts_read_back_as_they_were_written() {
        let at = DateTime::from_timestamp_micros(-7).unwrap();
        let (owner, text) = (OwnerId(u128::MAX - 1), "a\0\u{ff}");
        let key = Key::new().byte(9).text(text).owner(owner).time(at);
        let mut parts = Parts::of(key.bytes());
        assert_eq!(parts.byte().unwrap(), 9);
        assert_eq!(parts.text().unwrap(), text);
        assert_eq!(parts.owner().unwrap(), owner);
        assert_eq!(parts.time().unwrap(), at);
        assert!(parts.byte().is_err());
    }
}
