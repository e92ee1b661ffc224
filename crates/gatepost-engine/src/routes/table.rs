//! Which tasks an occurrence runs.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use gatepost_storage::webhooks::{Routes, RoutesVersion};
use webhook_model::{
    Action, Event, EventName, EventType, ObjectId, Occurrence, TagId, Target, TaskId, Template,
    WebhookId,
};

use super::route::Route;
use crate::guard::guarded;

/// A task, with its message parsed.
#[derive(Debug)]
pub(crate) struct TaskRoute {
    pub id: TaskId,
    pub webhook: WebhookId,
    pub template: Template,
    pub once: bool,
}

/// The tasks of one type and event, by what they are about.
#[derive(Clone, Debug, Default)]
struct Triggers {
    generic: Vec<TaskId>,
    instances: HashMap<ObjectId, Vec<TaskId>>,
    tags: HashMap<TagId, Vec<TaskId>>,
}

/// All routes at one version.
#[derive(Debug)]
pub(crate) struct RouteTable {
    pub version: RoutesVersion,
    webhooks: Arc<HashMap<WebhookId, Arc<Route>>>,
    /// Enabled tasks.
    tasks: HashMap<TaskId, Arc<TaskRoute>>,
    /// Enabled events.
    triggers: Arc<HashMap<(EventType, EventName), Triggers>>,
}

impl RouteTable {
    pub(crate) fn new(routes: Routes) -> Self {
        let webhooks = routes
            .webhooks
            .into_iter()
            .map(|row| (row.id, Arc::new(Route::new(row.id, row.value))))
            .inspect(|(_, route)| warn_if_unsendable(route))
            .collect();
        let tasks = routes
            .tasks
            .into_iter()
            .filter(|row| row.task.enabled)
            .filter_map(|row| {
                let Action::Send { webhook, message } = &row.task.action else {
                    return None;
                };
                let template = Template::parse(message);
                Some((
                    row.id,
                    Arc::new(TaskRoute {
                        id: row.id,
                        webhook: *webhook,
                        template,
                        once: row.task.delete_after_run,
                    }),
                ))
            });
        let mut triggers: HashMap<_, Triggers> = HashMap::new();
        for Event {
            event_type,
            event,
            target,
            task,
            ..
        } in routes
            .events
            .into_iter()
            .map(|row| row.value)
            .filter(|event| event.enabled)
        {
            let triggers = triggers.entry((event_type, event)).or_default();
            match target {
                Target::Generic => triggers.generic.push(task),
                Target::Instance(id) => triggers.instances.entry(id).or_default().push(task),
                Target::Tag(id) => triggers.tags.entry(id).or_default().push(task),
            }
        }
        Self {
            version: routes.version,
            webhooks: Arc::new(webhooks),
            tasks: tasks.collect(),
            triggers: Arc::new(triggers),
        }
    }

    /// The tasks that an occurrence runs: each once, however many of its events match; in order of
    /// their row numbers.
    pub(crate) fn matches(&self, occurrence: &Occurrence) -> Vec<Arc<TaskRoute>> {
        let key = (occurrence.event_type.clone(), occurrence.event.clone());
        let Some(triggers) = self.triggers.get(&key) else {
            return Vec::new();
        };
        let by_instance = occurrence
            .object
            .iter()
            .filter_map(|object| triggers.instances.get(&object.id));
        let by_tag = occurrence
            .tags
            .iter()
            .filter_map(|tag| triggers.tags.get(tag));
        let ids: BTreeSet<TaskId> = by_instance
            .chain(by_tag)
            .flatten()
            .chain(&triggers.generic)
            .copied()
            .collect();
        ids.iter()
            .filter_map(|id| self.tasks.get(id).cloned())
            .collect()
    }

    pub(crate) fn webhook(&self, id: WebhookId) -> Option<&Arc<Route>> {
        self.webhooks.get(&id)
    }

    /// Webhooks that are active now and were not at `before`: what they held is waiting.
    pub(crate) fn resumed_since<'a>(
        &'a self,
        before: &'a Self,
    ) -> impl Iterator<Item = WebhookId> + 'a {
        let same = Arc::ptr_eq(&self.webhooks, &before.webhooks);
        self.webhooks
            .values()
            .take_while(move |_| !same)
            .filter(|route| route.is_active())
            .filter(|route| before.webhook(route.id).is_some_and(|b| !b.is_active()))
            .map(|route| route.id)
    }

    pub(crate) fn task(&self, id: TaskId) -> Option<&Arc<TaskRoute>> {
        self.tasks.get(&id)
    }

    /// The same routes after these tasks were consumed. Their events may stay: a task that is not
    /// there is not run.
    pub(super) fn without(&self, tasks: &[TaskId], version: RoutesVersion) -> Self {
        let mut left = self.tasks.clone();
        tasks.iter().for_each(|id| drop(left.remove(id)));
        Self {
            version,
            webhooks: self.webhooks.clone(),
            tasks: left,
            triggers: self.triggers.clone(),
        }
    }
}

/// Nothing else would show it before the next delivery fails.
fn warn_if_unsendable(route: &Route) {
    if let Err(error) = &route.request {
        let webhook = route.id.0;
        guarded(|| tracing::error!(webhook, %error, "this webhook cannot send anything"));
    }
}

#[cfg(test)]
mod tests {
    use webhook_model::{Activity, Object};

    use super::*;
    use crate::testing::{Records, poweron};

    async fn table(records: &Records) -> RouteTable {
        use gatepost_storage::webhooks::RecordStore as _;
        RouteTable::new(records.store.routes().await.unwrap())
    }

    #[tokio::test]
    async fn a_task_matches_once_by_instance_or_by_tag_and_not_when_it_is_disabled() {
        let records = Records::new();
        let webhook = records.webhook(|_| {}).await;
        let (both, other) = (
            records.task(webhook, "x", false).await,
            records.task(webhook, "y", true).await,
        );
        records.event(Target::Instance(ObjectId(1)), both).await;
        records.event(Target::Tag(TagId(4)), both).await;
        records.event(Target::Tag(TagId(5)), other).await;
        let table = table(&records).await;
        let matched = |occurrence: &Occurrence| -> Vec<TaskId> {
            table
                .matches(occurrence)
                .iter()
                .map(|task| task.id)
                .collect()
        };
        assert_eq!(matched(&poweron(1, &[4])), [both]);
        assert_eq!(matched(&poweron(1, &[5])), [both, other]);
        assert_eq!(matched(&poweron(2, &[])), []);
        let elsewhere = Occurrence::new("vms".parse().unwrap(), "off".parse().unwrap());
        assert_eq!(matched(&elsewhere), []);
        let no_object: Option<Object> = None;
        let tagged = Occurrence {
            object: no_object,
            ..poweron(1, &[4, 5])
        };
        assert_eq!(matched(&tagged), [both, other]);
        let left = table.without(&[other], RoutesVersion(table.version.0 + 1));
        assert_eq!(left.matches(&tagged).len(), 1);
    }

    #[tokio::test]
    async fn a_webhook_is_resumed_when_it_was_there_and_not_active() {
        let records = Records::new();
        let paused = records.webhook(|w| w.activity = Activity::Paused).await;
        let before = table(&records).await;
        records.set_activity(paused, Activity::Active).await;
        records.webhook(|w| w.name = "new".parse().unwrap()).await;
        let after = table(&records).await;
        assert_eq!(after.resumed_since(&before).collect::<Vec<_>>(), [paused]);
        assert_eq!(after.resumed_since(&after).count(), 0);
    }
}
