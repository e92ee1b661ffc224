//! Data that are shown with a row: names, counts, and running tasks.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{
    DeliveryQuery, DeliveryState, EventQuery, RecordHead, RecordId, TaskQuery, TaskRow,
};
use gatepost_storage::{Bodies, Page, Scope};
use webhook_model::{TaskId, Webhook, WebhookId};

use crate::actor::Actor;
use crate::completion::contain;
use crate::error::ManageError;
use crate::visible_rows::count;

/// The number of running deliveries that are read to find running tasks.
const MOST_RUNNING: u32 = 1000;

impl Actor {
    /// Returns those of these webhooks that the caller may see, by one read of the store.
    ///
    /// # Errors
    /// Failures of store and accounts.
    pub async fn named_webhooks(
        &self,
        ids: impl IntoIterator<Item = WebhookId>,
    ) -> Result<BTreeMap<WebhookId, Webhook>, ManageError> {
        let ids = distinct(ids);
        contain(async {
            let (mut found, mut authority) = (BTreeMap::new(), self.authority());
            for row in self.engine().webhooks(&ids).await? {
                if authority.may_manage(row.owner).await? {
                    found.insert(row.id, row.value);
                }
            }
            Ok(found)
        })
        .await
    }

    /// Returns the names of those of these webhooks that the caller may see, by one read of the
    /// store.
    ///
    /// # Errors
    /// Failures of store and accounts.
    pub async fn webhook_names(
        &self,
        ids: impl IntoIterator<Item = WebhookId>,
    ) -> Result<BTreeMap<WebhookId, String>, ManageError> {
        let found = self.named_webhooks(ids).await?.into_iter();
        Ok(found
            .map(|(id, webhook)| (id, webhook.name.to_string()))
            .collect())
    }

    /// Returns how many tasks send a webhook. All of them have its owner.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], failures of store and accounts.
    pub async fn count_tasks(&self, id: WebhookId) -> Result<u64, ManageError> {
        contain(async {
            let owner = self.own_record(RecordId::Webhook(id)).await?;
            let read = |page| async move {
                let query = TaskQuery {
                    scope: Scope::Owner(owner),
                    creator: None,
                    webhook: Some(id),
                    name: None,
                    page,
                };
                self.engine().list_tasks(&query).await
            };
            count(|row| row.id, read).await
        })
        .await
    }

    /// Returns the names of those of these tasks that the caller may see, by one read of the store.
    ///
    /// # Errors
    /// Failures of store and accounts.
    pub async fn task_names(
        &self,
        ids: impl IntoIterator<Item = TaskId>,
    ) -> Result<BTreeMap<TaskId, String>, ManageError> {
        let named = self.named_tasks(ids).await?.into_iter();
        Ok(named
            .filter_map(|(id, task)| Some((id, task.name?)))
            .collect())
    }

    /// Returns the same as [`task_names`](Self::task_names), with whether each is enabled.
    ///
    /// # Errors
    /// Failures of store and accounts.
    pub async fn named_tasks(
        &self,
        ids: impl IntoIterator<Item = TaskId>,
    ) -> Result<BTreeMap<TaskId, RecordHead>, ManageError> {
        let ids = distinct(ids);
        contain(async {
            let (mut named, mut authority) = (BTreeMap::new(), self.authority());
            for (id, task) in self.engine().named_tasks(&ids).await? {
                if authority.may_manage(task.owner).await? {
                    named.insert(id, task);
                }
            }
            Ok(named)
        })
        .await
    }

    /// Returns which of these tasks have a running delivery. Only the newest 1,000 such deliveries
    /// that the caller may see are read.
    ///
    /// # Errors
    /// Failures of store and accounts.
    pub async fn running_tasks(&self, among: &[TaskRow]) -> Result<HashSet<TaskId>, ManageError> {
        if among.is_empty() {
            return Ok(HashSet::new());
        }
        contain(async {
            let query = DeliveryQuery {
                states: vec![DeliveryState::Running],
                ..DeliveryQuery::all(Page::newest(MOST_RUNNING).with_bodies(Bodies::Omitted))
            };
            let running = self.visible_deliveries(&query).await?.rows;
            let running: HashSet<_> = running.iter().filter_map(|found| found.task).collect();
            let among = among.iter().map(|row| row.id);
            Ok(among.filter(|id| running.contains(id)).collect())
        })
        .await
    }

    /// Returns the time of the newest visible delivery for each of these tasks that the caller may
    /// see.
    ///
    /// # Errors
    /// Failures of store and accounts.
    pub async fn last_runs(
        &self,
        among: &[TaskRow],
    ) -> Result<BTreeMap<TaskId, DateTime<Utc>>, ManageError> {
        let own = self.named_tasks(among.iter().map(|row| row.id)).await?;
        let ids: Vec<TaskId> = own.into_keys().collect();
        contain(async { Ok(self.engine().last_runs(&ids).await?) }).await
    }

    /// Returns how many events run a task.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], failures of store and accounts.
    pub async fn count_events(&self, id: TaskId) -> Result<u64, ManageError> {
        contain(async {
            let owner = self.own_record(RecordId::Task(id)).await?;
            let read = |page| async move {
                let query = EventQuery {
                    scope: Scope::Owner(owner),
                    task: Some(id),
                    event_type: None,
                    page,
                };
                self.engine().list_events(&query).await
            };
            count(|row| row.id, read).await
        })
        .await
    }
}

fn distinct<I: Ord>(ids: impl IntoIterator<Item = I>) -> Vec<I> {
    let ids: BTreeSet<I> = ids.into_iter().collect();
    ids.into_iter().collect()
}
