//! Webhooks.

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{Cascade, WebhookQuery};
use gatepost_storage::{AtMost, Row};
use uuid::Uuid;
use webhook_model::{DeliveryOrder, Webhook, WebhookId};

use super::scope::scoped;
use super::statement::change;
use super::table::{Stored as _, cells, columns_of, params, row};
use crate::change::{Alone, KNOW, REVIVE, Words, most};
use crate::db::Param;
use crate::error::Result;
use crate::store::PostgresStore;

const DELETE: &str = change!("delete_webhook");
const WORDS: Words = Words {
    what: "webhook",
    taken: "the owner has a webhook of that name",
    reference: "webhook",
};

impl PostgresStore {
    pub(super) async fn add_webhook(
        &self,
        webhook: &Webhook,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Result<Row<WebhookId, Webhook>> {
        let fields = cells(webhook, self.sealing())?;
        let owner = Uuid::from(webhook.owner);
        let (rows, bytes) = (most(at_most.rows), most(at_most.bytes));
        let size = most(webhook.stored_bytes());
        let params = params(&[&now, &size, &rows, &bytes, &owner], &fields);
        let insert = &Webhook::table().insert;
        let alone = Alone {
            owners: vec![owner],
            ..Alone::default()
        };
        let known: [Param<'_>; 1] = [&owner];
        let mut answer = self
            .db()
            .change(&alone, Some((KNOW, &known)), (insert, &params))
            .await?;
        if answer.0 == "gone" {
            let revived = Some((REVIVE, &known[..]));
            answer = self.db().change(&alone, revived, (insert, &params)).await?;
        }
        WORDS.check(&answer.0)?;
        row(&answer.1, self.sealing())
    }

    pub(super) async fn find_webhook(
        &self,
        id: WebhookId,
    ) -> Result<Option<Row<WebhookId, Webhook>>> {
        let found = self.find::<Webhook>(id).await?;
        found.map(|found| row(&found, self.sealing())).transpose()
    }

    pub(super) async fn find_webhooks(
        &self,
        ids: &[WebhookId],
    ) -> Result<Vec<Row<WebhookId, Webhook>>> {
        let columns = columns_of::<Webhook>("r");
        let read = |found: &_| row(found, self.sealing());
        self.find_all::<Webhook, _>(&columns, ids.iter().copied(), read)
            .await
    }

    pub(super) async fn some_webhooks(
        &self,
        query: &WebhookQuery,
    ) -> Result<Vec<Row<WebhookId, Webhook>>> {
        let list =
            scoped(&Webhook::table().select, query.scope).filter("r.name =", query.name.clone());
        let read = |found: &_| row(found, self.sealing());
        list.readable(self.db(), &query.page, |id| id.0, read).await
    }

    pub(super) async fn change_webhook(
        &self,
        new: &Row<WebhookId, Webhook>,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Result<Row<WebhookId, Webhook>> {
        let fields = cells(&new.value, self.sealing())?;
        let (size, bytes) = (most(new.value.stored_bytes()), most(at_most.bytes));
        let params = params(&[&now, &size, &bytes, &new.id.0, &new.revision.0], &fields);
        let update = &Webhook::table().update;
        let (verdict, stored) = self
            .db()
            .change(&alone(new.id), None, (update, &params))
            .await?;
        WORDS.check(&verdict)?;
        let beside: Option<Vec<i64>> = stored.try_get("beside")?;
        if beside.is_none() && new.value.order == DeliveryOrder::InOrder {
            let revision = stored.try_get("revision")?;
            self.note_beside(new.id, revision).await;
        }
        if new.value.sends() {
            // What waited while it was not.
            self.notifier().webhook(new.id);
        }
        row(&stored, self.sealing())
    }

    pub(super) async fn remove_webhook(&self, id: WebhookId, cascade: Cascade) -> Result<()> {
        let tasks = cascade == Cascade::Tasks;
        let (verdict, _) = self
            .db()
            .change(&alone(id), None, (DELETE, &[&id.0, &tasks]))
            .await?;
        WORDS.check(&verdict)
    }
}

fn alone(id: WebhookId) -> Alone {
    Alone {
        webhooks: vec![id.0],
        ..Alone::default()
    }
}
