//! Every field of a webhook.

use async_trait::async_trait;
use gatepost_storage::webhooks::WebhookQuery;
use gatepost_storage::{Page, Revision, Row, Scope};
use webhook_model::{OwnerId, Webhook, WebhookId};

use super::edits::{Table, prove, same};
use super::home::Home;
use crate::fields::{Field, of_webhook};
use crate::fixtures::{UNLIMITED, at, webhook_of};
use crate::harness::Webhooks;
use crate::outcome::Outcome;

type WebhookRow = Row<WebhookId, Webhook>;

struct Hooks(Webhooks);

/// Every field of a webhook is stored with it, separately and exactly. An edit of one field must
/// change that field and no other, and fields that no edit may change must stay, whatever the
/// caller passes. Every read must return the same, also when the store is opened again.
pub async fn f02_every_field_of_a_webhook_is_kept(place: Home) -> Outcome {
    let store = place.fresh().await;
    let table = Hooks(store);
    let rows = prove(&table).await;
    if let Some(store) = place.reopen(table.0).await {
        same(&Hooks(store), &rows).await;
    }
    Outcome::Held
}

#[async_trait]
impl Table for Hooks {
    type Row = WebhookRow;

    const CONTRACT_TEST: &'static str = "F2";

    fn fields(&self, base: &WebhookRow) -> Vec<Field<WebhookRow>> {
        of_webhook(base)
    }

    fn base(&self, number: i64) -> WebhookRow {
        let owner = OwnerId::try_from(number + 1).unwrap();
        Row {
            id: WebhookId(0),
            owner,
            revision: Revision::FIRST,
            created: at(number),
            modified: at(number),
            value: webhook_of(owner.0, &format!("w{number}")),
        }
    }

    async fn insert(&self, row: &WebhookRow) -> WebhookRow {
        let records = &self.0.records;
        let inserted = records.insert_webhook(&row.value, UNLIMITED, row.created);
        inserted.await.expect("F2 a new webhook is stored")
    }

    async fn update(&self, row: &WebhookRow, second: i64) -> WebhookRow {
        let records = &self.0.records;
        let updated = records.update_webhook(row, UNLIMITED, at(second)).await;
        updated.expect("F2 an edit is stored")
    }

    fn inserted(&self, asked: &mut WebhookRow, found: &WebhookRow) {
        (asked.id, asked.owner) = (found.id, asked.value.owner);
    }

    fn edited(&self, stored: &mut WebhookRow, second: i64) {
        stored.revision = stored.revision.next();
        stored.modified = at(second);
    }

    /// No call records use of a webhook.
    async fn used(&self, row: &WebhookRow) -> WebhookRow {
        row.clone()
    }

    async fn reads(&self, row: &WebhookRow) -> Vec<(&'static str, Option<WebhookRow>)> {
        let records = &self.0.records;
        let by_number = records.webhook(row.id).await.expect("F2 by number");
        let together = records.webhooks(&[row.id]).await;
        let query = WebhookQuery {
            scope: Scope::Owner(row.owner),
            name: None,
            page: Page::first(99),
        };
        let listed = records.list_webhooks(&query).await.expect("F2 listed");
        let of = |rows: Vec<WebhookRow>| rows.into_iter().find(|found| found.id == row.id);
        vec![
            ("by number", by_number),
            ("by numbers", of(together.expect("F2 by numbers"))),
            ("in a list", of(listed)),
        ]
    }
}
