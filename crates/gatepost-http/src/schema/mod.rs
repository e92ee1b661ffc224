//! Tables are declared once: columns, types, rules, joins. Lists, filters, projection, validation
//! and the OpenAPI document all read the same declaration.

mod column;
mod input;
mod members;
mod row_map;
mod spec_words;
mod table;
#[cfg(test)]
mod tests;
mod values;

pub use column::Column;
pub(crate) use column::{Access, Kind, LAST_SECOND};
pub(crate) use input::{Input, id, number};
pub(crate) use members::{items, members};
pub(crate) use row_map::{Name, RowMap};
pub use table::Action;
pub(crate) use table::{KEY, Table};
pub(crate) use values::{MOST_VALUES, values};
