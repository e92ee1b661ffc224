//! Why a call through the door was not carried out.

mod from;
mod manage_error;
mod response;
mod spelled;

pub use manage_error::ManageError;
