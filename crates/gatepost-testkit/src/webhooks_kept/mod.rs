//! What a durable webhook store keeps when all handles are dropped and it is opened again. Each
//! takes the harness.

mod home;
mod owners;
mod stored;
mod unreadable;

pub use owners::*;
pub use stored::*;
pub use unreadable::*;
