//! The sources of deliveries: each returns ids in order, by its own index.

use gatepost_storage::webhooks::{DeliveryQuery, DeliveryState};
use gatepost_storage::{Order, Scope};
use tokio_postgres::types::ToSql;
use uuid::Uuid;

/// Ids come in order from an index that begins with the key. Without this setting the planner would
/// walk the index of ids and sort the rows of the key: for ranges that are not known yet, it
/// expects few rows.
pub(super) const BEGIN: &str =
    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL enable_sort = off";
/// The class of an attempt that succeeded.
const OK: &str = "ok";
const MARKED: &str = "(SELECT q.marked FROM :schema.gatepost_queue q WHERE q.id = d.id)";

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Source {
    /// The log, with this part of the waiting deliveries.
    Log { waiting: Waiting },
    /// Waiting deliveries; if `marked`, only those with outcomes.
    Queue { marked: bool },
    /// Running deliveries, and some that have just ended.
    Running,
    /// Deliveries that ended in `error` at any time.
    Failed,
    /// Sent deliveries whose last attempt did not end with `ok`.
    Odd,
}

/// The part of the waiting deliveries that a query may match.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Waiting {
    All,
    /// Deliveries with outcomes: only those have a class.
    Marked,
    None,
}

/// The narrowest of the filters that have an index.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Key {
    Webhook(i64),
    Task(i64),
    Owner(Uuid),
    Tenant(Uuid),
    All,
}

impl Key {
    pub(super) fn of(query: &DeliveryQuery) -> Self {
        match (query.webhook, query.task, query.scope) {
            (Some(webhook), ..) => Self::Webhook(webhook.0),
            (_, Some(task), _) => Self::Task(task.0),
            (_, _, Scope::Owner(owner)) => Self::Owner(owner.into()),
            (_, _, Scope::Tenant(tenant)) => Self::Tenant(tenant.into()),
            (_, _, Scope::All) => Self::All,
        }
    }

    pub(super) fn value(&self) -> Option<&(dyn ToSql + Sync)> {
        match self {
            Self::Webhook(id) | Self::Task(id) => Some(id),
            Self::Owner(id) | Self::Tenant(id) => Some(id),
            Self::All => None,
        }
    }

    /// Returns the parameter of the value, with its type.
    fn parameter(self) -> &'static str {
        match self {
            Self::Webhook(_) | Self::Task(_) | Self::All => "$4::bigint",
            Self::Owner(_) | Self::Tenant(_) => "$4::uuid",
        }
    }

    fn column(self) -> Option<&'static str> {
        match self {
            Self::Webhook(_) => Some("webhook"),
            Self::Task(_) => Some("task"),
            Self::Owner(_) => Some("owner"),
            Self::Tenant(_) => Some("tenant"),
            Self::All => None,
        }
    }
}

/// Returns the sources that together contain all requested deliveries: the log, if there is no
/// filter by state or it includes sent deliveries; otherwise the source of each state. Failed
/// deliveries are rare in the log.
pub(super) fn sources(query: &DeliveryQuery) -> Vec<Source> {
    let states = &query.states;
    let class = query.class.as_deref();
    let odd = class.is_some_and(|class| !class.is_empty() && class != OK);
    let asked = |state| states.is_empty() || states.contains(&state);
    if asked(DeliveryState::Sent) && !odd {
        let waiting = match (asked(DeliveryState::Queued), class) {
            (false, _) => Waiting::None,
            (true, None | Some("")) => Waiting::All,
            (true, Some(_)) => Waiting::Marked,
        };
        return vec![Source::Log { waiting }];
    }
    let all = [
        (DeliveryState::Queued, Source::Queue { marked: odd }),
        (DeliveryState::Running, Source::Running),
        (DeliveryState::Sent, Source::Odd),
        (DeliveryState::Error, Source::Failed),
    ];
    let all = all.into_iter().filter(|(state, _)| asked(*state));
    all.map(|(_, source)| source).collect()
}

