//! Paths to handlers. Every table is served by the same few functions.

mod actions;
mod body;
mod front;
mod granted;
mod headers;
mod leaks;
mod messages;
mod observe;
mod other_sites;
mod rows;
mod subscriptions;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{get, post};
use gatepost_keys::AuthLayer;

use self::front::Front;
use self::granted::Needs;
use crate::counters;
use crate::error::ApiError;
use crate::state::{Served, Shared};

/// Returns the routes under `/api/v4`, behind the guard.
pub(crate) fn router(shared: &Shared, guard: AuthLayer) -> Router {
    let needs = |needs| from_fn_with_state(needs, granted::checked);
    let (keys, webhooks) = (Needs::Table("user_api_keys"), Needs::Table("webhook_urls"));
    let limits = get(crate::user_limits::limits).route_layer(needs(Needs::Whole));
    let uses = get(counters::key_uses).route_layer(needs(keys));
    let counts = get(counters::webhook_counts).route_layer(needs(webhooks));
    let rejected = get(counters::rejected_deliveries).route_layer(needs(webhooks));
    // It returns deliveries and ends some.
    let messages = get(messages::messages)
        .route_layer(needs(Needs::Change("webhooks")))
        .route_layer(from_fn(other_sites::ask_nothing));
    let leaked = post(leaks::leaked).route_layer(needs(keys));
    // It creates rows of all three.
    let subscriptions = post(subscriptions::subscribe)
        .route_layer(needs(webhooks))
        .route_layer(needs(Needs::Table("tasks")))
        .route_layer(needs(Needs::Table("task_events")));
    let mut routes = Router::new()
        .route("/system", get(crate::system::system))
        .route("/whoami", get(crate::whoami::whoami))
        .route("/openapi.json", get(crate::openapi::serve))
        .route("/leaked_keys", leaked)
        .route("/limits", limits)
        .route("/user_api_key_uses", uses)
        .route("/subscriptions", subscriptions)
        .route("/webhook_counts", counts)
        .route("/rejected_deliveries", rejected)
        .route("/webhook_urls/{key}/messages", messages)
        .with_state(shared.clone());
    for resource in shared.tables.all() {
        routes = routes.merge(table_routes(Served {
            shared: shared.clone(),
            resource: resource.clone(),
        }));
    }
    routes
        .fallback(|| async { ApiError::not_found() })
        .method_not_allowed_fallback(|| async { ApiError::not_permitted() })
        .layer(Front::new(shared, guard))
}

/// Returns the paths of one table, each with its allowed methods, which a 405 lists (RFC 9110
/// §15.5.6).
fn table_routes(served: Served) -> Router {
    let table = served.resource.table();
    let (mut rows, mut row) = (get(rows::list), get(rows::read));
    if table.editable {
        rows = rows.post(rows::create);
    }
    if table.editable || !table.actions.is_empty() {
        row = row.put(rows::update);
    }
    if table.deletable {
        row = row.delete(rows::delete);
    }
    let name = table.name;
    let mut routes = Router::new()
        .route(&format!("/{name}"), rows)
        .route(&format!("/{name}/{{key}}"), row);
    if !table.actions.is_empty() {
        routes = routes
            .route(
                &format!("/{name}/{{key}}/{{action}}"),
                post(actions::by_path),
            )
            .route(
                &format!("/{}", table.endpoint()),
                post(actions::by_endpoint),
            );
    }
    routes.with_state(served)
}
