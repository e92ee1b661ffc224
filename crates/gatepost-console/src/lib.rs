#![doc = include_str!("../README.md")]

mod api_url;
mod assets;
mod changes;
mod charts;
mod choices;
mod conflicts;
mod console;
mod context;
mod crud;
mod csrf;
mod dashboard;
mod deliveries;
mod delivery_filter;
mod delivery_rows;
mod delivery_words;
mod done;
mod events;
mod failure;
mod fields;
mod form;
mod guard;
mod kept;
mod keys;
mod layout;
mod link_sessions;
mod links;
mod list_view;
mod login;
mod names;
mod problems;
mod reveal;
mod row_id;
mod samples;
mod tasks;
mod texts;
mod time;
mod unreadable;
mod webhooks;

// The public interface is:

pub use console::{Console, ConsoleBuilder};
pub use gatepost_manage::Visit;
pub use link_sessions::LinkError;
pub use login::{ConsoleLogin, LoggedIn, LogoutForm, cookie, local_path};
pub use texts::{Texts, TextsError};
