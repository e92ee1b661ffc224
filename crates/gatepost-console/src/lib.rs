#![doc = include_str!("../README.md")]

mod access;
mod assets;
mod builder;
mod console;
mod dashboard;
mod deliveries;
mod events;
mod failure;
mod form;
mod keys;
mod layout;
mod reveal;
mod session;
mod tasks;
mod time;
mod webhooks;

// The public interface is:

pub use builder::ConsoleBuilder;
pub use console::Console;
pub use session::{ConsoleLogin, LoggedIn};
