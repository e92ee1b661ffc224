//! The platform's answers about its users.

mod book;
mod standing;
#[cfg(test)]
pub(super) mod tests;

pub(super) use book::{AccountBook, News};
pub(super) use standing::{Answer, Standing};
