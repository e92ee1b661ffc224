//! The console as a person meets it: a site that mounts it, a visitor without a browser, and a real browser.

mod site;
mod visitor;

pub use site::{PASSWORD, Site};
pub use visitor::{Page, Visitor, text};
