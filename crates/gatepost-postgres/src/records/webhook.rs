//! Webhooks and their columns. Authorization, headers and signing secrets are sealed.

use std::fmt::Display;
use std::str::FromStr;

use chrono::{DateTime, Utc};
use gatepost_storage::seal::SealingKeys;
use gatepost_storage::webhooks::{Cascade, WebhookQuery};
use gatepost_storage::{ErrorKind, Revision, Row};
use tokio_postgres::types::ToSql;
use webhook_model::{
    Activity, Authorization, AuthorizationKind, DeliveryOrder, Headers, OwnerId, RateLimit,
    Retries, SigningSecret, SigningSecrets, Timeout, Webhook, WebhookId,
};

use super::missing_or_stale;
use crate::PostgresStore;
use crate::error::{Failure, Result};
use crate::list::List;

pub(super) const COLUMNS: &str = "id, revision, created, modified, owner, name, url, authorization_kind, authorization_data, headers, \
     allow_insecure, timeout_s, retries, activity, in_order, signing, rate FROM gatepost_webhook";

const AUTHORIZATION: &str = "webhook.authorization";
const HEADERS: &str = "webhook.headers";
const SIGNING: &str = "webhook.signing";

impl PostgresStore {
    pub(super) async fn add_webhook(
        &self,
        webhook: &Webhook,
        now: DateTime<Utc>,
    ) -> Result<Row<WebhookId, Webhook>> {
        let columns = Columns::of(webhook, &self.inner.sealing)?;
        let mut client = self.db().client().await?;
        let tx = client.transaction().await?;
        self.routes_changed(&tx).await?;
        let stored = tx
            .query_one(
                include_str!("../sql/records/insert_webhook.sql"),
                &columns.params(webhook, &now),
            )
            .await?;
        let stored = row(&stored, &self.inner.sealing)?;
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
        found
            .map(|found| row(&found, &self.inner.sealing))
            .transpose()
    }

    pub(super) async fn some_webhooks(
        &self,
        query: &WebhookQuery,
    ) -> Result<Vec<Row<WebhookId, Webhook>>> {
        let list = List::of(COLUMNS)
            .filter("owner =", query.owner.map(|o| o.0))
            .filter("name =", query.name.clone());
        let rows = list.page(self.db(), &query.page, |id| id.0).await?;
        rows.iter().map(|r| row(r, &self.inner.sealing)).collect()
    }

    pub(super) async fn change_webhook(
        &self,
        new: &Row<WebhookId, Webhook>,
        now: DateTime<Utc>,
    ) -> Result<Row<WebhookId, Webhook>> {
        let columns = Columns::of(&new.value, &self.inner.sealing)?;
        let mut client = self.db().client().await?;
        let tx = client.transaction().await?;
        self.routes_changed(&tx).await?;
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
        let stored = row(&stored, &self.inner.sealing)?;
        tx.commit().await?;
        Ok(stored)
    }

