//! The ids of a platform's objects: the keys of their rows.

use std::fmt::{self, Display, Write as _};
use std::str::FromStr;

use crate::platform_ids::{OwnerId, TenantId, read};

/// The reason why a text or a number is not an [`ObjectId`].
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error(
    "must be an integer, or 1 to {} visible ASCII characters, not only '-'",
    ObjectId::MAX_LENGTH
)]
#[non_exhaustive]
pub struct InvalidObjectId;

/// The id of an object of the platform, unique within its type: the part after the `/` of `vms/3`.
///
/// It has 1 to 64 visible ASCII characters and no blanks: an integer, a UUID, or any other text
/// that the platform uses. `07` equals `7`, and a UUID is in lower case. In JSON an integer below
/// 2⁵³ is a number, and every other id is a string; both are read.
///
/// ```
/// use gatepost_ids::ObjectId;
///
/// let id: ObjectId = "i-0abcd1234".parse()?;
/// assert_eq!(id.as_str(), "i-0abcd1234");
/// assert_eq!("07".parse(), Ok(ObjectId::from(7)));
/// # Ok::<_, gatepost_ids::InvalidObjectId>(())
/// ```
#[derive(Clone, Copy, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct ObjectId {
    /// The text, padded with zeros.
    text: [u8; Self::MAX_LENGTH],
}

impl ObjectId {
    /// The maximum length of an id in characters.
    pub const MAX_LENGTH: usize = 64;

    /// Returns the text of the id.
    #[must_use]
    pub fn as_str(&self) -> &str {
        let end = self.text.iter().position(|byte| *byte == 0);
        let text = &self.text[..end.unwrap_or(Self::MAX_LENGTH)];
        // The text is ASCII: it was validated when the id was created.
        str::from_utf8(text).unwrap_or_default()
    }

    /// Returns the row number, if the id is an integer.
    #[must_use]
    pub fn as_number(&self) -> Option<i64> {
        let text = self.as_str();
        let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| text.parse().ok())?
    }

    /// Creates the id of a row number.
    #[must_use]
    pub fn from_number(number: i64) -> Self {
        Self::shown(number)
    }

    /// Creates an id from a value that is shown as at most [`MAX_LENGTH`](Self::MAX_LENGTH) visible
    /// characters.
    fn shown(id: impl Display) -> Self {
        let mut writer = Writer {
            text: [0; Self::MAX_LENGTH],
            length: 0,
        };
        // Numbers and UUIDs are shorter.
        let _ = write!(writer, "{id}");
        Self { text: writer.text }
    }
}

struct Writer {
    text: [u8; ObjectId::MAX_LENGTH],
    length: usize,
}

impl fmt::Write for Writer {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        let end = self.length + part.len();
        let room = self.text.get_mut(self.length..end).ok_or(fmt::Error)?;
        room.copy_from_slice(part.as_bytes());
        self.length = end;
        Ok(())
    }
}

impl From<u32> for ObjectId {
    fn from(id: u32) -> Self {
        Self::shown(id)
    }
}

/// A user is a row in the platform's table of users.
impl From<OwnerId> for ObjectId {
    fn from(id: OwnerId) -> Self {
        Self::shown(id)
    }
}

/// A tenant is a row in the platform's table of tenants.
impl From<TenantId> for ObjectId {
    fn from(id: TenantId) -> Self {
        Self::shown(id)
    }
}

impl Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ObjectId({self})")
    }
}

impl FromStr for ObjectId {
    type Err = InvalidObjectId;

    fn from_str(text: &str) -> Result<Self, InvalidObjectId> {
        if let Ok(id) = read(text) {
            return Ok(Self::shown(OwnerId(id)));
        }
        let is_shown = text.bytes().all(|byte| byte.is_ascii_graphic());
        // A hyphen means "none" in texts that hold several ids.
        if text.is_empty() || text == "-" || text.len() > Self::MAX_LENGTH || !is_shown {
            return Err(InvalidObjectId);
        }
        Ok(Self::shown(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn object_id_has_one_text() {
        let longest = "~".repeat(ObjectId::MAX_LENGTH);
        for (text, kept) in [
            ("7", "7"),
            ("007", "7"),
            ("i-0abcd1234", "i-0abcd1234"),
            ("Web/3", "Web/3"),
            (
                "67E55044-10B1-426F-9247-BB680E5FE0C8",
                "67e55044-10b1-426f-9247-bb680e5fe0c8",
            ),
            ("99999999999999999999", "99999999999999999999"),
            ("-7", "-7"),
            (&longest, &longest),
        ] {
            let id: ObjectId = text.parse().unwrap();
            assert_eq!(id.as_str(), kept);
            assert_eq!(kept.parse(), Ok(id));
        }
        assert_eq!("7".parse(), Ok(ObjectId::from(7)));
        let owner: OwnerId = "67e55044-10b1-426f-9247-bb680e5fe0c8".parse().unwrap();
        assert_eq!(ObjectId::from(owner).to_string(), owner.to_string());
    }

    #[test]
    fn object_id_rejects_ambiguous_or_long_text() {
        let long = "x".repeat(ObjectId::MAX_LENGTH + 1);
        for text in ["", "-", " ", "a b", "a\n", "\0", "ä", &long] {
            assert_eq!(text.parse::<ObjectId>(), Err(InvalidObjectId), "{text:?}");
        }
    }
}
