//! How many requests are in flight in each room, and whether there is room for one more.
//!
//! Some rules go beyond a plain limit. The last free places of a total are for those who have few
//! of it ([`FAIR`]): a few tenants never fill it. Requests that become slow while they run leave
//! the room of those that are not: what there is of them beyond their share is not taken from the
//! others, so targets that stall all at once do not stop those that respond. Webhooks that arrive
//! where those that stall have all the room are tried beside them ([`BEYOND`]). And the last places
//! of all are for those that responded last ([`LAST`]): when very many that used to respond stall
//! at once, that is what tells them from those that do not.

use std::collections::HashMap;
use std::time::Duration;

use gatepost_ids::Place;
use gatepost_storage::webhooks::LaneClass;

use super::room::{Room, Trial, Wait, walled};
use super::standing::Standing;
use crate::config::InFlightLimits;
use crate::routes::Route;

/// Nobody takes a place of a total who has this many times the places that are free.
const FAIR: usize = 4;
/// A tenant has at most this part of the requests to an origin.
const OF_ORIGIN: usize = 4;
/// A tenant has at most this part of the weak requests.
const OF_WEAK: usize = 8;
/// For trials there is this part of the total, besides the total. As much is for those that still
/// respond when others become slow.
const BEYOND: usize = 2;
/// At most this part of what the slow ones leave of it is on trial at a time. A trial that stalls
/// is over after two minutes at the latest: until then those that stall leave room for another,
/// however many come.
const OF_TRIALS: usize = 16;
/// Of these, that many quarters may be webhooks that have just arrived, and were never tried or
/// were silent for long. What is left is for those that have waited for it: where more arrive than
/// can be tried, each that waits gets its turn all the same.
const FRESH: usize = 2;
const FRESH_AND_SILENT: usize = 1;
const QUARTERS: usize = 4;
/// When less than this part of all is free, or of the places at an origin, it matters when a
/// webhook last responded: this long ago at most, or less where there is less; at half of the part
/// a quarter of the time.
const LAST: usize = 4;
const RESPONDED_WITHIN: Duration = Duration::from_secs(60);
/// The share of the weak requests that may be slow, in percent.
const KNOWN_SLOW: usize = 75;

/// A request that asks for room.
#[derive(Debug)]
pub(super) struct Asked {
    /// Narrow rooms first: a lane waits for the first that is full.
    pub(super) rooms: Vec<Room>,
    /// How many the webhook may have.
    webhook: usize,
    /// The quarters of the trials of which it may be one.
    of_trials: usize,
}

impl Asked {
    pub(super) fn new(
        route: &Route,
        place: Place,
        class: LaneClass,
        standing: Standing,
        webhook: usize,
    ) -> Self {
        let owner = route.webhook.owner;
        let (origin, tenant) = (|| route.origin.clone(), walled(place, owner));
        let mut rooms = vec![
            Room::Webhook(route.id),
            Room::OriginTenant(origin(), tenant),
            Room::Owner(owner),
        ];
        if place != Place::Common {
            rooms.push(Room::Tenant(tenant));
        }
        let is_weak = standing != Standing::Proven;
        if is_weak {
            rooms.extend([
                Room::OriginTenantWeak(origin(), tenant),
                Room::TenantWeak(tenant),
                Room::OriginWeak(origin()),
            ]);
        }
        rooms.push(Room::Origin(origin()));
        match class {
            LaneClass::First => {}
            LaneClass::Retry => rooms.push(Room::Retries),
            LaneClass::Lost | LaneClass::Alone => rooms.push(Room::Alone),
        }
        if standing == Standing::Slow {
            rooms.push(Room::Slow);
        }
        if is_weak {
            rooms.push(Room::Weak);
        }
        rooms.push(Room::All);
        Self {
            rooms,
            webhook,
            of_trials: QUARTERS,
        }
    }

    /// The first request of a webhook, of a tenant that has no other weak one where those are many.
    pub(super) fn trial(route: &Route, place: Place, standing: Standing, trial: Trial) -> Self {
        let mut asked = Self::new(route, place, LaneClass::First, Standing::New, 1);
        let totals = [Room::Weak, Room::All];
        asked.rooms.retain(|room| !totals.contains(room));
        asked.rooms.push(Room::Trial);
        asked.of_trials = match (trial, standing) {
            (Trial::Waited, _) => QUARTERS,
            (Trial::Fresh, Standing::New) => FRESH,
            (Trial::Fresh, _) => FRESH_AND_SILENT,
        };
        asked
    }
}

/// What a request that takes long takes room in besides what it has.
pub(super) fn when_slow(route: &Route, place: Place, has: &[Room]) -> Vec<Room> {
    if has.contains(&Room::Trial) {
        return vec![Room::WebhookSlow(route.id), Room::SlowTrial];
    }
    let tenant = walled(place, route.webhook.owner);
    let all = [
        Room::WebhookSlow(route.id),
        Room::OriginTenantWeak(route.origin.clone(), tenant),
        Room::TenantWeak(tenant),
        Room::OriginWeak(route.origin.clone()),
        Room::Slow,
        Room::Weak,
    ];
    all.into_iter().filter(|room| !has.contains(room)).collect()
}

#[derive(Debug)]
pub(super) struct Counts {
    limits: InFlightLimits,
    used: HashMap<Room, usize>,
}

