//! Finds the tasks that an occurrence reaches, and asks who may receive it.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use gatepost_ids::Realm;
use gatepost_storage::StoreError;
use gatepost_storage::webhooks::{Origin, RemainingTasks, TaskRoute, WebhookRoute};
use webhook_model::{Data, Occurrence, OwnerId, TaskId, WebhookId};

use crate::access::{Heard, Hearing};
use crate::core::Core;
use crate::lifecycle::Lifecycle;
use crate::routes::{Contexts, Matched, MatchedTask, Messages, Tables, readable};
use crate::small_map::Few;

/// Up to this number, tasks that are selected by number are read one by one: that costs less than
/// the table of a realm that is not in memory.
const ONE_BY_ONE: usize = 8;

/// An occurrence with its realms, and the tasks that are selected.
#[derive(Debug)]
pub(super) struct Ask<'a> {
    pub occurrence: &'a Occurrence,
    /// The realms, the occurrence's own first; never empty.
    pub places: &'a [Realm],
    pub left: RemainingTasks,
    /// The user who ran the task, or triggered its event, manually.
    pub by: Option<OwnerId>,
    /// The context for the message of an event that was triggered manually, its own or the given
    /// one.
    pub context: Option<Data>,
    /// If set, waits for the platform to say who may receive it, for as long as the engine runs.
    pub patience: Option<&'a Lifecycle>,
}

impl Ask<'_> {
    /// The task after which matching tasks are selected.
    pub(super) fn after(&self) -> TaskId {
        match self.left {
            RemainingTasks::After(task) => task,
            RemainingTasks::Tasks(_) => TaskId(0),
        }
    }

    pub(super) fn own_place(&self) -> Realm {
        self.places.first().copied().unwrap_or(Realm::Shared)
    }

    /// Returns the origin, which makes the occurrence unique: its id, if it has one.
    pub(super) fn origin(&self) -> Origin {
        self.occurrence.id.clone().map_or(Origin::Direct, |id| {
            let place = self.own_place();
            Origin::Occurrence { place, id }
        })
    }
}

#[derive(Debug)]
pub(crate) struct Finder {
    pub core: Arc<Core>,
    pub tables: Arc<Tables>,
    pub messages: Arc<Messages>,
    pub contexts: Contexts,
}

impl Finder {
    /// Returns the matching tasks. An occurrence about a webhook never goes to that webhook, or it
    /// would cause the next one; a user's manual run does.
    pub(super) async fn matched(&self, ask: &Ask<'_>) -> Result<Matched, StoreError> {
        let mut matched = self.all_matched(ask).await?;
        let told_of = self.core.access.own().webhook_of(ask.occurrence);
        if let Some(webhook) = told_of.filter(|_| ask.by.is_none()) {
            matched.tasks.retain(|task| task.webhook.id != webhook);
        }
        Ok(matched)
    }

    async fn all_matched(&self, ask: &Ask<'_>) -> Result<Matched, StoreError> {
        let ids = match &ask.left {
            RemainingTasks::After(_) => {
                return self.tables.matched(ask.places, ask.occurrence).await;
            }
            RemainingTasks::Tasks(ids) => ids,
        };
        if ids.len() > ONE_BY_ONE
            && let Some(matched) = self.tables.tasks(ask.places, ids).await?
        {
            return Ok(matched);
        }
        self.read(ask.places, ids).await
    }

    /// Returns the webhooks that these tasks send, at least as new as the matched routes. `None`:
    /// there are too many tasks to look up.
    pub(super) async fn webhooks_of(
        &self,
        places: &[Realm],
        ids: &[TaskId],
        matched: &Matched,
    ) -> Result<Option<BTreeSet<WebhookId>>, StoreError> {
        let mut found = self.tables.tasks(places, ids).await?;
        if let Some(known) = found.as_ref().filter(|known| known.seen != matched.seen) {
            self.tables.refresh(&known.seen).await?;
            found = self.tables.tasks(places, ids).await?;
        }
        if found.is_none() && ids.len() <= ONE_BY_ONE {
            found = Some(self.read(places, ids).await?);
        }
        let webhooks = |found: Matched| found.tasks.iter().map(|task| task.webhook.id).collect();
        Ok(found.map(webhooks))
    }

    /// Asks which of the owners may receive it, except those already asked about. An owner without
    /// an answer stays undecided.
    pub(super) async fn hear(
        &self,
        ask: &Ask<'_>,
        matched: &Matched,
        hearing: &mut Few<OwnerId, Hearing>,
    ) {
        let after = ask.after();
        if unheard(matched, after, hearing).next().is_none() {
            return;
        }
        let heard = Heard {
            occurrence: ask.occurrence,
            place: ask.own_place(),
        };
        let access = &self.core.access;
        let answers = match ask.patience {
            None => access.hear(&heard, unheard(matched, after, hearing)),
            Some(lifecycle) => {
                let mut owners: Vec<OwnerId> = unheard(matched, after, hearing).collect();
                owners.sort_unstable();
                owners.dedup();
                // Only this question is ever abandoned, never a store in progress.
                tokio::select! {
                    biased;
                    () = lifecycle.stopped() => Few::default(),
                    answers = access.hear_waiting(&heard, &owners) => answers,
                }
            }
        };
        for (owner, answer) in answers.iter() {
            hearing.insert(owner, *answer);
        }
    }

    /// Reads those of these tasks that are enabled and whose owners are in these realms.
    async fn read(&self, places: &[Realm], ids: &[TaskId]) -> Result<Matched, StoreError> {
        // Versions are read first, so that later reads are at least as new.
        let versions = self.core.store.routes_versions(places).await?;
        let mut tasks = Vec::new();
        for id in ids {
            let row = readable(self.core.store.task(*id).await)?;
            tasks.extend(row.as_ref().and_then(TaskRoute::of));
        }
        let webhooks: BTreeSet<WebhookId> = tasks.iter().map(|task| task.webhook).collect();
        let webhooks: Vec<WebhookId> = webhooks.into_iter().collect();
        let rows = self.core.store.webhooks(&webhooks).await?;
        let webhooks: HashMap<WebhookId, WebhookRoute> = rows
            .iter()
            .map(|row| (row.id, WebhookRoute::of(row)))
            .collect();
        let mut standing = HashMap::new();
        for owner in tasks.iter().map(|task| task.owner).collect::<BTreeSet<_>>() {
            let row = self.core.store.owner(owner).await?;
            let held = row.is_some_and(|row| row.suspended);
            let place = row.map_or(Realm::Shared, |row| row.realm);
            if !held && places.contains(&place) {
                standing.insert(owner, place);
            }
        }
        let matched = tasks.into_iter().filter_map(|task| {
            Some(MatchedTask {
                place: *standing.get(&task.owner)?,
                task,
                webhook: webhooks.get(&task.webhook)?.clone(),
                event: None,
            })
        });
        let mut tasks: Vec<MatchedTask> = matched.collect();
        tasks.sort_by_key(MatchedTask::id);
        tasks.dedup_by_key(|task| task.task.id);
        Ok(Matched {
            seen: places.iter().copied().zip(versions).collect(),
            tasks,
        })
    }
}

/// Returns the owners of the tasks after `after` that were not asked about.
fn unheard(
    matched: &Matched,
    after: TaskId,
    hearing: &Few<OwnerId, Hearing>,
) -> impl Iterator<Item = OwnerId> {
    let tasks = matched.tasks.iter().filter(move |task| task.id() > after);
    let owners = tasks.map(MatchedTask::owner);
    owners.filter(|owner| hearing.get(*owner).is_none())
}
