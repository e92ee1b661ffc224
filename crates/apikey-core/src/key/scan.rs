use super::layout::TAIL_LEN;
use super::prefix::Prefix;
use super::presented::PresentedKey;

/// A regular expression (RE2, PCRE, Rust) that finds key strings with any prefix in a text. It has
/// one capture group, the key. A scanner that can compute a CRC-32 should confirm a match by the
/// checksum, as [`scan`] does. [`Prefix::regex`] returns the expression for one platform.
pub const KEY_REGEX: &str =
    r"\b([a-z][a-z0-9_]{0,18}_[1-9A-HJ-NP-Za-km-z]{16}_[1-9A-HJ-NP-Za-km-z]{39})\b";

/// Finds the keys with one prefix in a text, such as a commit, a log or a chat message. Each match
/// is verified by its checksum, so that the probability of a false one is one in four billion.
///
/// It takes linear time and allocates nothing.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use apikey_core::{KeyString, Prefix, scan};
///
/// let prefix: Prefix = "acme_live".parse()?;
/// let key = KeyString::generate(&prefix, &mut rand::rng())?;
/// let log = format!("GET /?token={}&x=1", key.as_str());
/// let found: Vec<_> = scan(&log, &prefix).collect();
/// assert_eq!(found.len(), 1);
/// assert_eq!(found[0].offset, 12);
/// assert_eq!(found[0].key.lookup(), key.lookup());
/// # Ok(())
/// # }
/// ```
#[must_use]
pub fn scan<'t>(text: &'t str, prefix: &Prefix) -> Scan<'t> {
    Scan {
        text,
        needle: format!("{prefix}_").into(),
        from: 0,
    }
}

/// Finds the keys with any prefix in a text, as separate words: between characters that no key has,
/// like [`KEY_REGEX`]. Each match is verified by its checksum.
///
/// It takes linear time and allocates nothing.
pub fn scan_words(text: &str) -> impl Iterator<Item = Found<'_>> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let (bytes, mut end) = (text.as_bytes(), 0);
    std::iter::from_fn(move || {
        loop {
            let offset = end + bytes.get(end..)?.iter().position(is_part)?;
            let word = bytes.get(offset..)?.iter();
            let len = word.take_while(|byte| is_part(byte)).count();
            end = offset + len;
            // A word is ASCII, so it begins and ends where characters do.
            let word = text.get(offset..end)?;
            if let Ok(key) = PresentedKey::parse(word) {
                return Some(Found { key, offset, len });
            }
        }
    })
}

/// A key that [`scan`] found.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Found<'t> {
    /// The key itself. Its `Debug` and its masked form are safe to report.
    pub key: PresentedKey<'t>,
    /// The byte at which the key begins in the text.
    pub offset: usize,
    /// The length of the key in bytes.
    pub len: usize,
}

/// The keys in a text, in order: see [`scan`].
pub struct Scan<'t> {
    text: &'t str,
    needle: Box<str>,
    from: usize,
}

impl<'t> Iterator for Scan<'t> {
    type Item = Found<'t>;

    fn next(&mut self) -> Option<Found<'t>> {
        let len = self.needle.len() + TAIL_LEN;
        loop {
            let offset = self.from + self.text.get(self.from..)?.find(&*self.needle)?;
            let candidate = self.text.get(offset..offset + len);
            if let Some(key) = candidate.and_then(|text| PresentedKey::parse(text).ok()) {
                self.from = offset + len;
                return Some(Found { key, offset, len });
            }
            // The needle begins with one ASCII letter, so this is a character boundary.
            self.from = offset + 1;
        }
    }
}

impl std::fmt::Debug for Scan<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The text is left out: it may hold keys.
        f.debug_struct("Scan")
            .field("needle", &self.needle)
            .field("from", &self.from)
            .finish_non_exhaustive()
    }
}
