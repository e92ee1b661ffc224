//! Secret texts.

use std::fmt;

use zeroize::Zeroizing;

/// A secret text: a token, a password, a key. It is wiped when dropped, hidden by `Debug`, and read
/// only by [`expose`](Self::expose).
#[derive(Clone)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Creates a secret from this text.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(Zeroizing::new(text.into()))
    }

    /// Returns the text.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// Compares every byte, wherever the first difference is: the time reveals only the lengths.
impl PartialEq for Secret {
    fn eq(&self, other: &Self) -> bool {
        let (a, b) = (self.0.as_bytes(), other.0.as_bytes());
        let differences = a
            .iter()
            .zip(b)
            .fold(0u8, |all, (a, b)| std::hint::black_box(all | (a ^ b)));
        a.len() == b.len() && differences == 0
    }
}

impl Eq for Secret {}
