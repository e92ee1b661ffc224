//! Data that are shown with a row: names, counts, and running tasks.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{
    DeliveryQuery, DeliveryState, EventQuery, RecordHead, RecordId, TaskQuery, TaskRow,
};
use gatepost_storage::{Bodies, Page, Scope};
use webhook_model::{TaskId, Webhook, WebhookId};

use crate::actor::Actor;
use crate::completion::{Answer, contain};
use crate::visible_rows::count;

/// The number of running deliveries that are read to find running tasks.
const MOST_RUNNING: u32 = 1000;

impl Actor {
    /// Returns those of these webhooks that the caller may see, by one read of the store.
    ///
    /// # Errors
    /// Failures of store and accounts.
    pub fn named_webhooks(
        &self,
        ids: impl IntoIterator<Item = WebhookId>,
    ) -> Answer<'_, BTreeMap<WebhookId, Webhook>> {
        self.webhooks_among(distinct(ids))
    }

    fn webhooks_among(&self, ids: Vec<WebhookId>) -> Answer<'_, BTreeMap<WebhookId, Webhook>> {
        contain(async move {
            let (mut found, mut authority) = (BTreeMap::new(), self.authority());
            for row in self.engine().webhooks(&ids).await? {
                if authority.may_manage(row.owner).await? {
                    found.insert(row.id, row.value);
                }
            }
            Ok(found)
        })
    }

    /// Returns the names of those of these webhooks that the caller may see, by one read of the
    /// store.
    ///
    /// # Errors
    /// Failures of store and accounts.
    pub fn webhook_names(
        &self,
        ids: impl IntoIterator<Item = WebhookId>,
    ) -> Answer<'_, BTreeMap<WebhookId, String>> {
        let found = self.named_webhooks(ids);
        Box::pin(async move {
            let found = found.await?.into_iter();
            let names = found.map(|(id, webhook)| (id, webhook.name.to_string()));
            Ok(names.collect())
        })
    }

    /// Returns how many tasks send a webhook. All of them have its owner.
    ///
    /// # Errors
    /// [`NotFound`](crate::ManageError::NotFound), failures of store and accounts.
    pub fn count_tasks(&self, id: WebhookId) -> Answer<'_, u64> {
        contain(async move {
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
    }

    /// Returns the names of those of these tasks that the caller may see, by one read of the store.
    ///
    /// # Errors
    /// Failures of store and accounts.
    pub fn task_names(
        &self,
        ids: impl IntoIterator<Item = TaskId>,
    ) -> Answer<'_, BTreeMap<TaskId, String>> {
        let named = self.named_tasks(ids);
        Box::pin(async move {
            let named = named.await?.into_iter();
            Ok(named
                .filter_map(|(id, task)| Some((id, task.name?)))
                .collect())
        })
    }

    /// Returns the same as [`task_names`](Self::task_names), with whether each is enabled.
    ///
    /// # Errors
    /// Failures of store and accounts.
    pub fn named_tasks(
        &self,
        ids: impl IntoIterator<Item = TaskId>,
    ) -> Answer<'_, BTreeMap<TaskId, RecordHead>> {
        self.tasks_among(distinct(ids))
    }

    fn tasks_among(&self, ids: Vec<TaskId>) -> Answer<'_, BTreeMap<TaskId, RecordHead>> {
        contain(async move {
            let (mut named, mut authority) = (BTreeMap::new(), self.authority());
            for (id, task) in self.engine().named_tasks(&ids).await? {
                if authority.may_manage(task.owner).await? {
                    named.insert(id, task);
                }
            }
            Ok(named)
        })
    }

    /// Returns which of these tasks have a running delivery. Only the newest 1,000 such deliveries
    /// that the caller may see are read.
    ///
    /// # Errors
    /// Failures of store and accounts.
    pub fn running_tasks<'a>(&'a self, among: &'a [TaskRow]) -> Answer<'a, HashSet<TaskId>> {
        Box::pin(async move {
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
        })
    }

    /// Returns the time of the newest visible delivery for each of these tasks that the caller may
    /// see.
    ///
    /// # Errors
    /// Failures of store and accounts.
    pub fn last_runs<'a>(
        &'a self,
        among: &'a [TaskRow],
    ) -> Answer<'a, BTreeMap<TaskId, DateTime<Utc>>> {
        Box::pin(async move {
            let own = self.named_tasks(among.iter().map(|row| row.id)).await?;
            let ids: Vec<TaskId> = own.into_keys().collect();
            contain(async { Ok(self.engine().last_runs(&ids).await?) }).await
        })
    }

    /// Returns how many events run a task.
    ///
    /// # Errors
    /// [`NotFound`](crate::ManageError::NotFound), failures of store and accounts.
    pub fn count_events(&self, id: TaskId) -> Answer<'_, u64> {
        contain(async move {
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
    }
}

fn distinct<I: Ord>(ids: impl IntoIterator<Item = I>) -> Vec<I> {
    let ids: BTreeSet<I> = ids.into_iter().collect();
    ids.into_iter().collect()
}
