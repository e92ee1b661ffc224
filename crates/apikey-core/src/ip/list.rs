use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use gatepost_ids::trim_pasted;

use super::range::{IpRange, IpRangeError};

/// The maximum number of entries in a list. A policy of a thousand entries decides in nanoseconds;
/// the limit keeps a record and its text small.
pub const MAX_IP_ENTRIES: usize = 1024;

/// An entry of a list: a network and its enabled checkbox (SPEC 2.1).
///
/// Text form: the network, with a leading `!` when it is disabled.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[allow(
    clippy::exhaustive_structs,
    reason = "a record: who stores it learns of a new field from the compiler"
)]
pub struct IpEntry {
    /// Whether the entry is enabled. A disabled entry still makes its list *set*.
    pub enabled: bool,
    /// The addresses it covers.
    pub net: IpRange,
}

/// An allow or deny list: entries in their owner's order.
///
/// Text form: entries joined by commas, empty for none; backends store it and the wire uses it.
/// Blanks around an entry are dropped when it is parsed.
///
/// ```
/// use apikey_core::IpList;
///
/// let list: IpList = "10.1.2.3/8, !192.168.1.5".parse()?;
/// assert_eq!(list.to_string(), "10.0.0.0/8,!192.168.1.5");
/// assert!(!list.entries()[1].enabled);
/// # Ok::<(), apikey_core::IpListError>(())
/// ```
#[derive(Clone, Debug, Default, Eq, Hash, PartialEq)]
pub struct IpList(Box<[IpEntry]>);

/// The reason why a text or sequence is not an [`IpList`].
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum IpListError {
    /// An entry is invalid.
    #[error("entry {position} {source}")]
    Entry {
        /// The position of the entry, counted from 1.
        position: usize,
        /// The error in it.
        source: IpRangeError,
    },
    /// There are more than [`MAX_IP_ENTRIES`].
    #[error("has more than {MAX_IP_ENTRIES} entries")]
    TooMany,
}

impl IpEntry {
    /// Creates an enabled entry.
    #[must_use]
    pub fn new(net: IpRange) -> Self {
        Self { enabled: true, net }
    }

    /// Returns whether the entry is enabled and covers the address.
    #[must_use]
    pub fn matches(&self, addr: IpAddr) -> bool {
        self.enabled && self.net.contains(addr)
    }
}

impl IpList {
    /// Creates a list without entries, which is not set.
    #[must_use]
    pub fn empty() -> Self {
        Self::default()
    }

    /// Creates a list of these entries, in this order.
    ///
    /// # Errors
    /// [`IpListError::TooMany`].
    pub fn new(entries: impl IntoIterator<Item = IpEntry>) -> Result<Self, IpListError> {
        let list: Box<[_]> = entries.into_iter().take(MAX_IP_ENTRIES + 1).collect();
        if list.len() > MAX_IP_ENTRIES {
            return Err(IpListError::TooMany);
        }
        Ok(Self(list))
    }

    /// Returns the entries, in their owner's order.
    #[must_use]
    pub fn entries(&self) -> &[IpEntry] {
        &self.0
    }

    /// Returns whether there is no entry, not even a disabled one: whether the list is *not* set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of entries, including disabled ones.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

impl FromStr for IpEntry {
    type Err = IpRangeError;

    fn from_str(text: &str) -> Result<Self, IpRangeError> {
        let (enabled, net) = match text.strip_prefix('!') {
            Some(net) => (false, net),
            None => (true, text),
        };
        net.parse().map(|net| Self { enabled, net })
    }
}

impl fmt::Display for IpEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = if self.enabled { "" } else { "!" };
        write!(f, "{mark}{}", self.net)
    }
}

impl FromStr for IpList {
    type Err = IpListError;

    fn from_str(text: &str) -> Result<Self, IpListError> {
        let mut entries = Vec::new();
        if trim_pasted(text).is_empty() {
            return Ok(Self::default());
        }
        for (index, entry) in text.split(',').enumerate() {
            if index == MAX_IP_ENTRIES {
                return Err(IpListError::TooMany);
            }
            let entry = trim_pasted(entry).parse();
            entries.push(entry.map_err(|source| IpListError::Entry {
                position: index + 1,
                source,
            })?);
        }
        Ok(Self(entries.into()))
    }
}

impl fmt::Display for IpList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, entry) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str(",")?;
            }
            entry.fmt(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ip_list_text_keeps_order_duplicates_disabled_entries() {
        let text = "!10.0.0.0/8,10.0.0.0/8,2001:db8::/32,!::1,10.0.0.0/8";
        let list: IpList = text.parse().unwrap();
        assert_eq!(list.len(), 5);
        assert_eq!(list.to_string(), text);
        assert_eq!(IpList::new(list.entries().iter().copied()), Ok(list));
    }

    #[test]
    fn ip_list_from_blank_text_is_empty() {
        assert!("".parse::<IpList>().unwrap().is_empty());
        assert!("  ".parse::<IpList>().unwrap().is_empty());
        assert!(!"!::1".parse::<IpList>().unwrap().is_empty());
    }

    #[test]
    fn ip_list_error_names_the_entry_number() {
        let error = |text: &str| text.parse::<IpList>().unwrap_err().to_string();
        assert_eq!(error("::1,"), "entry 2 is empty");
        assert_eq!(error("::1,,::2"), "entry 2 is empty");
        assert_eq!(error("!"), "entry 1 is empty");
        assert!(error("::1, !!::2").starts_with("entry 2 is not an IPv4"));
        assert!(error("::1,! ::2").starts_with("entry 2 holds white space"));
        assert!(error("::1\n::2").starts_with("entry 1 holds white space"));
    }

    #[test]
    fn ip_list_accepts_at_most_1024_entries() {
        let text = |n: usize| vec!["10.0.0.1"; n].join(",");
        assert_eq!(text(1024).parse::<IpList>().unwrap().len(), 1024);
        assert_eq!(text(1025).parse::<IpList>(), Err(IpListError::TooMany));
        let entry: IpEntry = "10.0.0.1".parse().unwrap();
        assert_eq!(IpList::new(vec![entry; 1025]), Err(IpListError::TooMany));
        assert_eq!(
            IpList::new(std::iter::repeat(entry)),
            Err(IpListError::TooMany)
        );
    }
}
