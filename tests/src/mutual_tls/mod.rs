//! Mutual TLS: an authority, its clients, and a target that asks for their certificates.

mod authority;
mod target;

pub use authority::{Authority, Client};
pub use target::{Arrived, Target};
