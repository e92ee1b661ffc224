//! Webhooks and their columns.

use chrono::{DateTime, Utc};
use gatepost_storage::columns::{
    SealedSecrets, activity_word, parse_activity, parse_channels, parse_rate, parse_retry_schedule,
    retry_schedule_text,
};
use gatepost_storage::seal::SealingKeys;
use gatepost_storage::webhooks::{Cascade, WebhookQuery};
use gatepost_storage::{AtMost, ErrorKind, Revision, Row};
use tokio_postgres::types::ToSql;
use uuid::Uuid;
use webhook_model::{DeliveryOrder, Retries, Timeout, Webhook, WebhookId, WebhookName};

use super::scope::scoped;
use super::statement::change;
use crate::change::{Alone, KNOW, REVIVE, Words, most};
use crate::column::{owner, stored};
use crate::error::{Failure, Result};
use crate::store::PostgresStore;

/// What is read of a webhook that is there.
pub(super) const SELECT: &str = "r.id, r.revision, r.created, r.modified, r.owner, r.name, r.url, r.authorization_kind, \
     r.authorization_data, r.headers, r.allow_insecure, r.timeout_s, r.retries, r.activity, r.in_order, r.signing, r.rate, r.channels, r.retry_schedule, \
     r.client_identity \
     FROM :schema.gatepost_webhook r JOIN :schema.gatepost_owner o ON o.owner = r.owner AND NOT o.gone WHERE NOT r.gone";

