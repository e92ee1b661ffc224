//! The console as a router: every page, behind the guard.

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::Redirect;
use axum::routing::get;

use crate::failure::Failure;
use crate::state::ConsoleState;
use crate::{changes, dashboard, deliveries, events, guard, keys, tasks, webhooks};

/// The largest form, in bytes: a message of 1 MiB fits in the encoding of forms.
const MAX_FORM: usize = 4 * 1024 * 1024;

/// Pages that a platform mounts: a user's keys, webhooks, tasks, events and deliveries in a
/// browser (SPEC 4 rule 3). Cheap to clone.
///
/// Pages are rendered on the server and work without scripts, except for Copy and for figures that
/// refresh themselves. One style sheet and one script are embedded, under names that change with
/// their content.
#[derive(Clone, Debug)]
pub struct Console {
    state: Arc<ConsoleState>,
}

impl Console {
    pub(crate) fn new(state: ConsoleState) -> Self {
        Self {
            state: Arc::new(state),
        }
    }

    /// All pages, below the path that was set
    /// ([`ConsoleBuilder::base`](crate::ConsoleBuilder::base)): merge it at the root of the
    /// platform's router, whatever its state.
    pub fn router<S: Clone + Send + Sync + 'static>(&self) -> Router<S> {
        self.pages().with_state(())
    }

    fn pages(&self) -> Router {
        let pages = Router::new()
            .merge(dashboard::routes())
            .nest("/keys", keys::routes())
            .nest("/users", keys::user_routes())
            .nest("/webhooks", webhooks::routes())
            .nest("/tasks", tasks::routes())
            .nest("/events", events::routes())
            .nest("/deliveries", deliveries::routes())
            .nest("/changes", changes::routes())
            .fallback(async || Failure::NotFound)
            .layer(from_fn_with_state(self.state.clone(), guard::guard))
            .layer(DefaultBodyLimit::max(MAX_FORM));
        let all = Router::new()
            .merge(self.state.assets.routes())
            .merge(pages)
            .layer(from_fn(guard::protect));
        if self.state.base.is_empty() {
            return all;
        }
        let home = self.state.at("/");
        let to_home = home.clone();
        Router::new()
            .route(&self.state.base, get(async move || Redirect::to(&to_home)))
            .nest(&home, all)
    }
}
