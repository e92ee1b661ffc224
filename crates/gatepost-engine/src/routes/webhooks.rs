//! A cache of the webhooks that this process sends, by revision.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use gatepost_storage::webhooks::WebhookStore;
use gatepost_storage::{ErrorKind, Revision, Row, StoreError};
use webhook_model::{Webhook, WebhookId};

use super::route::Route;
use crate::fair_map::Shares;
use crate::guard::guarded;

/// The approximate memory of all of them, in bytes.
const MEMORY: usize = 64 * 1024 * 1024;
/// The memory of a route in addition to its credentials and its webhook's texts, which it has
/// twice: once in the request.
const ROUTE: usize = 1024;
/// The number of webhooks for which the engine remembers that they were reported as unreadable.
const REPORTED: usize = 10_000;

/// The result for some webhooks.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The routes of webhooks that can be sent to, at the requested revision or a newer one.
    pub routes: HashMap<WebhookId, Arc<Route>>,
    /// The webhooks that cannot be read. A webhook in neither is deleted.
    pub unreadable: HashSet<WebhookId>,
}

/// A route, and the bytes that it takes without its access token.
#[derive(Debug)]
struct CachedHook {
    route: Arc<Route>,
    bytes: usize,
}

#[derive(Debug)]
pub(crate) struct WebhookCache {
    store: Arc<dyn WebhookStore>,
    /// Routes at the newest revision that was read, with their access tokens.
    routes: Mutex<Shares<WebhookId, CachedHook>>,
    /// Unreadable webhooks that were reported, at which revision.
    reported: Mutex<Shares<WebhookId, Revision, ()>>,
}

impl WebhookCache {
    pub(crate) fn new(store: Arc<dyn WebhookStore>) -> Self {
        Self::with_memory(store, MEMORY)
    }

    /// Creates a cache of approximately this number of bytes.
    pub(crate) fn with_memory(store: Arc<dyn WebhookStore>, memory: usize) -> Self {
        Self {
            store,
            routes: Mutex::new(Shares::new(memory)),
            reported: Mutex::new(Shares::new(REPORTED)),
        }
    }

    /// Returns the webhook at this revision or a newer one, if it is cached.
    pub(crate) fn cached(&self, id: WebhookId, revision: Revision) -> Option<Arc<Route>> {
        let mut routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = routes.get(id)?;
        let (route, bytes) = (kept.route.clone(), kept.bytes);
        // The token was added after the route.
        routes.weigh(id, bytes + route.token.bytes());
        (route.revision >= revision).then_some(route)
    }

    /// Returns the webhook at this revision or a newer one; `None` when it is deleted.
    ///
    /// # Errors
    /// `Corrupt` when it cannot be read, which is reported once; `Unavailable`.
    pub(crate) async fn get(
        &self,
        id: WebhookId,
        revision: Revision,
    ) -> Result<Option<Arc<Route>>, StoreError> {
        if let Some(route) = self.cached(id, revision) {
            return Ok(Some(route));
        }
        match self.store.webhook(id).await {
            Ok(row) => Ok(row.map(|row| self.keep(row))),
            Err(error) => {
                if error.kind() == ErrorKind::Corrupt {
                    self.report(id, revision, &error);
                }
                Err(error)
            }
        }
    }

    /// Returns these webhooks, with one read for all that are not cached.
    ///
    /// # Errors
    /// `Unavailable`.
    pub(crate) async fn get_many(
        &self,
        wanted: &[(WebhookId, Revision)],
    ) -> Result<Found, StoreError> {
        let mut found = Found::default();
        let mut missing = Vec::new();
        for (id, revision) in wanted {
            match self.cached(*id, *revision) {
                Some(route) => drop(found.routes.insert(*id, route)),
                None => missing.push(*id),
            }
        }
        if missing.is_empty() {
            return Ok(found);
        }
        for row in self.store.webhooks(&missing).await? {
            found.routes.insert(row.id, self.keep(row));
        }
        for (id, revision) in wanted {
            if found.routes.contains_key(id) {
                continue;
            }
            // It is deleted or unreadable: only a separate read shows which.
            match self.get(*id, *revision).await {
                Ok(Some(route)) => drop(found.routes.insert(*id, route)),
                Ok(None) => {}
                Err(error) if error.kind() == ErrorKind::Corrupt => {
                    found.unreadable.insert(*id);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(found)
    }

    /// Caches a webhook that was just read.
    pub(crate) fn read(&self, row: Row<WebhookId, Webhook>) {
        if self.cached(row.id, row.revision).is_none() {
            self.keep(row);
        }
    }

    fn keep(&self, row: Row<WebhookId, Webhook>) -> Arc<Route> {
        let texts = usize::try_from(row.value.stored_bytes()).unwrap_or(MEMORY);
        let route = Arc::new(Route::stored(row));
        warn_if_unsendable(&route);
        let mut routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(newer) = routes.get(route.id)
            && newer.route.revision > route.revision
        {
            return newer.route.clone();
        }
        let bytes = ROUTE + 2 * texts + route.credentials.bytes();
        let kept = CachedHook {
            route: route.clone(),
            bytes,
        };
        routes.insert(route.id, route.webhook.owner, kept, bytes);
        route
    }

    /// Reports once for each revision: it is tried again for as long as deliveries wait for it.
    fn report(&self, id: WebhookId, revision: Revision, error: &StoreError) {
        let mut reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
        if reported.get(id).is_some_and(|known| *known == revision) {
            return;
        }
        reported.insert(id, (), revision, 1);
        drop(reported);
        let webhook = id.0;
        guarded(|| tracing::error!(webhook, %error, "this webhook cannot be read; it waits"));
    }
}

/// Logs a warning, since nothing else would show it before the next delivery fails.
fn warn_if_unsendable(route: &Route) {
    if let Err(error) = &route.request {
        let (webhook, owner) = (route.id.0, route.webhook.owner);
        guarded(|| tracing::error!(webhook, %owner, %error, "this webhook cannot send anything"));
    }
}
