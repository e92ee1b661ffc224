//! The current versions of realms, read once for all concurrent callers.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gatepost_ids::Realm;
use gatepost_storage::StoreError;
use gatepost_storage::webhooks::{RoutesVersion, WebhookStore};
use tokio::sync::OnceCell;

type Versions = HashMap<Realm, RoutesVersion>;

/// Asks the store one question at a time, about the realms of all callers that came before it
/// began: each answer is newer than the call that it answers, and the number of questions does not
/// grow with the number of callers.
#[derive(Debug)]
pub(super) struct CurrentVersions {
    store: Arc<dyn WebhookStore>,
    /// The question that has not begun.
    next: Mutex<Arc<NextRead>>,
    /// Held by the question that is under way.
    asking: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct NextRead {
    places: Mutex<BTreeSet<Realm>>,
    answer: OnceCell<Result<Versions, Arc<StoreError>>>,
}

impl CurrentVersions {
    pub(super) fn new(store: Arc<dyn WebhookStore>) -> Self {
        Self {
            store,
            next: Mutex::default(),
            asking: tokio::sync::Mutex::default(),
        }
    }

    /// Whether these are the versions of the realms, as the store said after this call.
    pub(super) async fn are(
        &self,
        seen: &[(Realm, RoutesVersion)],
    ) -> Result<bool, Arc<StoreError>> {
        let question = {
            let next = lock(&self.next);
            lock(&next.places).extend(seen.iter().map(|(place, _)| *place));
            next.clone()
        };
        let answer = question.answer.get_or_init(|| self.ask(&question)).await;
        let versions = answer.as_ref().map_err(Arc::clone)?;
        Ok(seen
            .iter()
            .all(|(place, version)| versions.get(place) == Some(version)))
    }

    async fn ask(&self, question: &Arc<NextRead>) -> Result<Versions, Arc<StoreError>> {
        let _one = self.asking.lock().await;
        {
            let mut next = lock(&self.next);
            // It is not, if the caller that began to ask was cancelled.
            if Arc::ptr_eq(&next, question) {
                *next = Arc::default();
            }
        }
        let places: Vec<_> = lock(&question.places).iter().copied().collect();
        let versions = self.store.routes_versions(&places).await?;
        Ok(places.into_iter().zip(versions).collect())
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
