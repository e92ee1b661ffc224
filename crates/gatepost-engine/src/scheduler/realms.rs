//! The webhooks that could send immediately, by class, realm and owner, and the requests in flight
//! of each.

use std::array;
use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use gatepost_ids::Realm;
use tokio::time::Instant;
use webhook_model::{OwnerId, WebhookId};

use super::pace::MINUTE;
use super::slots::{CLASSES, Class, Slots};

/// The last slots of New are for webhooks that became ready within this time.
const JUST: Duration = Duration::from_secs(1);

/// The order in which realms or owners go: by requests in flight, then by deadline.
type Turn<Id> = (u32, Instant, Id);
/// For each class.
type Classes<T> = [T; CLASSES.len()];
/// A webhook among those that are ready, by deadline.
pub(super) type Ready = (Instant, WebhookId);

/// The realm and the owner of a webhook.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct At {
    realm: Realm,
    owner: OwnerId,
}

#[derive(Debug)]
pub(super) struct Realms {
    pub(super) slots: Slots,
    realms: HashMap<Realm, RealmLoad>,
    orders: Classes<BTreeSet<Turn<Realm>>>,
    /// Realms by the number of webhooks that are ready.
    sizes: BTreeSet<(usize, Realm)>,
}

#[derive(Debug, Default)]
struct RealmLoad {
    in_flight: Classes<u32>,
    /// Requests that have run for long.
    overdue: u32,
    ready: usize,
    orders: Classes<BTreeSet<Turn<OwnerId>>>,
    owners: HashMap<OwnerId, Owner>,
}

#[derive(Debug, Default)]
struct Owner {
    in_flight: u32,
    ready: Classes<BTreeSet<Ready>>,
}

impl At {
    /// Returns the realm and owner. On a platform that is one system each owner is a realm.
    pub(super) fn of(place: Realm, owner: OwnerId) -> Self {
        let realm = match place {
            Realm::Shared => Realm::Solo(owner),
            Realm::System | Realm::Tenant(_) | Realm::Solo(_) => place,
        };
        Self { realm, owner }
    }
}

impl Owner {
    fn turns(&self) -> Classes<Option<(u32, Instant)>> {
        let turn = |first: &Ready| (self.in_flight, first.0);
        self.ready.each_ref().map(|ready| ready.first().map(turn))
    }

    fn is_empty(&self) -> bool {
        self.in_flight == 0 && self.ready.iter().all(BTreeSet::is_empty)
    }
}

impl RealmLoad {
    fn all(&self) -> u32 {
        self.in_flight.iter().sum()
    }

    fn turns(&self) -> Classes<Option<(u32, Instant)>> {
        let all = self.all();
        let turn = |first: &Turn<OwnerId>| (all, first.1);
        self.orders.each_ref().map(|order| order.first().map(turn))
    }
}

/// Moves a realm or owner from its earlier position to its current one.
fn reorder<Id: Copy + Ord>(
    orders: &mut Classes<BTreeSet<Turn<Id>>>,
    before: Classes<Option<(u32, Instant)>>,
    after: Classes<Option<(u32, Instant)>>,
    id: Id,
) {
    for (order, (before, after)) in orders.iter_mut().zip(before.into_iter().zip(after)) {
        if before != after {
            before.map(|(in_flight, deadline)| order.remove(&(in_flight, deadline, id)));
            order.extend(after.map(|(in_flight, deadline)| (in_flight, deadline, id)));
        }
    }
}

impl Realms {
    pub(super) fn new(total: u32) -> Self {
        Self {
            slots: Slots::new(total),
            realms: HashMap::new(),
            orders: array::from_fn(|_| BTreeSet::new()),
            sizes: BTreeSet::new(),
        }
    }

    /// Adds a webhook that could send immediately.
    pub(super) fn add(&mut self, at: At, class: Class, ready: Ready) {
        self.update(at, |realm, owner| {
            realm.ready += usize::from(owner.ready[class as usize].insert(ready));
        });
    }

    /// Removes a webhook.
    pub(super) fn remove(&mut self, at: At, class: Class, ready: Ready) {
        self.update(at, |realm, owner| {
            realm.ready -= usize::from(owner.ready[class as usize].remove(&ready));
        });
    }

    /// Counts a request that begins.
    pub(super) fn begin(&mut self, at: At, class: Class) {
        self.slots.add(class);
        self.update(at, |realm, owner| {
            realm.in_flight[class as usize] += 1;
            owner.in_flight += 1;
        });
    }

    /// Notes that a request takes long, and counts in this class from now on.
    pub(super) fn become_slow(&mut self, at: At, before: Class, class: Class) {
        self.slots.remove(before);
        self.slots.add(class);
        self.update(at, |realm, _| {
            realm.in_flight[before as usize] -= 1;
            realm.in_flight[class as usize] += 1;
            realm.overdue += 1;
        });
    }

    /// Notes that a request has ended.
    pub(super) fn end(&mut self, at: At, class: Class, is_overdue: bool) {
        self.slots.remove(class);
        self.update(at, |realm, owner| {
            realm.in_flight[class as usize] -= 1;
            realm.overdue -= u32::from(is_overdue);
            owner.in_flight -= 1;
        });
    }

