//! The routes of a realm, and their changes.

use std::sync::LazyLock;

use gatepost_ids::Realm;
use gatepost_storage::Revision;
use gatepost_storage::webhooks::{
    EventRoute, RouteChanges, Routes, RoutesVersion, TaskRoute, WebhookRoute,
};
use tokio_postgres::Row;
use webhook_model::{EventId, EventName, EventType, Filter, TaskId, Webhook, WebhookId};

use super::table::{self, columns_of};
use crate::column::{owner, parse, stored, text};
use crate::db::Param;
use crate::error::{Failure, Result};
use crate::store::PostgresStore;

/// One snapshot for all statements.
const BEGIN: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
/// The same, with each statement planned for its own values: realms differ in size.
const BEGIN_PLANNED: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL plan_cache_mode = force_custom_plan";
const VERSIONS: &str = sql!("routes/versions");
const TOLD: &str = concat!(sql!("routes/kept"), sql!("routes/told"));
static CHANGED_WEBHOOKS: LazyLock<String> = LazyLock::new(|| {
    let kept = sql!("routes/kept");
    kept.to_owned() + &of_webhooks(sql!("routes/changed_webhooks"))
});
static WEBHOOKS: LazyLock<String> = LazyLock::new(|| of_webhooks(sql!("routes/webhooks")));
static WEBHOOKS_OF: LazyLock<String> = LazyLock::new(|| of_webhooks(sql!("routes/webhooks_of")));
const CHANGED_TASKS: &str = concat!(sql!("routes/kept"), sql!("routes/changed_tasks"));
const CHANGED_EVENTS: &str = concat!(sql!("routes/kept"), sql!("routes/changed_events"));

impl PostgresStore {
    /// Returns at most this number of rows, either all or those of one type and event.
    pub(super) async fn matched(
        &self,
        place: Realm,
        only: Option<(&EventType, &EventName)>,
        at_most: u32,
    ) -> Result<Option<Routes>> {
        let place = place.to_string();
        let routes = match only {
            None => {
                let limit = i64::from(at_most) + 1;
                let tasks = sql!("routes/tasks");
                let events = sql!("routes/events");
                let sql = [&**WEBHOOKS, tasks, events];
                self.routes_at(&place, &[&place, &limit], sql).await?
            }
            Some((event_type, event)) => {
                let params: [Param<'_>; 3] = [&place, &event_type.as_str(), &event.as_str()];
                let tasks = sql!("routes/tasks_of");
                let events = sql!("routes/events_of");
                let sql = [&**WEBHOOKS_OF, tasks, events];
                self.routes_at(&place, &params, sql).await?
            }
        };
        Ok(routes.at_most(at_most))
    }

    pub(super) async fn versions(&self, places: &[Realm]) -> Result<Vec<RoutesVersion>> {
        let words: Vec<String> = places.iter().map(ToString::to_string).collect();
        let rows = self.db().query(VERSIONS, &[&words]).await?;
        rows.iter().map(version).collect()
    }

    pub(super) async fn changed_routes(
        &self,
        place: Realm,
        since: RoutesVersion,
    ) -> Result<Option<RouteChanges>> {
        let place = place.to_string();
        let params: [Param<'_>; 2] = [&place, &since.0];
        let statements = [TOLD, &CHANGED_WEBHOOKS, CHANGED_TASKS, CHANGED_EVENTS];
        let statements = statements.map(|sql| (sql, &params[..]));
        // The generic plan of the store's connections reads each changed row by its key. To plan
        // all four takes several times as long as to read them.
        let [told, webhooks, tasks, events] = four(self.db().pipeline(BEGIN, &statements).await?)?;
        let told = told.first().ok_or_else(Failure::nothing)?;
        if !told.try_get("complete")? {
            return Ok(None);
        }
        Ok(Some(RouteChanges {
            version: version(told)?,
            webhooks: named(&webhooks, WebhookId, |row| self.webhook_route(row))?,
            tasks: named(&tasks, TaskId, task_route)?,
            events: named(&events, EventId, event_route)?,
        }))
    }

    async fn routes_at(
        &self,
        place: &str,
        params: &[Param<'_>],
        [webhooks, tasks, events]: [&str; 3],
    ) -> Result<Routes> {
        let places = vec![place];
        let of_version: [Param<'_>; 1] = [&places];
        let statements = [
            (VERSIONS, &of_version[..]),
            (webhooks, params),
            (tasks, params),
            (events, params),
        ];
        let [present, webhooks, tasks, events] =
            four(self.db().pipeline(BEGIN_PLANNED, &statements).await?)?;
        Ok(Routes {
            version: version(present.first().ok_or_else(Failure::nothing)?)?,
            webhooks: readable(webhooks.iter().map(|row| self.webhook_route(row)))?,
            tasks: readable(tasks.iter().map(task_route))?,
            events: readable(events.iter().map(event_route))?,
        })
    }

    fn webhook_route(&self, row: &Row) -> Result<WebhookRoute> {
        Ok(WebhookRoute::of(&table::row(row, self.sealing())?))
    }
}

/// Returns a statement that reads webhooks `w`.
fn of_webhooks(sql: &str) -> String {
    sql.replace(":columns", &columns_of::<Webhook>("w"))
}

fn version(row: &Row) -> Result<RoutesVersion> {
    Ok(RoutesVersion(row.try_get("version")?))
}

fn task_route(row: &Row) -> Result<TaskRoute> {
    Ok(TaskRoute {
        id: TaskId(row.try_get("id")?),
        revision: Revision(row.try_get("revision")?),
        owner: owner(row, "owner")?,
        webhook: WebhookId(row.try_get("webhook")?),
        once: row.try_get("delete_after_run")?,
    })
}

fn event_route(row: &Row) -> Result<EventRoute> {
    let filter = Filter::stored(text(row, "filters")?);
    Ok(EventRoute {
        id: EventId(row.try_get("id")?),
        revision: Revision(row.try_get("revision")?),
        event_type: parse(row, "event_type")?,
        event: parse(row, "event")?,
        target: stored(row, "target", EventRoute::parse_target)?,
        task: TaskId(row.try_get("task")?),
        filter: filter.map_err(|e| Failure::corrupt("filters", e))?,
    })
}

/// Returns each named row in its current state, or nothing if it is not matched or cannot be read.
fn named<I, R>(
    rows: &[Row],
    id: impl Fn(i64) -> I,
    read: impl Fn(&Row) -> Result<R>,
) -> Result<Vec<(I, Option<R>)>> {
    let one = |row: &Row| {
        let there: Option<i64> = row.try_get("id")?;
        let route = there
            .map(|_| read(row))
            .map_or(Ok(None), |route| match route {
                Err(failure) if failure.is_corrupt() => Ok(None),
                other => other.map(Some),
            })?;
        Ok((id(row.try_get("named")?), route))
    };
    rows.iter().map(one).collect()
}

fn readable<R>(routes: impl Iterator<Item = Result<R>>) -> Result<Vec<R>> {
    routes
        .filter(|route| !matches!(route, Err(failure) if failure.is_corrupt()))
        .collect()
}

fn four(answers: Vec<Vec<Row>>) -> Result<[Vec<Row>; 4]> {
    answers.try_into().map_err(|_| Failure::nothing())
}
