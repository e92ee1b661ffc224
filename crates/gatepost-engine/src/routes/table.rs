//! Which tasks an occurrence runs.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use delivery::{Request, RequestError};
use gatepost_storage::webhooks::{Routes, RoutesVersion};
use webhook_model::{
    Action, Activity, DeliveryOrder, Event, EventName, EventType, ObjectId, Occurrence, TagId,
    Target, TaskId, Template, Webhook, WebhookId,
};

use crate::work::prototype;

/// A webhook, with what every request needs made ready.
#[derive(Debug)]
pub(crate) struct Route {
    pub id: WebhookId,
    pub webhook: Webhook,
    /// The host name, for fairness and circuits.
    pub host: Arc<str>,
    /// All of a request but its id and its body.
    pub request: Result<Request, RequestError>,
}

impl Route {
    /// A webhook that is not stored, or not as it is given here.
    pub(crate) fn unstored(webhook: Webhook) -> Self {
        route(WebhookId(0), webhook)
    }

    pub(crate) fn is_active(&self) -> bool {
        self.webhook.activity == Activity::Active
    }

    pub(crate) fn is_in_order(&self) -> bool {
        self.webhook.order == DeliveryOrder::InOrder
    }
}

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
            .map(|row| (row.id, Arc::new(route(row.id, row.value))))
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

fn route(id: WebhookId, webhook: Webhook) -> Route {
    let host = webhook
        .url
        .as_url()
        .host_str()
        .unwrap_or_default()
        .to_ascii_lowercase()
        .into();
    let request = prototype(&webhook).inspect_err(
        |error| tracing::error!(webhook = id.0, %error, "nothing can be sent by this webhook"),
    );
    Route {
        id,
        webhook,
        host,
        request,
    }
}
