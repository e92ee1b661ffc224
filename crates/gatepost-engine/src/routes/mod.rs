//! All webhooks, tasks and events at one version, in the form that an emit needs.

mod table;

use std::sync::{Arc, PoisonError, RwLock};

use gatepost_storage::StoreError;
use gatepost_storage::webhooks::{RoutesVersion, WebhookStore};
pub(crate) use table::{Route, RouteTable, TaskRoute};
use webhook_model::TaskId;

/// The routes that this process last read.
#[derive(Debug)]
pub(crate) struct Routes {
    table: RwLock<Arc<RouteTable>>,
    /// One at a time reads them anew.
    reading: tokio::sync::Mutex<()>,
}

impl Routes {
    pub(crate) async fn read(store: &dyn WebhookStore) -> Result<Self, StoreError> {
        let table = RouteTable::new(store.routes().await?);
        Ok(Self {
            table: RwLock::new(Arc::new(table)),
            reading: tokio::sync::Mutex::new(()),
        })
    }

    /// What was read last; an enqueue tells whether it is still so.
    pub(crate) fn last(&self) -> Arc<RouteTable> {
        self.table
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The routes as they are now.
    pub(crate) async fn current(
        &self,
        store: &dyn WebhookStore,
    ) -> Result<Arc<RouteTable>, StoreError> {
        let last = self.last();
        if store.routes_version().await? == last.version {
            return Ok(last);
        }
        self.newer_than(store, last.version).await
    }

    /// Reads them anew, unless somebody has done so meanwhile.
    pub(crate) async fn newer_than(
        &self,
        store: &dyn WebhookStore,
        version: RoutesVersion,
    ) -> Result<Arc<RouteTable>, StoreError> {
        let _one = self.reading.lock().await;
        let last = self.last();
        if last.version > version {
            return Ok(last);
        }
        let table = Arc::new(RouteTable::new(store.routes().await?));
        self.put(table.clone());
        Ok(table)
    }

    /// This process itself consumed tasks of `of`, and nothing else has changed since.
    pub(crate) fn consumed(&self, of: &RouteTable, tasks: &[TaskId], version: RoutesVersion) {
        self.put(Arc::new(of.without(tasks, version)));
    }

    fn put(&self, table: Arc<RouteTable>) {
        let mut place = self.table.write().unwrap_or_else(PoisonError::into_inner);
        if place.version < table.version {
            *place = table;
        }
    }
}
