//! The console as a person uses it: a site that mounts it, a visitor without a browser, and a real
//! browser.

mod axe;
mod driver;
pub mod form_input;
mod furnish;
mod layout;
mod pages;
mod site;
mod start;
mod visitor;
mod weight;

pub use axe::faults;
pub use driver::Browser;
pub use furnish::furnish;
pub use layout::{BEYOND, OVERLAPS, STANDS_OUT};
pub use pages::PAGES;
pub use site::{PASSWORD, Setup, Site};
pub use start::Look;
pub use visitor::{Page, Visitor, text};
pub use weight::gzipped;
