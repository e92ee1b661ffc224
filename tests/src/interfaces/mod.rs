//! A walk through every operation of an interface with a client that leaves in the middle, and a
//! platform whose code fails.
//!
//! An interface is a [`Roof`]: the routes that it mounts, and an [`Act`] for each route that
//! changes something. [`walk`] carries out each act on a fresh [`DoorSite`] whose store is held at
//! a gate, lets the client leave while the store holds the call, and finds change *and* audit
//! record, or neither.

mod act;
mod console;
mod platform;
mod rest;
mod site;
mod walk;

pub use act::{Act, request};
pub use console::{Pages, page, post, token};
pub use platform::{Heard, Mood, Moody};
pub use rest::Rest;
pub use site::{DoorSite, Parts, Roof, Rows};
pub use walk::{Finding, walk, words};
