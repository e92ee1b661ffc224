//! Lists that are searched, filtered and sorted, all in the same way.
//!
//! The query is in the address, so that a list can be reloaded, bookmarked and shared: `q` (words
//! to search for), `state`, `sort` (`name`, or `-name` for the other direction), `owner`, the other
//! filters of a list ([`Listing::KEPT`]), and the position within the list. A value that a list
//! does not know is ignored: the address of an older version still leads to the list.
//!
//! By age, the order in which a store keeps its rows, a page is read by row number however many
//! rows there are. Any other query is evaluated over all rows of the scope, of which at most 2,000
//! are read: if there are more, the page says so and how to reduce them.

mod asked;
mod listing;
mod read;
mod view;

pub(crate) use asked::{Asked, CREATED, Kept};
pub(crate) use listing::{Column, Listing, Rank, Rows, asked, asked_of, table};
pub(crate) use view::{list, list_page};