    pub(super) async fn remove_webhook(&self, id: WebhookId, cascade: Cascade) -> Result<()> {
        let mut client = self.db().client().await?;
        let tx = client.transaction().await?;
        // Its log may be long.
        tx.batch_execute("SET LOCAL statement_timeout = 0").await?;
        self.routes_changed(&tx).await?;
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
    authorization: Option<Vec<u8>>,
    headers: Vec<u8>,
    signing: Vec<u8>,
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
        let seal = |text: &str, context| {
            keys.seal(text.as_bytes(), context)
                .map_err(|_| Failure::new(ErrorKind::Invalid, "a secret is too long to seal"))
        };
        let secret = webhook.authorization.secret_text();
        let signing: Vec<&str> = webhook.signing.iter().map(SigningSecret::expose).collect();
        let number = |n: u64| {
            i32::try_from(n).map_err(|_| Failure::new(ErrorKind::Invalid, "a number is too large"))
        };
        Ok(Self {
            authorization: secret
                .map(|s| seal(s.expose(), AUTHORIZATION))
                .transpose()?,
            headers: seal(&webhook.headers.to_string(), HEADERS)?,
            signing: seal(&signing.join("\n"), SIGNING)?,
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
            &self.authorization,
            &self.headers,
            &webhook.allow_insecure,
            &self.timeout,
            &self.retries,
            &self.activity,
            &self.in_order,
            &self.signing,
            &self.rate,
        ]
    }
}

pub(super) fn row(
    row: &tokio_postgres::Row,
    keys: &SealingKeys,
) -> Result<Row<WebhookId, Webhook>> {
    let open = |sealed: &[u8], context: &'static str| -> Result<zeroize::Zeroizing<String>> {
        let clear = keys
            .open(sealed, context)
            .map_err(|e| Failure::corrupt(context, e))?;
        let text = std::str::from_utf8(&clear).map_err(|e| Failure::corrupt(context, e))?;
        Ok(zeroize::Zeroizing::new(text.to_owned()))
    };
    let kind = AuthorizationKind::parse(row.try_get("authorization_kind")?)
        .map_err(|e| Failure::corrupt(AUTHORIZATION, e))?;
    let secret = row
        .try_get::<_, Option<&[u8]>>("authorization_data")?
        .map(|sealed| open(sealed, AUTHORIZATION))
        .transpose()?;
    let headers = open(row.try_get("headers")?, HEADERS)?;
    let signing = open(row.try_get("signing")?, SIGNING)?;
    let signing = signing
        .lines()
        .map(SigningSecret::parse)
        .collect::<std::result::Result<_, _>>()
        .map_err(|e| Failure::corrupt(SIGNING, e))?;
    Ok(Row {
        id: WebhookId(row.try_get("id")?),
        revision: Revision(row.try_get("revision")?),
        created: row.try_get("created")?,
        modified: row.try_get("modified")?,
        value: Webhook {
            owner: OwnerId(row.try_get("owner")?),
            name: parse(row, "name")?,
            url: parse(row, "url")?,
            authorization: Authorization::from_parts(kind, secret.as_ref().map(|s| s.as_str()))
                .map_err(|e| Failure::corrupt(AUTHORIZATION, e))?,
            headers: Headers::parse_lines(&headers).map_err(|e| Failure::corrupt(HEADERS, e))?,
            allow_insecure: row.try_get("allow_insecure")?,
            timeout: Timeout::from_secs(unsigned(row, "timeout_s")?)
                .map_err(|e| Failure::corrupt("webhook", e))?,
            retries: Retries::new(unsigned(row, "retries")?)
                .map_err(|e| Failure::corrupt("webhook", e))?,
            activity: activity(row.try_get("activity")?)?,
            order: if row.try_get("in_order")? {
                DeliveryOrder::InOrder
            } else {
                DeliveryOrder::Unordered
            },
            signing: SigningSecrets::new(signing).map_err(|e| Failure::corrupt(SIGNING, e))?,
            rate: rate(row.try_get("rate")?)?,
        },
    })
}

/// A column of text as what it stands for.
pub(super) fn parse<T: FromStr<Err: Display>>(
    row: &tokio_postgres::Row,
    column: &'static str,
) -> Result<T> {
    row.try_get::<_, &str>(column)?
        .parse()
        .map_err(|e| Failure::corrupt(column, e))
}

fn unsigned(row: &tokio_postgres::Row, column: &'static str) -> Result<u64> {
    u64::try_from(row.try_get::<_, i32>(column)?).map_err(|e| Failure::corrupt(column, e))
}

fn rate(stored: Option<i64>) -> Result<Option<RateLimit>> {
    stored
        .map(|n| {
            let n = u32::try_from(n).map_err(|e| Failure::corrupt("rate", e))?;
            RateLimit::per_second(n).map_err(|e| Failure::corrupt("rate", e))
        })
        .transpose()
}

fn activity_word(activity: Activity) -> &'static str {
    match activity {
        Activity::Active => "active",
        Activity::Paused => "paused",
        Activity::Disabled => "disabled",
    }
}

fn activity(word: &str) -> Result<Activity> {
    [Activity::Active, Activity::Paused, Activity::Disabled]
        .into_iter()
        .find(|a| activity_word(*a) == word)
        .ok_or_else(|| Failure::corrupt("activity", "unknown word"))
}
