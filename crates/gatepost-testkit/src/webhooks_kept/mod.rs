//! Contents that a durable webhook store keeps when all handles are dropped and it is opened again.
//! Each contract test takes the harness.

mod home;
mod stored;
mod unreadable;

pub use stored::*;
pub use unreadable::*;
