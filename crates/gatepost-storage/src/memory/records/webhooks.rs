//! Webhooks in memory.

use chrono::{DateTime, Utc};
use webhook_model::{Webhook, WebhookId};

use super::super::record_table::{Records, WebhookRow};
use super::super::rows::{page, page_of};
use super::super::store::Tables;
use crate::error::{ErrorKind, StoreError};
use crate::owners::RecordUsage;
use crate::page::Row;
use crate::webhooks::{Cascade, RecordId, WebhookQuery};

impl Tables {
    pub(super) fn insert_webhook(
        &mut self,
        webhook: Webhook,
        at_most: &RecordUsage,
        now: DateTime<Utc>,
    ) -> Result<WebhookRow, StoreError> {
        let owner = webhook.owner;
        let mut row = Row::inserted(WebhookId(0), owner, webhook, now);
        check_name(&self.records, &row)?;
        self.check_room(owner, |u| u.webhooks, row.value.stored_bytes(), at_most)?;
        row.id = WebhookId(self.records.ids.webhooks.next());
        self.owners.has_something(owner);
        self.records.put_webhook(row.clone());
        self.records_changed([owner; 2], &[RecordId::Webhook(row.id)]);
        Ok(row)
    }

    pub(super) fn list_webhooks(&self, query: &WebhookQuery) -> Vec<WebhookRow> {
        let records = &self.records;
        let wanted = |row: &WebhookRow| {
            let name = query.name.as_ref();
            name.is_none_or(|name| row.value.name.as_str() == name)
        };
        let found = match self.owners.of(query.scope) {
            None => page(&records.webhooks, &query.page, wanted),
            Some(owners) => page_of(
                &records.webhooks,
                (&records.owned.webhooks, &owners),
                &query.page,
                wanted,
            ),
        };
        found.into_iter().cloned().collect()
    }

    pub(super) fn update_webhook(
        &mut self,
        row: &WebhookRow,
        at_most: u64,
        now: DateTime<Utc>,
    ) -> Result<WebhookRow, StoreError> {
        let stored = self.records.webhooks.get(&row.id);
        let stored = stored.ok_or_else(|| StoreError::not_found("webhook"))?;
        let mut new = stored.edited_by(row, stored.owner, now)?;
        new.value.owner = stored.owner;
        check_name(&self.records, &new)?;
        let bytes = (stored.value.stored_bytes(), new.value.stored_bytes());
        self.check_growth(new.owner, bytes, at_most)?;
        self.records.put_webhook(new.clone());
        self.records_changed([new.owner; 2], &[RecordId::Webhook(new.id)]);
        Ok(new)
    }

    pub(super) fn delete_webhook(
        &mut self,
        id: WebhookId,
        cascade: Cascade,
    ) -> Result<(), StoreError> {
        if !self.records.webhooks.contains_key(&id) {
            return Err(StoreError::not_found("webhook"));
        }
        if cascade == Cascade::Refuse && self.records.tasks_of.count(id) > 0 {
            return Err(StoreError::new(
                ErrorKind::InUse,
                "a task sends this webhook",
            ));
        }
        if let Some(row) = self.records.drop_webhook(id) {
            self.deliveries.webhook_is_gone(id);
            self.records_changed([row.owner; 2], &[RecordId::Webhook(id)]);
        }
        Ok(())
    }
}

fn check_name(records: &Records, row: &WebhookRow) -> Result<(), StoreError> {
    if records.name_taken(row) {
        return Err(StoreError::new(
            ErrorKind::Conflict,
            "the owner has a webhook of that name",
        ));
    }
    Ok(())
}
