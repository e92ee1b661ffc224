#![doc = include_str!("../README.md")]

mod api_url;
mod assets;
mod builder;
mod changes;
mod changes_link;
mod chart_scale;
mod choices;
mod console;
mod context;
mod cookie;
mod csrf;
mod dashboard;
mod deliveries;
mod delivery_cause;
mod delivery_list;
mod delivery_rows;
mod delivery_standing;
mod done;
mod events;
mod failure;
mod form;
mod guard;
mod kept;
mod keys;
mod layout;
mod limits;
mod list_view;
mod local_path;
mod login;
mod message_preview;
mod paging;
mod platform_names;
mod problems;
mod refusal;
mod reveal;
mod row_id;
mod sample_fields;
mod state;
mod tasks;
mod texts;
mod tickets;
mod time;
mod unreadable;
mod webhooks;
mod withheld;

// The public interface is:

pub use builder::ConsoleBuilder;
pub use console::Console;
pub use cookie::cookie;
pub use gatepost_manage::Visit;
pub use local_path::local_path;
pub use login::{ConsoleLogin, LoggedIn, LogoutForm};
pub use texts::{Texts, TextsError};
