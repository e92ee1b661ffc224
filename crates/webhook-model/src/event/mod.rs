//! Which occurrence runs which task (SPEC 2.4, SPEC 6).

mod catalog;
mod json;
mod notes;
mod occurrence;
mod record;
mod words;

pub use catalog::{Catalog, CatalogBuilder, CatalogError, Specificity};
pub use json::JsonObject;
pub use notes::{EventNotes, SampleVariable};
pub use occurrence::{Object, Occurrence, OccurrenceId};
pub use record::{Event, Target};
pub use words::{EventName, EventType};
