//! Webhooks and their columns. Authorization, headers and signing secrets are sealed.

use chrono::{DateTime, Utc};
use gatepost_storage::columns::{SealedSecrets, activity_word, parse_activity, parse_rate};
use gatepost_storage::seal::SealingKeys;
use gatepost_storage::webhooks::{Cascade, WebhookQuery};
use gatepost_storage::{ErrorKind, Revision, Row};
use tokio_postgres::types::ToSql;
use webhook_model::{DeliveryOrder, OwnerId, Retries, Timeout, Webhook, WebhookId};

use super::revision::missing_or_stale;
use crate::column::parse;
use crate::error::{Failure, Result};
use crate::list::List;
use crate::store::PostgresStore;

pub(super) const COLUMNS: &str = "id, revision, created, modified, owner, name, url, authorization_kind, authorization_data, headers, \
     allow_insecure, timeout_s, retries, activity, in_order, signing, rate FROM gatepost_webhook";

impl PostgresStore {
    pub(super) async fn add_webhook(
        &self,
        webhook: &Webhook,
        now: DateTime<Utc>,
    ) -> Result<Row<WebhookId, Webhook>> {
        let columns = Columns::of(webhook, self.sealing())?;
        let mut client = self.db().client().await?;
        let tx = client.transaction().await?;
        self.db().routes_changed(&tx).await?;
        let stored = tx
            .query_one(
                include_str!("../sql/records/insert_webhook.sql"),
                &columns.params(webhook, &now),
            )
            .await?;
        let stored = row(&stored, self.sealing())?;
        tx.commit().await?;
        Ok(stored)
    }

    pub(super) async fn find_webhook(
        &self,
        id: WebhookId,
    ) -> Result<Option<Row<WebhookId, Webhook>>> {
        let found = self
            .db()
            .query_opt(&format!("SELECT {COLUMNS} WHERE id = $1"), &[&id.0])
            .await?;
        found.map(|found| row(&found, self.sealing())).transpose()
    }

    pub(super) async fn some_webhooks(
        &self,
        query: &WebhookQuery,
    ) -> Result<Vec<Row<WebhookId, Webhook>>> {
        let list = List::of(COLUMNS)
            .filter("owner =", query.owner.map(|o| o.0))
            .filter("name =", query.name.clone());
        let rows = list.page(self.db(), &query.page, |id| id.0).await?;
        rows.iter().map(|r| row(r, self.sealing())).collect()
    }

    pub(super) async fn change_webhook(
        &self,
        new: &Row<WebhookId, Webhook>,
        now: DateTime<Utc>,
    ) -> Result<Row<WebhookId, Webhook>> {
        let columns = Columns::of(&new.value, self.sealing())?;
        let mut client = self.db().client().await?;
        let tx = client.transaction().await?;
        self.db().routes_changed(&tx).await?;
        let before = tx
            .query_opt(
                "SELECT in_order FROM gatepost_webhook WHERE id = $1 FOR UPDATE",
                &[&new.id.0],
            )
            .await?;
        let before: bool = before
            .ok_or_else(|| Failure::not_found("webhook"))?
            .try_get(0)?;
        let mut params = columns.params(&new.value, &now);
        params.extend([&new.id.0 as &(dyn ToSql + Sync), &new.revision.0]);
        let Some(stored) = tx
            .query_opt(include_str!("../sql/records/update_webhook.sql"), &params)
            .await?
        else {
            return Err(missing_or_stale(
                &tx,
                "SELECT FROM gatepost_webhook WHERE id = $1",
                new.id.0,
                "webhook",
            )
            .await);
        };
        if before != columns.in_order {
            tx.execute(
                "UPDATE gatepost_delivery SET in_order = $2 WHERE webhook = $1 AND state IN ('queued', 'running')",
                &[&new.id.0, &columns.in_order],
            )
            .await?;
        }
        let stored = row(&stored, self.sealing())?;
        tx.commit().await?;
        Ok(stored)
    }

