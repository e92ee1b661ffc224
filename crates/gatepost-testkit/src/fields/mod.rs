//! Every field of every record, with values to try and the effect of an insert and an edit on it.
//!
//! The tables name each field: a record with a new field does not compile until the field has a row
//! here, and with it a test. The contract tests of [`whole`](crate::whole) and the machine-made
//! mutants of this crate's tests go through them.

mod audit;
mod delivery;
mod event;
mod field;
mod key;
mod occurrence;
mod owner;
mod task;
mod webhook;

pub use audit::of_audit_entry;
pub use delivery::{of_attempt, of_delivery, of_new_delivery};
pub use event::of_event;
pub use field::{Field, Rule, difference};
pub use key::of_key;
pub use occurrence::of_outbox_row;
pub use owner::of_owner;
pub use task::of_task;
pub use webhook::{full_webhook, of_webhook};
