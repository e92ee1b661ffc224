//! A form as it was sent.

mod fields;
mod read;
mod rows;

pub(crate) use fields::Form;
pub(crate) use read::TooMuch;
pub(crate) use rows::Rows;
