//! Why a call through the door was not carried out.

mod from;
mod manage_error;

pub use manage_error::ManageError;
pub(crate) use manage_error::{names, seconds};
