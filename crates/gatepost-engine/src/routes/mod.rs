//! All webhooks, tasks and events at one version, in the form that an emit needs.

mod current;
mod prototype;
mod request;
mod route;
mod table;
mod webhooks;

pub(crate) use current::Routes;
pub(crate) use prototype::prototype;
pub(crate) use route::Route;
pub(crate) use table::{RouteTable, TaskRoute};
pub(crate) use webhooks::{Found, WebhookCache};