const INSERT: &str = change!("insert_webhook");
const UPDATE: &str = change!("update_webhook");
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
        let columns = Columns::of(webhook, self.sealing())?;
        let owner = Uuid::from(webhook.owner);
        let (rows, bytes) = (most(at_most.rows), most(at_most.bytes));
        let size = most(webhook.stored_bytes());
        let mut params: Vec<&(dyn ToSql + Sync)> = vec![&now, &owner];
        params.extend(columns.params(webhook));
        params.extend([&size as &(dyn ToSql + Sync), &rows, &bytes]);
        let alone = Alone {
            owners: vec![owner],
            ..Alone::default()
        };
        let known: [&(dyn ToSql + Sync); 1] = [&owner];
        let mut answer = self
            .db()
            .change(&alone, Some((KNOW, &known)), (INSERT, &params))
            .await?;
        if answer.0 == "gone" {
            let revived = Some((REVIVE, &known[..]));
            answer = self.db().change(&alone, revived, (INSERT, &params)).await?;
        }
        WORDS.check(&answer.0)?;
        row(&answer.1, self.sealing())
    }

    pub(super) async fn find_webhook(
        &self,
        id: WebhookId,
    ) -> Result<Option<Row<WebhookId, Webhook>>> {
        let found = self
            .db()
            .query_opt(&format!("SELECT {SELECT} AND r.id = $1"), &[&id.0])
            .await?;
        found.map(|found| row(&found, self.sealing())).transpose()
    }

    pub(super) async fn find_webhooks(
        &self,
        ids: &[WebhookId],
    ) -> Result<Vec<Row<WebhookId, Webhook>>> {
        let ids: Vec<i64> = ids.iter().map(|id| id.0).collect();
        let found = self
            .db()
            .query(
                &format!("SELECT {SELECT} AND r.id = ANY ($1) ORDER BY r.id"),
                &[&ids],
            )
            .await?;
        let rows = found.iter().map(|found| row(found, self.sealing()));
        rows.filter(|row| !matches!(row, Err(failure) if failure.is_corrupt()))
            .collect()
    }

    pub(super) async fn some_webhooks(
        &self,
        query: &WebhookQuery,
    ) -> Result<Vec<Row<WebhookId, Webhook>>> {
        let list = scoped(SELECT, query.scope).filter("r.name =", query.name.clone());
        let read = |found: &_| row(found, self.sealing());
        list.readable(self.db(), &query.page, |id| id.0, read).await
    }

    pub(super) async fn change_webhook(
        &self,
        new: &Row<WebhookId, Webhook>,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Result<Row<WebhookId, Webhook>> {
        let columns = Columns::of(&new.value, self.sealing())?;
        let (size, bytes) = (most(new.value.stored_bytes()), most(at_most.bytes));
        let mut params: Vec<&(dyn ToSql + Sync)> = vec![&now];
        params.extend(columns.params(&new.value));
        params.extend([
            &size as &(dyn ToSql + Sync),
            &bytes,
            &new.id.0,
            &new.revision.0,
        ]);
        let (verdict, stored) = self
            .db()
            .change(&alone(new.id), None, (UPDATE, &params))
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

/// What is stored of a webhook in another form than it has.
struct Columns {
    sealed: SealedSecrets,
    timeout: i32,
    retries: i32,
    in_order: bool,
    rate: Option<i64>,
    kind: &'static str,
    activity: &'static str,
    name: String,
    channels: String,
    retry_schedule: String,
}

impl Columns {
    fn of(webhook: &Webhook, keys: &SealingKeys) -> Result<Self> {
        let number = |n: u64| {
            i32::try_from(n).map_err(|_| Failure::new(ErrorKind::Invalid, "a number is too large"))
        };
        Ok(Self {
            sealed: SealedSecrets::seal(webhook, keys)?,
            timeout: number(webhook.timeout.as_secs())?,
            retries: number(webhook.retries.get().into())?,
            in_order: webhook.order == DeliveryOrder::InOrder,
            rate: webhook.rate.map(|r| r.get().get().into()),
            kind: webhook.authorization.kind().as_str(),
            activity: activity_word(webhook.activity, webhook.mode),
            name: webhook.name.to_string(),
            channels: webhook.channels.to_string(),
            retry_schedule: retry_schedule_text(webhook.retry_schedule.as_ref()),
        })
    }

    fn params<'a>(&'a self, webhook: &'a Webhook) -> [&'a (dyn ToSql + Sync); 15] {
        [
            &self.name,
            &self.sealed.url,
            &self.kind,
            &self.sealed.authorization,
            &self.sealed.headers,
            &webhook.allow_insecure,
            &self.timeout,
            &self.retries,
            &self.activity,
            &self.in_order,
            &self.sealed.signing,
            &self.rate,
            &self.channels,
            &self.retry_schedule,
            &self.sealed.client_identity,
        ]
    }
}

pub(super) fn row(
    row: &tokio_postgres::Row,
    keys: &SealingKeys,
) -> Result<Row<WebhookId, Webhook>> {
    let sealed = SealedSecrets {
        url: row.try_get("url")?,
        authorization: row.try_get("authorization_data")?,
        client_identity: row.try_get("client_identity")?,
        headers: row.try_get("headers")?,
        signing: row.try_get("signing")?,
    };
    let secrets = sealed.open(row.try_get("authorization_kind")?, keys)?;
    let (activity, mode) = parse_activity(row.try_get("activity")?)?;
    Ok(Row {
        id: WebhookId(row.try_get("id")?),
        revision: Revision(row.try_get("revision")?),
        created: row.try_get("created")?,
        modified: row.try_get("modified")?,
        owner: owner(row, "owner")?,
        value: Webhook {
            owner: owner(row, "owner")?,
            name: stored(row, "name", WebhookName::stored)?,
            url: secrets.url,
            authorization: secrets.authorization,
            client_identity: secrets.client_identity,
            headers: secrets.headers,
            allow_insecure: row.try_get("allow_insecure")?,
            timeout: Timeout::from_secs(unsigned(row, "timeout_s")?)
                .map_err(|e| Failure::corrupt("webhook", e))?,
            retries: Retries::new(unsigned(row, "retries")?)
                .map_err(|e| Failure::corrupt("webhook", e))?,
            retry_schedule: parse_retry_schedule(row.try_get("retry_schedule")?)?,
            activity,
            mode,
            order: if row.try_get("in_order")? {
                DeliveryOrder::InOrder
            } else {
                DeliveryOrder::Unordered
            },
            signing: secrets.signing,
            rate: parse_rate(row.try_get("rate")?)?,
            channels: parse_channels(row.try_get("channels")?)?,
        },
    })
}

fn unsigned(row: &tokio_postgres::Row, column: &'static str) -> Result<u64> {
    u64::try_from(row.try_get::<_, i32>(column)?).map_err(|e| Failure::corrupt(column, e))
}
