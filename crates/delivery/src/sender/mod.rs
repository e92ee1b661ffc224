//! The sender: attempts and retries.

mod builder;
mod check_target;
mod classify;
mod core;
mod deliver;
mod exchange;
mod header_names;
mod large_signatures;
mod masked_head;
mod message;
mod open;
mod preview;
mod redirect;
mod send;

pub use self::builder::SenderBuilder;
pub use self::core::Sender;
pub use self::deliver::Delivered;
pub use self::header_names::HeaderNames;
pub use self::preview::Preview;
