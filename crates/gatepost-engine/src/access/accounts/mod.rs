//! The platform's answers about its users.

mod account_cache;
mod status;
#[cfg(test)]
pub(super) mod tests;

pub(super) use account_cache::{AccountBook, News};
pub(super) use status::{Answer, Standing};
