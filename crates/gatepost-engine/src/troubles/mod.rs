//! Which webhooks are in trouble, and what of that was reported to their owners.

mod book;
mod trouble;
mod watched;

pub(crate) use trouble::{Told, Trouble};
pub(crate) use watched::{Tried, Troubles};