    pub(super) async fn remove_webhook(&self, id: WebhookId, cascade: Cascade) -> Result<()> {
        let mut client = self.db().client().await?;
        let tx = client.transaction().await?;
        // Its log may be long.
        tx.batch_execute("SET LOCAL statement_timeout = 0").await?;
        self.db().routes_changed(&tx).await?;
        if tx
            .query_opt("SELECT FROM gatepost_webhook WHERE id = $1", &[&id.0])
            .await?
            .is_none()
        {
            return Err(Failure::not_found("webhook"));
        }
        let used: bool = tx
            .query_one(
                "SELECT EXISTS (SELECT FROM gatepost_task WHERE webhook = $1)",
                &[&id.0],
            )
            .await?
            .try_get(0)?;
        if used && cascade == Cascade::Refuse {
            return Err(Failure::new(ErrorKind::InUse, "a task sends this webhook"));
        }
        tx.execute("DELETE FROM gatepost_task WHERE webhook = $1", &[&id.0])
            .await?;
        // Locked first: a settlement that is under way ends before the attempts are looked for.
        tx.execute("SELECT count(*) FROM (SELECT FROM gatepost_delivery WHERE webhook = $1 FOR UPDATE) locked", &[&id.0]).await?;
        tx.execute("DELETE FROM gatepost_attempt a USING gatepost_delivery d WHERE d.webhook = $1 AND a.delivery = d.id", &[&id.0]).await?;
        tx.execute("DELETE FROM gatepost_delivery WHERE webhook = $1", &[&id.0])
            .await?;
        tx.execute("DELETE FROM gatepost_webhook WHERE id = $1", &[&id.0])
            .await?;
        Ok(tx.commit().await?)
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
    url: String,
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
            activity: activity_word(webhook.activity),
            name: webhook.name.to_string(),
            url: webhook.url.to_string(),
        })
    }

    fn params<'a>(
        &'a self,
        webhook: &'a Webhook,
        now: &'a DateTime<Utc>,
    ) -> Vec<&'a (dyn ToSql + Sync)> {
        vec![
            now,
            &webhook.owner.0,
            &self.name,
            &self.url,
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
        ]
    }
}

pub(super) fn row(
    row: &tokio_postgres::Row,
    keys: &SealingKeys,
) -> Result<Row<WebhookId, Webhook>> {
    let sealed = SealedSecrets {
        authorization: row.try_get("authorization_data")?,
        headers: row.try_get("headers")?,
        signing: row.try_get("signing")?,
    };
    let secrets = sealed.open(row.try_get("authorization_kind")?, keys)?;
    Ok(Row {
        id: WebhookId(row.try_get("id")?),
        revision: Revision(row.try_get("revision")?),
        created: row.try_get("created")?,
        modified: row.try_get("modified")?,
        value: Webhook {
            owner: OwnerId(row.try_get("owner")?),
            name: parse(row, "name")?,
            url: parse(row, "url")?,
            authorization: secrets.authorization,
            headers: secrets.headers,
            allow_insecure: row.try_get("allow_insecure")?,
            timeout: Timeout::from_secs(unsigned(row, "timeout_s")?)
                .map_err(|e| Failure::corrupt("webhook", e))?,
            retries: Retries::new(unsigned(row, "retries")?)
                .map_err(|e| Failure::corrupt("webhook", e))?,
            activity: parse_activity(row.try_get("activity")?)?,
            order: if row.try_get("in_order")? {
                DeliveryOrder::InOrder
            } else {
                DeliveryOrder::Unordered
            },
            signing: secrets.signing,
            rate: parse_rate(row.try_get("rate")?)?,
        },
    })
}

fn unsigned(row: &tokio_postgres::Row, column: &'static str) -> Result<u64> {
    u64::try_from(row.try_get::<_, i32>(column)?).map_err(|e| Failure::corrupt(column, e))
}
