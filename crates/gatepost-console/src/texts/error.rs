//! What is wrong with a translation.

use thiserror::Error;

/// A translation that cannot be used.
#[derive(Clone, Debug, Eq, Error, PartialEq)]
#[non_exhaustive]
pub enum TextsError {
    /// Not a tag of BCP 47.
    #[error("`{0}` is not the tag of a language, such as `de` or `ar-EG`")]
    Language(String),
    /// Not Fluent's syntax.
    #[error("line {line}: {rule}")]
    Syntax {
        /// Counted from 1.
        line: usize,
        /// What is wrong there.
        rule: String,
    },
    /// A text that no page says: a wrong name, or one of an earlier version.
    #[error("there is no text `{0}`")]
    Unknown(String),
    /// A variable that the English text does not have.
    #[error("the text `{text}` has no variable `${variable}`")]
    Variable {
        /// The name of the text.
        text: String,
        /// The name of the variable, without `$`.
        variable: String,
    },
    /// The two texts that show how numbers are written show something else, or only one of them is
    /// translated.
    #[error("`frame-number-long` and `frame-number-short` must show 1234567.8 and 1234")]
    Number,
}
