//! Whatever requests begin, become slow and end, in whatever order: no limit is exceeded, and all
//! room is given back.

use std::collections::HashMap;
use std::hash::Hash;

use gatepost_ids::Place;
use gatepost_storage::webhooks::LaneClass;
use proptest::prelude::*;

use super::{finish, limited, route_to, tenant};
use crate::admission::room::Room;
use crate::admission::{Feedback, Permit};
use crate::config::InFlightLimits;

const TOTAL: usize = 16;
const PER_WEBHOOK: usize = 3;
const PER_ORIGIN: usize = 8;
const PER_OWNER: usize = 6;
const PER_TENANT: usize = 7;

#[derive(Clone, Debug)]
enum Step {
    Begin {
        webhook: u32,
        class: LaneClass,
        is_new: bool,
    },
    Slow(usize),
    End(usize, Feedback),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let class = prop_oneof![
        4 => Just(LaneClass::First),
        2 => Just(LaneClass::Retry),
        1 => Just(LaneClass::Alone),
    ];
    let feedback = prop_oneof![
        3 => Just(Feedback::Received),
        1 => Just(Feedback::Overloaded),
        1 => Just(Feedback::TimedOut),
        1 => Just(Feedback::Refused),
    ];
    let step = prop_oneof![
        6 => (0..60u32, class, any::<bool>())
            .prop_map(|(webhook, class, is_new)| Step::Begin { webhook, class, is_new }),
        1 => any::<usize>().prop_map(Step::Slow),
        3 => (any::<usize>(), feedback).prop_map(|(at, feedback)| Step::End(at, feedback)),
    ];
    prop::collection::vec(step, 1..400)
}

/// Where a webhook stands: 12 owners in 4 places, one of them `Common`; 5 origins.
fn facts(webhook: u32) -> (u32, Place, String) {
    let owner = webhook % 12;
    let place = match owner % 4 {
        0 => Place::Common,
        n => tenant(n),
    };
    (
        owner,
        place,
        format!("https://host-{}.example.com/", webhook % 5),
    )
}

/// The most that any has.
fn most<K: Eq + Hash>(held: &[Held], key: impl Fn(&Held) -> Option<K>) -> usize {
    let mut counts: HashMap<K, usize> = HashMap::new();
    for key in held.iter().filter_map(key) {
        *counts.entry(key).or_default() += 1;
    }
    counts.into_values().max().unwrap_or_default()
}

struct Held {
    webhook: u32,
    class: LaneClass,
    permit: Permit,
}

impl Held {
    fn place(&self) -> Place {
        facts(self.webhook).1
    }

    /// As tenants are walled off: in `Common`, owners.
    fn walled(&self) -> String {
        let (owner, place, _) = facts(self.webhook);
        format!("{place} {}", if place == Place::Common { owner } else { 0 })
    }
}

proptest! {
    #[test]
    fn no_limit_is_exceeded_and_all_room_is_given_back(steps in steps()) {
        let limits = InFlightLimits::default()
            .with_total(TOTAL)
            .with_per_webhook(PER_WEBHOOK)
            .with_per_origin(PER_ORIGIN)
            .with_per_owner(PER_OWNER)
            .with_per_tenant(PER_TENANT);
        let in_flight = limited(limits).in_flight;
        let mut held: Vec<Held> = Vec::new();
        for step in steps {
            match step {
                Step::Begin { webhook, class, is_new } => {
                    let (owner, place, url) = facts(webhook);
                    let route = route_to(owner, webhook, &url);
                    let used = || [Room::Weak, Room::Slow].map(|room| in_flight.used(&room));
                    let before = used();
                    let permit = if is_new {
                        in_flight.take_new(&route, place, class).ok()
                    } else {
                        in_flight.try_take(&route, place, class)
                    };
                    // There are more of them only if they became slow while they ran.
                    let now = used();
                    prop_assert!(now[0] == before[0] || now[0] <= TOTAL / 2);
                    prop_assert!(now[1] == before[1] || now[1] <= TOTAL * 3 / 8);
                    held.extend(permit.map(|permit| Held { webhook, class, permit }));
                }
                Step::Slow(at) if !held.is_empty() => {
                    let at = at % held.len();
                    held[at].permit.became_slow();
                }
                Step::End(at, feedback) if !held.is_empty() => {
                    let ended = held.swap_remove(at % held.len());
                    finish([ended.permit], feedback);
                }
                Step::Slow(_) | Step::End(..) => {}
            }
            let class = |class| held.iter().filter(|held| held.class == class).count();
            let used = |room| in_flight.used(&room);
            let trials = used(Room::Trial) + used(Room::SlowTrial);
            let weak = used(Room::Weak);
            let beyond = weak.saturating_sub(TOTAL / 2).min(TOTAL / 2);
            prop_assert!(used(Room::Trial) <= 1 && trials <= TOTAL / 2);
            prop_assert_eq!(in_flight.count(), held.len());
            prop_assert!(held.len() - trials - weak <= TOTAL);
            prop_assert!(held.len() - trials <= TOTAL + beyond);
            prop_assert!(class(LaneClass::Retry) <= TOTAL / 2);
            prop_assert!(class(LaneClass::Alone) <= 1);
            prop_assert!(most(&held, |held| Some(held.webhook)) <= PER_WEBHOOK);
            prop_assert!(most(&held, |held| Some(facts(held.webhook).0)) <= PER_OWNER);
            prop_assert!(most(&held, |held| Some(facts(held.webhook).2)) <= PER_ORIGIN);
            let tenants = |held: &Held| (held.place() != Place::Common).then(|| held.place());
            prop_assert!(most(&held, tenants) <= PER_TENANT);
            let at_origin = |held: &Held| Some((held.walled(), facts(held.webhook).2));
            prop_assert!(most(&held, at_origin) <= PER_ORIGIN / 4);
        }
        drop(held);
        prop_assert!(in_flight.is_empty());
    }
}
