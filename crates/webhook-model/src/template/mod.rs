//! Message templates with variables (SPEC 2.3): parsed once, rendered when the task runs.
//!
//! `${NAME}` and `$<NAME>` are two spellings of one variable. Text that is not a variable stays
//! unchanged, byte for byte.
//!
//! If the message is JSON, values are escaped for their position: inside a string they become
//! string content; outside of one, text becomes a quoted string and numbers stay bare. A message is
//! JSON if it is written as an object, an array or a string, and parses as JSON with its variables
//! filled in.
//!
//! `${data.path}` is a value in the occurrence's data, and `${data}` all of them: as JSON outside
//! of a string, as text elsewhere. A missing value is `null` outside of a JSON string, and empty
//! elsewhere. `${context}` and `${context.path}` are the same for the context that the event has
//! for its task.

mod counts;
mod data;
#[cfg(test)]
mod data_tests;
mod date;
mod escape;
mod parse;
mod parsed;
#[cfg(test)]
mod properties;
mod render;
mod run_variables;
mod segment;
#[cfg(test)]
mod tests;
mod values;

pub use date::{Zone, format_date};
pub use parsed::Template;
pub use render::{MAX_RENDERED, RenderError};
pub use run_variables::RunVariables;
pub use values::{EVENT, TYPE, Values};
