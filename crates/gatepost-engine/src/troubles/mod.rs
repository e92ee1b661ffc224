//! Webhooks in trouble, and the notices already given to their owners.

mod notifications;
mod registry;
mod trouble;

pub(crate) use notifications::{Tried, Troubles};
pub(crate) use trouble::{Told, Trouble};
