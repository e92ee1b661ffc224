//! The sources of the row numbers of a list.

use gatepost_ids::{OwnerId, Realm, TenantId};
use gatepost_storage::Scope;
use gatepost_storage::webhooks::{DeliveryQuery, DeliveryState};
use rusqlite::Connection;
use rusqlite::types::Value;

use super::super::snapshot::Look;
use crate::column;
use crate::error::Result;
use crate::named::Named;
use crate::sql::{Sql as _, value};

/// The class of an attempt that the target accepted.
const OK: &str = "ok";

/// Row numbers in order.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// An explicit list.
    These(Vec<i64>),
    /// A range of an index, for one webhook, task or tenant.
    Index {
        index: Index,
        of: Option<Value>,
        /// Only numbers greater than this.
        beyond: i64,
    },
}

impl Source {
    pub(super) fn beyond(&self) -> i64 {
        match self {
            Self::These(_) => i64::MIN,
            Self::Index { beyond, .. } => *beyond,
        }
    }
}

macro_rules! indexes {
    ($($name:ident: $id:literal, $from:literal;)*) => {
        /// An index that lists row numbers.
        #[derive(Clone, Copy, Debug, Eq, PartialEq)]
        pub(crate) enum Index { $($name),* }

        impl Index {
            #[cfg(test)]
            pub(crate) const ALL: &[Self] = &[$(Self::$name),*];

            /// Returns the statement. `?1` and `?2` are the bounds, `?3` the limit, `?4` the value
            /// of the key.
            pub(crate) fn sql(self, descending: bool) -> &'static str {
                match (self, descending) {
                    $((Self::$name, false) => concat!("SELECT ", $id, " FROM ", $from, " ", $id, " BETWEEN ?1 AND ?2 ORDER BY ", $id, " LIMIT ?3"),
                    (Self::$name, true) => concat!("SELECT ", $id, " FROM ", $from, " ", $id, " BETWEEN ?1 AND ?2 ORDER BY ", $id, " DESC LIMIT ?3"),)*
                }
            }
        }
    };
}

indexes! {
    All: "id", "gatepost_delivery NOT INDEXED WHERE ?4 IS NULL AND";
    OfWebhook: "delivery", "gatepost_of_webhook WHERE webhook = ?4 AND";
    OfTask: "delivery", "gatepost_of_task WHERE task = ?4 AND";
    OfTenant: "delivery", "gatepost_of_tenant WHERE tenant = ?4 AND";
    NewOfWebhook: "id", "gatepost_delivery NOT INDEXED WHERE webhook = ?4 AND";
    NewOfTask: "id", "gatepost_delivery NOT INDEXED WHERE task = ?4 AND";
    NewOfTenant: "id", "gatepost_delivery NOT INDEXED WHERE tenant = ?4 AND";
    NewOfOwner: "d.id", "gatepost_delivery d NOT INDEXED CROSS JOIN gatepost_webhook w ON w.id = d.webhook WHERE w.owner = ?4 AND";
    Waiting: "id", "gatepost_queue NOT INDEXED WHERE ?4 IS NULL AND";
    WaitingOfWebhook: "id", "gatepost_queue INDEXED BY gatepost_queue_of_webhook WHERE webhook = ?4 AND";
    Errors: "delivery", "gatepost_outcome INDEXED BY gatepost_error WHERE state = 3 AND ?4 IS NULL AND";
    ErrorsOfWebhook: "delivery", "gatepost_outcome INDEXED BY gatepost_error_of_webhook WHERE state = 3 AND webhook = ?4 AND";
    ErrorsOfTask: "delivery", "gatepost_outcome INDEXED BY gatepost_error_of_task WHERE state = 3 AND task = ?4 AND";
    ErrorsOfTenant: "delivery", "gatepost_outcome INDEXED BY gatepost_error_of_tenant WHERE state = 3 AND tenant = ?4 AND";
}

/// Returns the sources that together contain all possible matches.
pub(super) fn of(look: &Look<'_>, query: &DeliveryQuery) -> Result<Vec<Source>> {
    let wants = |state| query.states.is_empty() || query.states.contains(&state);
    // An attempt of any other class was followed by another, or ended in an error.
    let failed = query.class.as_deref().is_some_and(|class| class != OK);
    let everything = wants(DeliveryState::Sent) && !failed;
    let by = By::of(look, query)?;
    let mut sources = Vec::new();
    if everything {
        by.deliveries(look, &mut sources);
        return Ok(sources);
    }
    if wants(DeliveryState::Error) || failed {
        by.errors(&mut sources);
    }
    if wants(DeliveryState::Queued) {
        by.waiting(look.c, &mut sources)?;
    }
    if wants(DeliveryState::Running) {
        sources.push(Source::These(look.claimed()?));
    }
    Ok(sources)
}

/// The key by which a list finds its rows.
#[derive(Clone, Debug)]
enum By {
    All,
    Webhook(i64),
    Owner(OwnerId, Vec<i64>),
    Task(i64),
    Tenant(TenantId),
}

