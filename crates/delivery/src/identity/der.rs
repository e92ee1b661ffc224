//! The part of DER (X.690) that is needed to read a certificate.

pub(super) const SEQUENCE: u8 = 0x30;
pub(super) const SET: u8 = 0x31;
pub(super) const OID: u8 = 0x06;
pub(super) const UTC_TIME: u8 = 0x17;
pub(super) const GENERALIZED_TIME: u8 = 0x18;

/// Unread bytes: a sequence of values.
#[derive(Clone, Copy)]
pub(super) struct Der<'a>(pub(super) &'a [u8]);

impl<'a> Der<'a> {
    /// Returns the tag and the content of the next value; `None` at the end, and if it is damaged.
    pub(super) fn next(&mut self) -> Option<(u8, &'a [u8])> {
        let (tag, rest) = self.0.split_first()?;
        let (length, rest) = length(rest)?;
        let (content, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        Some((*tag, content))
    }

    /// Returns the content of the next value, which must have this tag.
    pub(super) fn inside(&mut self, tag: u8) -> Option<Self> {
        self.next()
            .filter(|(found, _)| *found == tag)
            .map(|(_, content)| Self(content))
    }

    /// Skips the next value if it has this tag.
    pub(super) fn skip_if(&mut self, tag: u8) -> Option<()> {
        if self.0.first() == Some(&tag) {
            self.next()?;
        }
        Some(())
    }
}

/// Reads a length of at most four bytes. Returns it and the rest.
fn length(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (first, rest) = bytes.split_first()?;
    if *first < 0x80 {
        return Some((usize::from(*first), rest));
    }
    let (digits, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
    if digits.is_empty() || digits.len() > 4 {
        return None;
    }
    let length = digits.iter().try_fold(0usize, |length, digit| {
        length.checked_mul(256)?.checked_add(usize::from(*digit))
    })?;
    Some((length, rest))
}
