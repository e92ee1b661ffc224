//! The excerpt of an occurrence's data that a delivery keeps.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use webhook_model::Data;

use super::invalid_delivery::InvalidDelivery;

/// Marks the end of an excerpt that is shorter than the data. The JSON text of an object ends with
/// `}`.
const CUT: char = '…';
/// The maximum number of stored bytes, for a sealed excerpt.
const MAX_STORED: usize = 2048;

/// The first [1,024 bytes](Self::MAX) of an occurrence's data as JSON text: enough to see why a
/// filter matched. Clones share the text.
///
/// ```
/// use gatepost_storage::webhooks::DataExcerpt;
/// let data = r#"{"severity": "critical"}"#.parse()?;
/// let excerpt = DataExcerpt::of(&data);
/// assert_eq!(excerpt.as_str(), r#"{"severity":"critical"}"#);
/// assert!(!excerpt.is_cut());
/// # Ok::<(), webhook_model::Invalid>(())
/// ```
#[derive(Clone, Eq, Hash, PartialEq)]
pub struct DataExcerpt(Arc<str>);

impl DataExcerpt {
    /// The maximum number of bytes of an excerpt.
    pub const MAX: usize = 1024;

    /// Returns the excerpt of these data: all of them, or as many whole characters as fit, and `…`.
    #[must_use]
    pub fn of(data: &Data) -> Self {
        let text = data.as_str();
        if text.len() <= Self::MAX {
            return Self(text.into());
        }
        let room = Self::MAX - CUT.len_utf8();
        let ends = text.char_indices().map(|(at, _)| at);
        let whole = ends.take_while(|at| *at <= room).last().unwrap_or(0);
        Self(format!("{}{CUT}", &text[..whole]).into())
    }

    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether the data were longer.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.0.ends_with(CUT)
    }
}

/// Parses the stored text.
impl FromStr for DataExcerpt {
    type Err = InvalidDelivery;

    fn from_str(text: &str) -> Result<Self, InvalidDelivery> {
        let fits = (1..=MAX_STORED).contains(&text.len());
        if !fits || text.contains(['\n', '\0']) {
            return Err(InvalidDelivery::DataExcerpt);
        }
        Ok(Self(text.into()))
    }
}

/// Shows the length only: the text may be confidential.
impl fmt::Debug for DataExcerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DataExcerpt({} bytes)", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> DataExcerpt {
        DataExcerpt::of(&text.parse().unwrap())
    }

    #[test]
    fn data_excerpt_is_whole_or_its_beginning() {
        let long = |bytes: usize| format!("{{\"a\":\"{}\"}}", "x".repeat(bytes - 8));
        let whole = of(&long(1024));
        assert_eq!((whole.as_str(), whole.is_cut()), (&*long(1024), false));
        let cut = of(&long(1025));
        assert_eq!((cut.as_str().len(), cut.is_cut()), (1024, true));
        assert!(cut.as_str().ends_with("xxx…"));
        for before in 0..4 {
            let wide = format!("{{\"a\":\"{}{}\"}}", "x".repeat(before), "😀".repeat(400));
            let cut = of(&wide);
            assert!(cut.is_cut() && (1021..=1024).contains(&cut.as_str().len()));
        }
        for excerpt in [whole, cut, of("{}"), of(r#"{"a":"\u0000\n…"}"#)] {
            assert_eq!(excerpt.as_str().parse(), Ok(excerpt.clone()));
        }
    }

    #[test]
    fn invalid_excerpt_is_refused_and_debug_hides_text() {
        for text in ["", "{\n}", "{\0}", &"x".repeat(2049)] {
            assert_eq!(
                text.parse::<DataExcerpt>(),
                Err(InvalidDelivery::DataExcerpt),
                "{text:?}"
            );
        }
        let shown = format!("{:?}", of(r#"{"canary":1}"#));
        assert_eq!(shown, "DataExcerpt(12 bytes)");
    }
}
