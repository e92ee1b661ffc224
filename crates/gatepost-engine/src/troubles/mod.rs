//! Webhooks in trouble, and the notices already given to their owners.

mod book;
mod trouble;
mod watched;

pub(crate) use trouble::{Told, Trouble};
pub(crate) use watched::{Tried, Troubles};
