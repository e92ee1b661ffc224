//! Webhooks.

use chrono::{DateTime, Utc};
use gatepost_storage::Row;
use gatepost_storage::webhooks::Cascade;
use webhook_model::{DeliveryOrder, Webhook, WebhookId};

use super::statement::change;
use super::table::{Stored as _, cells, params, row};
use crate::change::{Alone, most};
use crate::error::Result;
use crate::store::PostgresStore;

const DELETE: &str = change!("delete_webhook");

impl PostgresStore {
    pub(super) async fn change_webhook(
        &self,
        new: &Row<WebhookId, Webhook>,
        at_most: u64,
        now: DateTime<Utc>,
    ) -> Result<Row<WebhookId, Webhook>> {
        let fields = cells(&new.value, self.sealing())?;
        let (size, bytes) = (most(new.value.stored_bytes()), most(at_most));
        let params = params(&[&now, &size, &bytes, &new.id.0, &new.revision.0], &fields);
        let update = &Webhook::table().update;
        let (verdict, stored) = self
            .db()
            .change(&alone(new.id), None, (update, &params))
            .await?;
        Webhook::WORDS.check(&verdict)?;
        self.db().wait_for_writers().await?;
        let ordered_after: i64 = stored.try_get("ordered_after")?;
        if ordered_after < 0 && new.value.order == DeliveryOrder::InOrder {
            let revision = stored.try_get("revision")?;
            self.begin_order(new.id, revision).await;
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
        Webhook::WORDS.check(&verdict)?;
        self.db().wait_for_writers().await
    }
}

fn alone(id: WebhookId) -> Alone {
    Alone {
        webhooks: vec![id.0],
        ..Alone::default()
    }
}
