//! The texts of the pages in one language: the English of `locales/en`, or a host's translation of
//! it ([Fluent](https://projectfluent.org)).

mod catalog;
mod check;
mod numbers;
mod rules;
mod say;
mod source;

pub use catalog::Texts;
pub use check::TextsError;