impl By {
    fn of(look: &Look<'_>, query: &DeliveryQuery) -> Result<Self> {
        Ok(match (query.webhook, query.task, query.scope) {
            (Some(webhook), ..) => Self::Webhook(webhook.0),
            (_, Some(task), _) => Self::Task(task.0),
            (.., Scope::Owner(owner)) => Self::Owner(owner, webhooks_of(look.c, owner)?),
            (.., Scope::Tenant(tenant)) => Self::Tenant(tenant),
            (.., Scope::All) => Self::All,
        })
    }

    /// Adds the indexed deliveries, then those that are not indexed yet.
    fn deliveries(&self, look: &Look<'_>, sources: &mut Vec<Source>) {
        let new = |new, of| beyond(new, of, look.indexed);
        let of_webhook = |webhook: &i64| index(Index::OfWebhook, Some((*webhook).into()));
        match self {
            Self::All => sources.push(index(Index::All, None)),
            Self::Task(task) => {
                sources.push(index(Index::OfTask, Some((*task).into())));
                sources.push(new(Index::NewOfTask, (*task).into()));
            }
            Self::Tenant(tenant) => {
                sources.push(index(Index::OfTenant, Some(id(tenant.to_bytes()))));
                sources.push(new(Index::NewOfTenant, id(tenant.to_bytes())));
            }
            Self::Webhook(webhook) => {
                sources.push(of_webhook(webhook));
                sources.push(new(Index::NewOfWebhook, (*webhook).into()));
            }
            Self::Owner(owner, webhooks) => {
                sources.extend(webhooks.iter().map(of_webhook));
                sources.push(new(Index::NewOfOwner, id(owner.to_bytes())));
            }
        }
    }

    fn errors(&self, sources: &mut Vec<Source>) {
        let of_webhook = |webhook: &i64| index(Index::ErrorsOfWebhook, Some((*webhook).into()));
        match self {
            Self::All => sources.push(index(Index::Errors, None)),
            Self::Task(task) => sources.push(index(Index::ErrorsOfTask, Some((*task).into()))),
            Self::Tenant(tenant) => {
                sources.push(index(Index::ErrorsOfTenant, Some(id(tenant.to_bytes()))));
            }
            Self::Webhook(webhook) => sources.push(of_webhook(webhook)),
            Self::Owner(_, webhooks) => sources.extend(webhooks.iter().map(of_webhook)),
        }
    }

    /// Adds the waiting deliveries: the queue has an index by webhook only.
    fn waiting(&self, c: &Connection, sources: &mut Vec<Source>) -> Result<()> {
        let webhooks = match self {
            Self::All => None,
            Self::Webhook(webhook) => Some(vec![*webhook]),
            Self::Owner(_, webhooks) => Some(webhooks.clone()),
            Self::Task(task) => match owner_of_task(c, *task)? {
                Some(owner) => Some(webhooks_of(c, owner)?),
                None => None,
            },
            Self::Tenant(tenant) => Some(webhooks_in(c, *tenant)?),
        };
        match webhooks {
            None => sources.push(index(Index::Waiting, None)),
            Some(webhooks) => {
                let of = |webhook: i64| index(Index::WaitingOfWebhook, Some(webhook.into()));
                sources.extend(webhooks.into_iter().map(of));
            }
        }
        Ok(())
    }
}

/// Returns the sources of all deliveries of an owner.
pub(crate) fn of_owner(look: &Look<'_>, owner: OwnerId) -> Result<Vec<Source>> {
    let mut sources = Vec::new();
    By::Owner(owner, webhooks_of(look.c, owner)?).deliveries(look, &mut sources);
    Ok(sources)
}

fn beyond(index: Index, of: Value, beyond: i64) -> Source {
    Source::Index {
        index,
        of: Some(of),
        beyond,
    }
}

fn index(index: Index, of: Option<Value>) -> Source {
    Source::Index {
        index,
        of,
        beyond: i64::MIN,
    }
}

/// Returns the id of an owner or a tenant.
fn id(bytes: [u8; 16]) -> Value {
    bytes.to_vec().into()
}

fn webhooks_of(c: &Connection, owner: OwnerId) -> Result<Vec<i64>> {
    let sql = "SELECT id FROM gatepost_webhook INDEXED BY gatepost_webhook_of_owner WHERE owner = ?1 AND gone = 0";
    c.all(sql, [owner.to_bytes()], value)
}

/// Returns the webhooks of all owners who are in the tenant at present: waiting deliveries do not
/// move with an owner.
fn webhooks_in(c: &Connection, tenant: TenantId) -> Result<Vec<i64>> {
    let place = Realm::Tenant(tenant).to_string();
    c.all(sql!("log/webhooks_in"), [place], value)
}

fn owner_of_task(c: &Connection, task: i64) -> Result<Option<OwnerId>> {
    let sql = "SELECT owner FROM gatepost_task WHERE id = ?1";
    c.first(sql, [task], |row| column::owner(&Named::of(row), "owner"))
}
