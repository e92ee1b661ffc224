//! A form as it was sent, or as it is filled in.

mod fields;
mod read;
mod rows;

pub(crate) use fields::{Form, Query};
pub(crate) use read::TooMuch;
pub(crate) use rows::Rows;
