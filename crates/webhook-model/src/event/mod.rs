//! Occurrences (which other systems call events), and the events that match them and run tasks
//! (SPEC 2.4, SPEC 6).

mod catalog;
mod channel;
mod identifiers;
mod json;
mod notes;
mod occurrence;
mod record;
mod webhook_ids;

pub use catalog::{Catalog, CatalogBuilder, CatalogError, Specificity};
pub use channel::{Channel, Channels, MAX_CHANNELS};
pub use identifiers::{EventName, EventType};
pub use json::JsonObject;
pub use notes::{EventNotes, SampleVariable};
pub use occurrence::{Object, Occurrence, OccurrenceId};
pub use record::{Event, Target};
pub use webhook_ids::{MAX_CHOSEN, WebhookIds};
