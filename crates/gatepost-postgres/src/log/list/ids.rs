//! The statement that finds the ids of a page.

use gatepost_storage::Scope;
use gatepost_storage::webhooks::{DeliveryQuery, DeliveryState};
use tokio_postgres::types::ToSql;

use super::Bounds;
use super::part::Part;
use crate::db::Param;

/// The class of an attempt that succeeded.
const OK: &str = "ok";

/// A statement and its parameters. Only filters that are set are in it, so that the planner picks
/// their index.
#[derive(Default)]
pub(super) struct Ids {
    sql: String,
    params: Vec<Box<dyn ToSql + Send + Sync>>,
}

/// What every part of the statement asks for, as text with the parameters in it.
#[derive(Default)]
pub(super) struct Filters {
    pub(super) owner: Option<String>,
    pub(super) tenant: Option<String>,
    pub(super) webhook: Option<String>,
    pub(super) task: Option<String>,
    pub(super) class: Option<String>,
    /// Times, of `r`.
    pub(super) created: String,
    /// Comparisons of an id: `>= $1`.
    pub(super) ids: Vec<String>,
    /// `ASC` or `DESC`.
    pub(super) direction: &'static str,
    pub(super) limit: u32,
}

impl Ids {
    pub(super) fn of(query: &DeliveryQuery, bounds: Bounds) -> Self {
        let mut ids = Self::default();
        let filters = ids.filters(query, bounds);
        let parts = parts(query).into_iter().map(|part| part.sql(&filters));
        ids.sql = format!(
            "SELECT c.id FROM ({}) c ORDER BY c.id {} LIMIT {}",
            parts.collect::<Vec<_>>().join(" UNION ALL "),
            filters.direction,
            filters.limit
        );
        ids
    }

    pub(super) fn sql(&self) -> &str {
        &self.sql
    }

    pub(super) fn params(&self) -> Vec<Param<'_>> {
        self.params.iter().map(|p| &**p as Param<'_>).collect()
    }

    fn param(&mut self, value: impl ToSql + Send + Sync + 'static) -> String {
        self.params.push(Box::new(value));
        format!("${}", self.params.len())
    }

    fn filters(&mut self, query: &DeliveryQuery, bounds: Bounds) -> Filters {
        let mut filters = Filters {
            limit: query.page.limit,
            ..Filters::default()
        };
        match query.scope {
            Scope::All => {}
            Scope::Owner(owner) => filters.owner = Some(self.param(owner.0)),
            Scope::Tenant(tenant) => filters.tenant = Some(self.param(tenant.0)),
        }
        filters.webhook = query.webhook.map(|webhook| self.param(webhook.0));
        filters.task = query.task.map(|task| self.param(task.0));
        filters.class = query.class.clone().map(|class| self.param(class));
        for (comparison, time) in [(">=", query.created_from), ("<", query.created_before)] {
            if let Some(time) = time {
                let time = self.param(time);
                filters.created += &format!(" AND r.created {comparison} {time}");
            }
        }
        let (beyond, direction) = match query.page.order {
            gatepost_storage::Order::Ascending => (">", "ASC"),
            gatepost_storage::Order::Descending => ("<", "DESC"),
        };
        filters.direction = direction;
        let after = query.page.after.map(|after| after.0);
        for (comparison, id) in [(beyond, after), (">=", bounds.low), ("<", bounds.high)] {
            if let Some(id) = id {
                filters.ids.push(format!("{comparison} {}", self.param(id)));
            }
        }
        filters
    }
}

/// Where that which is asked for is found. Without a filter by state, or with one that includes
/// what was sent, by walking the log; else where each state has its rows.
fn parts(query: &DeliveryQuery) -> Vec<Part> {
    let states = &query.states;
    // What did not end well is seldom among the rest.
    let odd = query
        .class
        .as_deref()
        .is_some_and(|class| !class.is_empty() && class != OK);
    let sent = states.is_empty() || states.contains(&DeliveryState::Sent);
    if sent && !odd {
        let mut parts = vec![Part::Walk(states.clone())];
        if query.webhook.is_some() {
            let open = |state| states.is_empty() || states.contains(&state);
            parts.extend(open(DeliveryState::Queued).then_some(Part::Queued { hidden: true }));
            parts.extend(open(DeliveryState::Running).then_some(Part::Running { hidden: true }));
        }
        return parts;
    }
    let all = [
        (DeliveryState::Queued, Part::Queued { hidden: false }),
        (DeliveryState::Running, Part::Running { hidden: false }),
        (DeliveryState::Sent, Part::Odd),
        (DeliveryState::Error, Part::Failed),
    ];
    let asked = all.into_iter();
    let asked = asked.filter(|(state, _)| states.is_empty() || states.contains(state));
    asked.map(|(_, part)| part).collect()
}
