//! Text that must not be seen.

use std::fmt;

use zeroize::Zeroizing;

/// A token, a password, a key: wiped when dropped, hidden by `Debug`, read only on purpose.
#[derive(Clone)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Takes the text over.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(Zeroizing::new(text.into()))
    }

    /// The text itself.
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

/// Looks at every byte, wherever the first difference lies; the time shows nothing but the
/// lengths.
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
