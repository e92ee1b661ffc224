//! The tables of all recently used realms.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gatepost_ids::Realm;
use gatepost_storage::StoreError;
use gatepost_storage::webhooks::{RoutesVersion, WebhookStore};
use webhook_model::{Data, Occurrence, TaskId};

use super::matched::{Matched, MatchedTask};
use super::realm_cache::{Held, Slot};
use super::table::{ROW, Reached, RouteTable};
use super::versions::CurrentVersions;
use crate::cooperative_yield::GiveWay;
use crate::fair_map::Shares;

/// The divisor of the memory that gives the limit of one table.
const LARGEST: usize = 16;

/// A cache of tables. A table is read when it is first needed, by one caller, and then updated with
/// changes only. The least recently used ones are evicted. For a realm that is too large only the
/// routes that an occurrence needs are read.
#[derive(Debug)]
pub(crate) struct Tables {
    store: Arc<dyn WebhookStore>,
    versions: CurrentVersions,
    slots: Mutex<Shares<Realm, Arc<Slot>, ()>>,
    /// The maximum number of rows of a table; fewer with filters.
    at_most: u32,
}

impl Tables {
    pub(crate) fn new(store: Arc<dyn WebhookStore>, memory: usize) -> Self {
        Self {
            versions: CurrentVersions::new(store.clone()),
            store,
            slots: Mutex::new(Shares::new(memory)),
            at_most: u32::try_from(memory / LARGEST / ROW).unwrap_or(u32::MAX),
        }
    }

    /// Returns the tasks that an occurrence reaches in these realms, as they were last read:
    /// storing the deliveries checks whether that is still true.
    pub(crate) async fn matched(
        &self,
        places: &[Realm],
        occurrence: &Occurrence,
    ) -> Result<Matched, StoreError> {
        let (mut matched, mut turns) = (Matched::default(), GiveWay::default());
        for place in places {
            let found = |table: &RouteTable| (table.version, table.reached(occurrence));
            let (version, reached) = match self.look(*place, found).await? {
                Some(found) => found,
                None => {
                    let (event_type, event) = (&occurrence.event_type, &occurrence.event);
                    let routes = self.store.routes_of(*place, event_type, event).await?;
                    found(&RouteTable::new(*place, routes))
                }
            };
            let tasks = meant(reached, occurrence.data.as_ref(), &mut turns).await;
            matched.add(*place, version, tasks);
        }
        Ok(matched.in_order())
    }

    /// Returns those of these tasks that exist. `None` if a realm is too large to be cached.
    pub(crate) async fn tasks(
        &self,
        places: &[Realm],
        ids: &[TaskId],
    ) -> Result<Option<Matched>, StoreError> {
        let mut matched = Matched::default();
        for place in places {
            let found = |table: &RouteTable| {
                let tasks = ids.iter().filter_map(|id| table.task(*id));
                (table.version, tasks.collect())
            };
            let Some((version, tasks)) = self.look(*place, found).await? else {
                return Ok(None);
            };
            matched.add(*place, version, tasks);
        }
        Ok(Some(matched.in_order()))
    }

    /// Reads the changes since these versions, unless another caller has begun to since this call.
    /// This holds even if nothing has changed, so that callers do not read one after the other.
    pub(crate) async fn refresh(&self, seen: &[(Realm, RoutesVersion)]) -> Result<(), StoreError> {
        let slots = seen.iter().map(|(place, _)| self.slot(*place));
        let slots: Vec<_> = slots.map(|slot| (slot.begun(), slot)).collect();
        for ((place, version), (begun, slot)) in seen.iter().zip(slots) {
            let mut last_read = slot.reading.lock().await;
            if *last_read <= begun && slot.version() == Some(*version) {
                let number = slot.begin();
                self.follow(*place, &slot, *version).await?;
                *last_read = number;
            }
        }
        Ok(())
    }

