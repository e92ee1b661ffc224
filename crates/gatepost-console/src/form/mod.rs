//! A form as it was sent, or as it is filled in.

mod fields;
mod read;
mod rows;
mod search;

pub(crate) use fields::{Form, Query};
pub(crate) use read::TooMuch;
pub(crate) use rows::Rows;
pub(crate) use search::{Choices, MAX_TEXT, MAX_WORDS, Search};
