//! The console as a person meets it: a site that mounts it, a visitor without a browser, and a real browser.

mod driver;
mod site;
mod visitor;

pub use driver::{Browser, Look};
pub use site::{PASSWORD, Site};
pub use visitor::{Page, Visitor, text};