    /// Returns the webhook that goes next: among targets that responded, the one whose realm goes
    /// before the others of them; otherwise in the order of the classes.
    pub(super) fn next(&self, now: Instant) -> Option<(Class, At, Ready)> {
        let turn = |class: Class| Some((self.turn(class, now)?, class));
        let (responded, others) = CLASSES.split_at(Class::New as usize);
        let first = responded.iter().filter_map(|class| turn(*class)).min();
        let ((_, _, realm), class) =
            first.or_else(|| others.iter().find_map(|class| turn(*class)))?;
        let of = self.realms.get(&realm)?;
        let (_, _, owner) = *of.orders[class as usize].first()?;
        let ready = *of.owners.get(&owner)?.ready[class as usize].first()?;
        Some((class, At { realm, owner }, ready))
    }

    /// Whether a webhook that becomes ready would go before all others of its class.
    pub(super) fn goes_first(&self, at: At, class: Class, deadline: Instant, now: Instant) -> bool {
        let in_flight = self.realms.get(&at.realm).map_or(0, RealmLoad::all);
        let turn = (in_flight, deadline, at.realm);
        let first = self.orders[class as usize].first();
        first.is_none_or(|first| turn < *first) && self.may_begin(class, turn, now)
    }

    pub(super) fn has_ready(&self) -> bool {
        self.orders.iter().any(|order| !order.is_empty())
    }

    /// Returns, of the realm with most ready webhooks, the one with the latest deadline.
    pub(super) fn furthest(&self) -> Option<(Class, WebhookId)> {
        let realm = self.realms.get(&self.sizes.last()?.1)?;
        let last = CLASSES.into_iter().filter_map(|class| {
            let (_, _, owner) = realm.orders[class as usize].last()?;
            let (deadline, webhook) = *realm.owners.get(owner)?.ready[class as usize].last()?;
            Some((deadline, class, webhook))
        });
        last.max().map(|(_, class, webhook)| (class, webhook))
    }

    /// Returns the realm that goes next in this class.
    fn turn(&self, class: Class, now: Instant) -> Option<Turn<Realm>> {
        let (order, free) = (&self.orders[class as usize], self.free(class, now));
        let first = *order.first()?;
        let may_begin = |turn: &Turn<Realm>| self.may_begin(class, *turn, now);
        if class == Class::New && free <= self.slots.newest() {
            // The newest of those with the fewest in flight.
            let end = (first.0, now + 2 * MINUTE, Realm::Shared);
            let newest = *order.range(..end).next_back()?;
            let is_new = newest.1 + JUST >= now + MINUTE;
            return Some(newest).filter(|turn| is_new && may_begin(turn));
        }
        if free == 0 || self.slots.is_short(class, self.is_late(now)) {
            return Some(first).filter(may_begin);
        }
        // Each realm that is skipped has a sixteenth of all in flight: they are few.
        order.iter().copied().find(may_begin)
    }

    fn may_begin(&self, class: Class, (in_flight, _, realm): Turn<Realm>, now: Instant) -> bool {
        let (free, is_late) = (self.free(class, now), self.is_late(now));
        if free == 0 || (in_flight > 0 && self.slots.is_short(class, is_late)) {
            return false;
        }
        let Some(realm) = self.realms.get(&realm) else {
            return true;
        };
        let (share, has) = (self.slots.part(16), realm.in_flight[class as usize]);
        match class {
            Class::Slow => has < share.max(free / 2),
            Class::Lost | Class::Quarantine => true,
            _ => realm.overdue < share || has == 0,
        }
    }

    fn free(&self, class: Class, now: Instant) -> u32 {
        self.slots.free(class, self.is_late(now))
    }

    /// Whether a webhook that responded last time waits beyond its deadline.
    fn is_late(&self, now: Instant) -> bool {
        let first = self.orders[Class::Proven as usize].first();
        first.is_some_and(|(_, deadline, _)| *deadline <= now)
    }

    /// Changes the counts of an owner, and moves the owner to the resulting position.
    fn update(&mut self, at: At, change: impl FnOnce(&mut RealmLoad, &mut Owner)) {
        let realm = self.realms.entry(at.realm).or_default();
        let mut owner = realm.owners.remove(&at.owner).unwrap_or_default();
        let before = (owner.turns(), realm.turns(), realm.ready);
        change(realm, &mut owner);
        reorder(&mut realm.orders, before.0, owner.turns(), at.owner);
        reorder(&mut self.orders, before.1, realm.turns(), at.realm);
        if before.2 != realm.ready {
            self.sizes.remove(&(before.2, at.realm));
            self.sizes.insert((realm.ready, at.realm));
        }
        if !owner.is_empty() {
            realm.owners.insert(at.owner, owner);
        } else if realm.owners.is_empty() {
            self.sizes.remove(&(0, at.realm));
            self.realms.remove(&at.realm);
        }
    }
}
