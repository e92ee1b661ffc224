//! Which webhooks are in trouble, and what of that was reported to their owners.

mod book;
mod trouble;
mod watched;

pub(crate) use book::Look;
pub(crate) use trouble::Told;
pub(crate) use watched::{Tried, Troubles};