impl Source {
    /// Returns the statement. `$1` is the first id, `$2` the id after the last, `$3` the limit,
    /// `$4` the key, except for `All`.
    pub(super) fn sql(self, key: Key, order: Order) -> String {
        let direction = match order {
            Order::Ascending => "ASC",
            Order::Descending => "DESC",
        };
        let cut = |id: &str| format!("ORDER BY {id} {direction} LIMIT $3");
        let within = |id: &str| format!("{id} >= $1 AND {id} < $2");
        match self {
            Self::Log { waiting } => {
                let of = match waiting {
                    Waiting::All => String::new(),
                    Waiting::Marked => format!(" AND {MARKED} IS NOT FALSE"),
                    Waiting::None => format!(" AND {MARKED} IS NULL"),
                };
                both(key, ("delivery", "id"), &of, direction)
            }
            Self::Failed => both(key, ("outcome", "delivery"), " AND d.state = 3", direction),
            Self::Odd => {
                let of = format!(" AND d.state = 2 AND d.class <> 'ok'{}", key.unused());
                both(Key::All, ("outcome", "delivery"), &of, direction)
            }
            Self::Running => format!(
                "SELECT DISTINCT u.id FROM :schema.gatepost_running g CROSS JOIN LATERAL unnest(g.ids) AS u (id) WHERE {}{} {}",
                within("u.id"),
                key.unused(),
                cut("u.id")
            ),
            Self::Queue { marked } => {
                let marked = if marked { " AND q.marked" } else { "" };
                let rows = format!(
                    "SELECT q.id FROM :schema.gatepost_queue q WHERE {}{marked}",
                    within("q.id")
                );
                let of = |webhook: &str| {
                    format!(
                        "{rows} AND q.webhook = ANY (ARRAY[{webhook}]) ORDER BY q.webhook {direction}, q.id {direction} LIMIT $3"
                    )
                };
                match key {
                    Key::Webhook(_) => of("$4::bigint"),
                    Key::Owner(_) | Key::Tenant(_) => format!(
                        "SELECT q.id FROM :schema.gatepost_webhook v CROSS JOIN LATERAL ({}) q WHERE {} {}",
                        of("v.id"),
                        key.of_webhooks(),
                        cut("q.id")
                    ),
                    // Only the log knows the task of a waiting delivery.
                    Key::Task(_) => {
                        let log = Self::Log {
                            waiting: Waiting::All,
                        };
                        log.sql(key, order)
                    }
                    Key::All => format!("{rows} {}", cut("q.id")),
                }
            }
        }
    }
}

impl Key {
    /// Returns the condition for the rows of this key, and their order within a range of ids. The
    /// condition is an array of one value: with equality the order by id would be sufficient
    /// without a sort, and the planner would walk the index of ids in search of the rows of a key
    /// that has none.
    fn rows(self, id: &str, direction: &str) -> (String, String) {
        let by_id = format!("d.{id} {direction}");
        match self.column() {
            Some(column) => (
                format!(" AND d.{column} = ANY (ARRAY[{}])", self.parameter()),
                format!("d.{column} {direction}, {by_id}"),
            ),
            None => (String::new(), by_id),
        }
    }

    /// Returns a condition that gives the parameter a type: it needs one even if it is unused.
    fn unused(self) -> String {
        match self {
            Self::All => String::new(),
            _ => format!(" AND {} IS NOT NULL", self.parameter()),
        }
    }

    /// Returns the condition for webhooks. An owner who moved has deliveries in the former tenant.
    fn of_webhooks(self) -> &'static str {
        match self {
            Self::Tenant(_) => {
                "v.owner IN (SELECT t.owner FROM :schema.gatepost_owner t WHERE t.tenant = $4 \
                 UNION SELECT t.owner FROM :schema.gatepost_owner t WHERE t.moving IS NOT NULL \
                 UNION SELECT t.owner FROM :schema.gatepost_owner t WHERE t.left_tenants @> ARRAY[$4::uuid] AND t.left_tenants <> '{}' \
                 UNION SELECT t.owner FROM :schema.gatepost_owner t WHERE t.left_tenants IS NULL)"
            }
            _ => "v.owner = $4",
        }
    }
}

/// Reads the partitions, and the deliveries that had not ended when their partition was dropped.
fn both(key: Key, (table, id): (&str, &str), of: &str, direction: &str) -> String {
    let (own, order) = key.rows(id, direction);
    let from = |name: String| {
        format!(
            "(SELECT d.{id} AS id FROM {name} d WHERE d.{id} >= $1 AND d.{id} < $2{own}{of} ORDER BY {order} LIMIT $3)"
        )
    };
    format!(
        "SELECT c.id FROM ({} UNION ALL {}) c ORDER BY c.id {direction} LIMIT $3",
        from(format!(":schema.gatepost_{table}")),
        from(format!(":schema.gatepost_{table}_old"))
    )
}
