//! The reasons why an operation was not carried out.

mod conversions;
mod manage_error;

pub use manage_error::ManageError;
pub(crate) use manage_error::{names, seconds};
