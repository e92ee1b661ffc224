//! Messages with variables (SPEC 2.3): parsed once, rendered when the task runs.
//!
//! `${NAME}` and `$<NAME>` are two spellings of one variable. What is no variable stays as it is,
//! byte for byte. When the message is JSON, values are escaped for their place:
//! inside a string they become string content; outside of one, text becomes a quoted string and
//! numbers stay bare. `${data.path}` is a value of what the occurrence brings along, `${data}` all
//! of it: as JSON where it stands outside of a string, as text elsewhere; what is not there is
//! `null` outside of a string of JSON and nothing elsewhere. `${context}` and `${context.path}` are
//! the same of what the event has for its task. A message is JSON if it is written as
//! an object, an array or a string and parses as JSON with its variables filled in.

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

pub use date::format_date;
pub use parsed::Template;
pub use render::{MAX_RENDERED, RenderError};
pub use run_variables::RunVariables;
pub use values::{EVENT, TYPE, Values};
