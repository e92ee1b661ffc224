//! The known webhooks, tasks and events: routes for matching, realm by realm, and for sending.

mod contexts;
mod credentials;
mod matched;
mod messages;
mod prototype;
mod readable;
mod request;
mod route;
mod slot;
mod table;
mod tables;
#[cfg(test)]
mod tests;
mod triggers;
mod versions;
mod webhooks;

pub(crate) use contexts::Contexts;
pub(crate) use credentials::Credentials;
pub(crate) use matched::{Matched, MatchedTask};
pub(crate) use messages::Messages;
pub(crate) use prototype::prototype;
pub(crate) use readable::readable;
pub(crate) use route::Route;
pub(crate) use tables::Tables;
pub(crate) use webhooks::{Found, WebhookCache};
