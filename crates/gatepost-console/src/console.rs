//! Pages that a host mounts: a user's keys, webhooks, tasks, events and deliveries in a browser,
//! over the same services and with the same authority as the API (SPEC 4 rule 3).
//!
//! Pages are made on the server and work without scripts; what needs one is Copy and what refreshes
//! itself. One style sheet and one script are embedded and served under names that change with
//! their content.

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use chrono::{DateTime, Utc};
use gatepost_engine::Engine;
use gatepost_keys::KeyService;
use gatepost_manage::{Audit, Audited, Directory, Operation};

use crate::assets::Assets;
use crate::builder::ConsoleBuilder;
use crate::session::{self, ConsoleLogin, Csrf, Ctx, Tickets};
use crate::{dashboard, deliveries, events, failure, keys, tasks, webhooks};

/// The most bytes of a form: a message of 1 MiB fits, in the encoding of forms.
const MAX_FORM: usize = 4 * 1024 * 1024;

/// The console, ready to be mounted. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Console {
    pub(crate) inner: Arc<Inner>,
}

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) keys: KeyService,
    pub(crate) engine: Engine,
    pub(crate) login: Arc<dyn ConsoleLogin>,
    pub(crate) directory: Arc<dyn Directory>,
    pub(crate) audit: Arc<dyn Audit>,
    pub(crate) clock: Arc<dyn gatepost_storage::Clock>,
    /// The path under which everything is, without a slash at the end.
    pub(crate) base: String,
    pub(crate) title: String,
    pub(crate) assets: Assets,
    pub(crate) csrf: Csrf,
    pub(crate) tickets: Tickets,
}

impl Console {
    /// Starts with the parts that cannot be left out: the two services, and the host's login.
    #[must_use]
    pub fn builder(
        keys: KeyService,
        engine: Engine,
        login: Arc<dyn ConsoleLogin>,
    ) -> ConsoleBuilder {
        ConsoleBuilder::new(keys, engine, login)
    }

    /// All pages, below the path that was set ([`ConsoleBuilder::base`]): to be merged at the root
    /// of the host's router.
    pub fn router(&self) -> Router {
        let pages = Router::new()
            .merge(dashboard::routes())
            .nest("/keys", keys::routes())
            .nest("/webhooks", webhooks::routes())
            .nest("/tasks", tasks::routes())
            .nest("/events", events::routes())
            .nest("/deliveries", deliveries::routes())
            .fallback(async |ctx: Ctx| failure::Failure::NotFound.page(&ctx))
            .layer(from_fn_with_state(self.clone(), session::guard))
            .layer(DefaultBodyLimit::max(MAX_FORM));
        let all = Router::new()
            .merge(self.inner.assets.routes())
            .merge(pages)
            .layer(from_fn(session::protect));
        if self.inner.base.is_empty() {
            all
        } else {
            let home = format!("{}/", self.inner.base);
            let to_home = home.clone();
            Router::new()
                .route(
                    &self.inner.base,
                    axum::routing::get(async move || axum::response::Redirect::to(&to_home)),
                )
                .nest(&home, all)
        }
    }

    pub(crate) fn now(&self) -> DateTime<Utc> {
        self.inner.clock.now()
    }

    /// A path below the console's own.
    pub(crate) fn at(&self, path: &str) -> String {
        format!("{}{path}", self.inner.base)
    }
}

impl Ctx {
    /// Tells the host's audit log, as the API does.
    pub(crate) fn audit(&self, table: &'static str, row: i64, operation: Operation) {
        let change = Audited::new(&self.principal, table, Some(row), operation);
        self.console.inner.audit.record(&change);
    }
}
