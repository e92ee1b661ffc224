//! The routes that this process last read.

use std::sync::{Arc, PoisonError, RwLock};

use gatepost_storage::StoreError;
use gatepost_storage::webhooks::{RoutesVersion, WebhookStore};
use webhook_model::TaskId;

use super::table::RouteTable;

#[derive(Debug)]
pub(crate) struct Routes {
    store: Arc<dyn WebhookStore>,
    table: RwLock<Arc<RouteTable>>,
    /// One caller at a time reads them.
    reading: tokio::sync::Mutex<()>,
}

impl Routes {
    pub(crate) async fn read(store: Arc<dyn WebhookStore>) -> Result<Self, StoreError> {
        let table = RouteTable::new(store.routes().await?);
        Ok(Self {
            store,
            table: RwLock::new(Arc::new(table)),
            reading: tokio::sync::Mutex::new(()),
        })
    }

    /// What was read last; an enqueue tells whether it still holds.
    pub(crate) fn last(&self) -> Arc<RouteTable> {
        self.table
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The routes as they are now.
    pub(crate) async fn current(&self) -> Result<Arc<RouteTable>, StoreError> {
        let last = self.last();
        if self.store.routes_version().await? == last.version {
            return Ok(last);
        }
        self.newer_than(last.version).await
    }

    /// Reads them again, unless another caller has just done so.
    pub(crate) async fn newer_than(
        &self,
        version: RoutesVersion,
    ) -> Result<Arc<RouteTable>, StoreError> {
        let _one = self.reading.lock().await;
        let last = self.last();
        if last.version > version {
            return Ok(last);
        }
        let table = Arc::new(RouteTable::new(self.store.routes().await?));
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

#[cfg(test)]
mod tests {
    use gatepost_testkit::fault::FaultStore;

    use super::*;
    use crate::testing::Records;

    #[tokio::test]
    async fn routes_are_read_again_only_when_they_have_changed_and_once_for_many_callers() {
        let records = Records::new();
        let store = Arc::new(FaultStore::new(records.store.clone()));
        let routes = Routes::read(store.clone()).await.unwrap();
        let first = routes.last();
        assert!(Arc::ptr_eq(&first, &routes.current().await.unwrap()));

        let webhook = records.webhook(|_| {}).await;
        assert!(first.webhook(webhook).is_none());
        let before = store.calls();
        let read = || routes.newer_than(first.version);
        let (one, two) = tokio::join!(read(), read());
        assert!(Arc::ptr_eq(&one.unwrap(), &two.unwrap()));
        assert_eq!(store.calls() - before, 1);
        assert!(routes.last().webhook(webhook).is_some());
    }

    #[tokio::test]
    async fn a_task_that_was_consumed_here_is_gone_without_asking_and_nothing_older_comes_back() {
        let records = Records::new();
        let webhook = records.webhook(|_| {}).await;
        let task = records.task(webhook, "x", true).await;
        let routes = Routes::read(records.store.clone()).await.unwrap();
        let table = routes.last();
        let next = RoutesVersion(table.version.0 + 1);
        routes.consumed(&table, &[task], next);
        assert!(routes.last().task(task).is_none() && routes.last().version == next);
        routes.consumed(&table, &[], table.version);
        assert!(
            routes.last().task(task).is_none(),
            "an older version is not put back"
        );
    }
}