    /// Whether these are the versions of the realms, as the store said after this call.
    pub(crate) async fn are_current(
        &self,
        seen: &[(Realm, RoutesVersion)],
    ) -> Result<bool, Arc<StoreError>> {
        self.versions.are(seen).await
    }

    /// Removes the tasks that this process itself consumed, if nothing else has changed in these
    /// realms since they were `seen`.
    pub(crate) fn consumed(
        &self,
        tasks: &[TaskId],
        seen: &[(Realm, RoutesVersion)],
        moved: &[(Realm, RoutesVersion)],
    ) {
        for (place, version) in moved {
            let before = seen.iter().find(|(seen, _)| seen == place);
            let slot = before.and_then(|_| self.lock().get(*place).cloned());
            if let (Some((_, before)), Some(slot)) = (before, slot) {
                slot.change(*before, |table| table.consumed(tasks, *version));
            }
        }
    }

    /// Reads from the table of a realm; `None` if it is too large to be cached.
    async fn look<T>(
        &self,
        place: Realm,
        look: impl FnOnce(&RouteTable) -> T,
    ) -> Result<Option<T>, StoreError> {
        let slot = self.slot(place);
        if !slot.is_read() {
            let _one = slot.reading.lock().await;
            if !slot.is_read() {
                self.read(place, &slot).await?;
            }
        }
        Ok(slot.look(look))
    }

    async fn read(&self, place: Realm, slot: &Arc<Slot>) -> Result<(), StoreError> {
        let routes = self.store.routes(place, self.at_most).await?;
        let table = routes.map(|routes| RouteTable::new(place, routes));
        let fits = table.filter(|table| !table.is_larger_than(self.at_most));
        slot.put(fits.map_or_else(Held::too_large, Held::table));
        self.weigh(place, slot);
        Ok(())
    }

    /// Reads the changes since `version`, at their cost. The caller must hold the right to read.
    async fn follow(
        &self,
        place: Realm,
        slot: &Arc<Slot>,
        version: RoutesVersion,
    ) -> Result<(), StoreError> {
        let changes = self.store.route_changes(place, version).await?;
        let Some(changes) = changes else {
            return self.read(place, slot).await;
        };
        // Tasks that this process consumed in the meantime are newer.
        slot.change(version, |table| table.apply(changes));
        if slot.is_overgrown(self.at_most) {
            return self.read(place, slot).await;
        }
        self.weigh(place, slot);
        Ok(())
    }

    /// Updates the weight of a realm after its size changed.
    fn weigh(&self, place: Realm, slot: &Arc<Slot>) {
        let bytes = slot.bytes();
        self.lock().insert(place, (), slot.clone(), bytes);
    }

    fn slot(&self, place: Realm) -> Arc<Slot> {
        let mut slots = self.lock();
        if let Some(slot) = slots.get(place) {
            return slot.clone();
        }
        let slot = Arc::new(Slot::new());
        slots.insert(place, (), slot.clone(), slot.bytes());
        slot
    }

    fn lock(&self) -> MutexGuard<'_, Shares<Realm, Arc<Slot>, ()>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the tasks of the events whose filters match this data, each once: `reached` has the
/// entries of one task next to each other. Filters are evaluated in portions.
async fn meant(
    Reached { mut tasks, filters }: Reached,
    data: Option<&Data>,
    turns: &mut GiveWay,
) -> Vec<MatchedTask> {
    if filters.is_empty() {
        tasks.dedup_by_key(|task| task.id());
        return tasks;
    }
    let reached = std::mem::take(&mut tasks).into_iter().zip(filters);
    for (task, filter) in reached {
        let known = tasks.last().is_some_and(|last| last.id() == task.id());
        if known {
            continue;
        }
        if !filter.is_empty() {
            turns.after(filter.as_str().len()).await;
        }
        if filter.matches(data) {
            tasks.push(task);
        }
    }
    tasks
}
