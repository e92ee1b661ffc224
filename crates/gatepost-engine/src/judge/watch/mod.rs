//! Who may receive what, where the platform decides it.

mod question;
#[cfg(test)]
mod tests;
mod watches;

pub use question::{May, Watch, WatchAnswer, WatchError, Watched};
pub(super) use watches::{Question, Watches};