impl Counts {
    pub(super) fn new(limits: InFlightLimits) -> Self {
        Self {
            limits,
            used: HashMap::new(),
        }
    }

    pub(super) fn used(&self, room: &Room) -> usize {
        self.used.get(room).copied().unwrap_or_default()
    }

    /// What the request has to wait for, if anything.
    pub(super) fn full(&self, asked: &Asked) -> Option<Wait> {
        asked.rooms.iter().find_map(|room| {
            if self.used(room) >= self.limit(room, asked) {
                return Some(Wait::Room(room.clone()));
            }
            let total = total(room)?;
            let free = self.limit(&total, asked).saturating_sub(self.used(&total));
            // Who has nothing waits for the total itself.
            let fair = free.saturating_mul(FAIR).max(1);
            (self.used(room) >= fair).then_some(Wait::Share(total))
        })
    }

    /// What a webhook has to wait for that last responded this long ago: if little is free of all,
    /// or at its origin, that is for those that responded later.
    pub(super) fn is_for_others(&self, asked: &Asked, silent_for: Duration) -> Option<Wait> {
        let room = asked.rooms.iter().find(|room| {
            let (limit, usual) = match room {
                Room::All => (self.all(), self.limits.total),
                Room::Origin(_) => (self.limits.per_origin, self.limits.per_origin),
                _ => return false,
            };
            let free = limit.saturating_sub(self.used(room));
            let part = free.saturating_mul(LAST);
            let (has, of) = (part as u128, usual as u128);
            let within = RESPONDED_WITHIN.as_micros() * has.pow(2) / of.pow(2).max(1);
            part < usual && silent_for.as_micros() > within
        });
        room.map(|room| Wait::Share(room.clone()))
    }

    pub(super) fn add(&mut self, rooms: &[Room]) {
        for room in rooms {
            *self.used.entry(room.clone()).or_default() += 1;
        }
    }

    pub(super) fn remove(&mut self, rooms: &[Room]) {
        for room in rooms {
            if let Some(used) = self.used.get_mut(room) {
                *used = used.saturating_sub(1);
                if *used == 0 {
                    self.used.remove(room);
                }
            }
        }
    }

    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.used.is_empty()
    }

    fn limit(&self, room: &Room, asked: &Asked) -> usize {
        let limits = &self.limits;
        match room {
            Room::All => self.all(),
            Room::Trial => self.at_trial(asked.of_trials),
            Room::SlowTrial => usize::MAX,
            Room::Weak => self.weak(),
            Room::Slow => self.slow(),
            Room::Retries => share(limits.total, limits.retry_percent),
            Room::Alone => 1,
            Room::Tenant(_) => limits.per_tenant,
            Room::TenantWeak(_) => part(self.weak(), OF_WEAK),
            Room::Owner(_) => limits.per_owner,
            Room::Webhook(_) => asked.webhook,
            Room::WebhookSlow(_) => usize::MAX,
            Room::Origin(_) => limits.per_origin,
            Room::OriginWeak(_) => self.origin_weak(),
            Room::OriginTenant(..) => part(limits.per_origin, OF_ORIGIN),
            Room::OriginTenantWeak(..) => part(self.origin_weak(), OF_ORIGIN),
        }
    }

    /// All, and up to half as many again for what is weak beyond its share.
    fn all(&self) -> usize {
        let beyond = self.used(&Room::Weak).saturating_sub(self.weak());
        self.limits.total + beyond.min(self.limits.total / BEYOND)
    }

    /// How many of those that waited for it may be tried now.
    pub(super) fn free_trials(&self) -> usize {
        let all = self.at_trial(QUARTERS);
        all.saturating_sub(self.used(&Room::Trial))
    }

    /// How many may be on trial at a time, of those that may have that number of quarters of it.
    /// The last place is for those that waited, unless there are none that are slow.
    fn at_trial(&self, quarters: usize) -> usize {
        let trials = self.trials();
        if quarters == QUARTERS {
            return trials.div_ceil(OF_TRIALS);
        }
        let one = usize::from(self.used(&Room::SlowTrial) == 0);
        (trials * quarters / (OF_TRIALS * QUARTERS)).max(one)
    }

    /// What slow trials leave.
    fn trials(&self) -> usize {
        let all = self.limits.total / BEYOND;
        all.saturating_sub(self.used(&Room::SlowTrial))
    }

    fn weak(&self) -> usize {
        share(self.limits.total, self.limits.slow_percent)
    }

    /// The rest is for webhooks that have not been tried.
    fn slow(&self) -> usize {
        share(self.weak(), KNOWN_SLOW)
    }

    fn origin_weak(&self) -> usize {
        share(self.limits.per_origin, self.limits.slow_percent)
    }
}

/// The total of which this is one tenant's or owner's part.
fn total(room: &Room) -> Option<Room> {
    match room {
        Room::Tenant(_) | Room::Owner(_) => Some(Room::All),
        Room::TenantWeak(_) => Some(Room::Weak),
        Room::OriginTenant(origin, _) => Some(Room::Origin(origin.clone())),
        Room::OriginTenantWeak(origin, _) => Some(Room::OriginWeak(origin.clone())),
        _ => None,
    }
}

/// A share of a limit, at least one.
fn share(limit: usize, percent: usize) -> usize {
    (limit.saturating_mul(percent) / 100).max(1)
}

fn part(limit: usize, of: usize) -> usize {
    (limit / of).max(1)
}
