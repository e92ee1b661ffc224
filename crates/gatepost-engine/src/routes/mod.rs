//! All webhooks, tasks and events at one version, in the form that an emit needs.

mod prototype;
mod request;
mod route;
mod routes;
mod table;

pub(crate) use prototype::prototype;
pub(crate) use route::Route;
pub(crate) use routes::Routes;
pub(crate) use table::{RouteTable, TaskRoute};
