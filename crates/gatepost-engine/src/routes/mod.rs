//! The known webhooks, tasks and events: routes for matching, realm by realm, and for sending.

mod contexts;
mod credentials;
mod matched;
mod messages;
mod realm_cache;
mod request;
mod request_template;
mod route;
mod table;
mod tables;
#[cfg(test)]
mod tests;
mod triggers;
mod unreadable;
mod versions;
mod webhooks;

pub(crate) use contexts::Contexts;
pub(crate) use credentials::Credentials;
pub(crate) use matched::{Matched, MatchedTask};
pub(crate) use messages::Messages;
pub(crate) use request_template::prototype;
pub(crate) use route::Route;
pub(crate) use tables::Tables;
pub(crate) use unreadable::readable;
pub(crate) use webhooks::{Found, WebhookCache};
