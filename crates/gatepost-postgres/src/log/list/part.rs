//! The parts of that statement: each finds the ids of a page among the rows that it knows, with all
//! filters.

use gatepost_storage::webhooks::DeliveryState;

use super::ids::Filters;

/// What is there: neither its webhook nor its owner is gone.
const THERE: &str = "JOIN gatepost_webhook w ON w.id = r.webhook AND NOT w.gone \
    JOIN gatepost_owner o ON o.owner = r.owner AND NOT o.gone";
/// The deliveries that run: under a token that has no outcome.
const RUNNING: &str = "SELECT u.delivery FROM gatepost_running g CROSS JOIN LATERAL unnest(g.ids) AS u (delivery) \
    WHERE u.delivery IS NOT NULL AND (SELECT e.token FROM gatepost_outcome_all e WHERE e.delivery = u.delivery AND e.token = g.id) IS NULL";
const WAITS: &str = "(SELECT q.id FROM gatepost_queue q WHERE q.id = r.id) IS NOT NULL";

/// Where ids are found.
#[derive(Clone, Debug)]
pub(super) enum Part {
    /// The log, with what is in one of these states; all for none. Of one webhook without what
    /// waits or runs below its floor.
    Walk(Vec<DeliveryState>),
    /// What waits; only that below the floor of the one webhook that is asked for, if `hidden`.
    Queued { hidden: bool },
    /// What runs; as `Queued`.
    Running { hidden: bool },
    /// What ended in `error`.
    Failed,
    /// What was sent, though its last attempt did not end with `ok`.
    Odd,
}

impl Part {
    pub(super) fn sql(&self, f: &Filters) -> String {
        let (direction, limit) = (f.direction, f.limit);
        let (from, id) = match self {
            Self::Walk(states) => (walk(f, states), "r.id"),
            Self::Queued { hidden } => (queued(f, *hidden), "q.id"),
            Self::Running { hidden } => (running(f, *hidden), "r.id"),
            Self::Failed => (ended(f, 3, ""), "e.delivery"),
            Self::Odd => (ended(f, 2, " AND e.class <> 'ok'"), "e.delivery"),
        };
        format!("(SELECT {id} AS id FROM {from} ORDER BY {id} {direction} LIMIT {limit})")
    }
}

fn walk(f: &Filters, states: &[DeliveryState]) -> String {
    let open = format!("({WAITS} OR r.id IN ({RUNNING}))");
    let shown = match &f.webhook {
        Some(webhook) => format!(
            "r.id > {} AND (r.created >= k.created_before OR {open})",
            floor(webhook)
        ),
        None => format!("(r.id > w.floor AND r.created >= k.created_before OR {open})"),
    };
    let any: Vec<String> = states.iter().map(|state| is(*state)).collect();
    let state = match any.as_slice() {
        [] => String::new(),
        any => format!(" AND ({})", any.join(" OR ")),
    };
    format!(
        "gatepost_delivery_all r {THERE} CROSS JOIN gatepost_kept k WHERE {shown}{state}{}",
        f.of_rows("r.id")
    )
}

fn is(state: DeliveryState) -> String {
    match state {
        DeliveryState::Queued => WAITS.to_owned(),
        DeliveryState::Running => format!("r.id IN ({RUNNING})"),
        DeliveryState::Sent => format!("{} = 2", last("state")),
        DeliveryState::Error => format!("{} = 3", last("state")),
    }
}

/// Of an owner or a tenant webhook by webhook: others may have much more that waits. Who moves has
/// deliveries in the tenant that was left.
fn queued(f: &Filters, hidden: bool) -> String {
    let beyond = below(f, hidden, "q.id");
    let rows = format!(
        "gatepost_queue q JOIN gatepost_delivery_all r ON r.id = q.id {THERE} WHERE true{beyond}{}",
        f.of_rows("q.id")
    );
    let whose = match (&f.webhook, &f.owner, &f.tenant) {
        (None, Some(owner), _) => format!("v.owner = {owner}"),
        (None, None, Some(tenant)) => format!(
            "v.owner IN (SELECT t.owner FROM gatepost_owner t WHERE t.tenant = {tenant} \
             UNION SELECT t.owner FROM gatepost_owner t WHERE t.moving IS NOT NULL)"
        ),
        (Some(webhook), ..) => return format!("{rows} AND q.webhook = {webhook}"),
        (None, None, None) if f.task.is_some() => {
            return format!(
                "gatepost_delivery_all r {THERE} CROSS JOIN LATERAL (SELECT r.id) q \
                 WHERE r.id >= (SELECT min(m.id) FROM gatepost_queue m) AND {WAITS}{}",
                f.of_rows("r.id")
            );
        }
        (None, None, None) => return rows,
    };
    let (direction, limit) = (f.direction, f.limit);
    format!(
        "gatepost_webhook v CROSS JOIN LATERAL (SELECT q.id FROM {rows} AND q.webhook = v.id ORDER BY q.id {direction} LIMIT {limit}) q \
         WHERE {whose}"
    )
}

fn running(f: &Filters, hidden: bool) -> String {
    let beyond = below(f, hidden, "r.id");
    format!(
        "({RUNNING}) u JOIN gatepost_delivery_all r ON r.id = u.delivery {THERE} WHERE true{beyond}{}",
        f.of_rows("r.id")
    )
}

/// By the last outcome. Columns of the delivery are in it where it is an error.
fn ended(f: &Filters, state: i16, more: &str) -> String {
    let mut of = String::new();
    if state == 3 {
        for (column, value) in [
            ("webhook", &f.webhook),
            ("owner", &f.owner),
            ("tenant", &f.tenant),
            ("task", &f.task),
        ] {
            if let Some(value) = value {
                of += &format!(" AND e.{column} = {value}");
            }
        }
    }
    if let Some(webhook) = &f.webhook {
        of += &format!(" AND e.delivery > {}", floor(webhook));
    }
    format!(
        "gatepost_outcome_all e JOIN gatepost_delivery_all r ON r.id = e.delivery {THERE} CROSS JOIN gatepost_kept k \
         WHERE e.state = {state}{more}{of} AND r.id > w.floor AND r.created >= k.created_before AND {} = e.token{}",
        last("token"),
        f.of_rows("e.delivery")
    )
}

fn floor(webhook: &str) -> String {
    format!("(SELECT f.floor FROM gatepost_webhook f WHERE f.id = {webhook})")
}

fn below(f: &Filters, hidden: bool, id: &str) -> String {
    match &f.webhook {
        Some(webhook) if hidden => format!(" AND {id} <= {}", floor(webhook)),
        _ => String::new(),
    }
}

fn last(column: &str) -> String {
    format!(
        "(SELECT n.{column} FROM gatepost_outcome_all n WHERE n.delivery = r.id ORDER BY n.token DESC LIMIT 1)"
    )
}

impl Filters {
    /// Conditions on `r`; those on the id are also asked of `id`, which is the same and has the
    /// index.
    fn of_rows(&self, id: &str) -> String {
        let mut sql = String::new();
        for (column, value) in [
            ("webhook", &self.webhook),
            ("owner", &self.owner),
            ("tenant", &self.tenant),
            ("task", &self.task),
        ] {
            if let Some(value) = value {
                sql += &format!(" AND r.{column} = {value}");
            }
        }
        if let Some(class) = &self.class {
            sql += &format!(" AND coalesce({}, '') = {class}", last("class"));
        }
        for comparison in &self.ids {
            sql += &format!(" AND {id} {comparison}");
        }
        sql + &self.created
    }
}
