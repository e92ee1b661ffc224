//! Who lets others begin first, of those that are sent alone.
//!
//! What may have killed its sender has no other such beside it until its outcome is recorded, even
//! if it hangs. Otherwise both would be lost when one kills the sender, both would be suspected
//! once more, and both would come back together, until both have ended. So one that hangs keeps
//! all others waiting until it times out; but once: then they begin before another of its owner,
//! and before another of its tenant, until they have had a minute.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;

use super::feedback::{Feedback, Lesson};
use super::room::Room;
use super::standing::SLOW_AFTER;

/// For this long the others may begin, for each reason to let them. They are woken at once, so it
/// is only this long if there are none.
const OTHERS_FIRST: Duration = Duration::from_secs(1);
/// Who hung gives way until the others have had this time. Of others that hang, each counts for as
/// long as it took to see that.
const GIVES_WAY: Duration = Duration::from_secs(60);
/// Who takes longer hangs, even if a response comes in the end: else a target could keep all others
/// waiting for nearly its timeout, each time.
const RESPONDS_WITHIN: Duration = Duration::from_secs(10);

#[derive(Debug, Default)]
pub(super) struct Precedence {
    /// When the last one ended for which a request was made.
    last_ended: Option<Instant>,
    /// Owners and tenants whose last one hung, and for how long they still give way. Each that
    /// hangs takes [`SLOW_AFTER`] of that from all others, so these are of the last 30 at most.
    hung: HashMap<Room, Duration>,
}

impl Precedence {
    /// The request that had these rooms has ended. If none was made, nothing changes.
    pub(super) fn ended(&mut self, rooms: &[Room], lesson: Lesson, now: Instant) {
        let hung = has_hung(lesson);
        let says_nothing = lesson.feedback == Feedback::None && !hung;
        if says_nothing || !rooms.contains(&Room::Alone) {
            return;
        }
        let others_had = if hung {
            SLOW_AFTER
        } else {
            self.last_ended.map_or(Duration::ZERO, |at| now - at)
        };
        self.last_ended = Some(now);
        self.hung.retain(|_, left| {
            *left = left.saturating_sub(others_had);
            !left.is_zero()
        });
        let whose = rooms
            .iter()
            .filter(|room| matches!(room, Room::Owner(_) | Room::Tenant(_)));
        for room in whose {
            if hung {
                self.hung.insert(room.clone(), GIVES_WAY);
            } else {
                self.hung.remove(room);
            }
        }
    }

    /// Until when others may begin before what asks for these rooms. `hangs`: so does a request to
    /// its webhook, right now.
    pub(super) fn lets_others_begin(
        &self,
        rooms: &[Room],
        hangs: bool,
        now: Instant,
    ) -> Option<Instant> {
        let ended = self.last_ended.filter(|_| rooms.contains(&Room::Alone))?;
        let gives_way = rooms.iter().filter(|room| self.hung.contains_key(*room));
        let of_whose: Duration = gives_way.map(|_| OTHERS_FIRST).sum();
        let of_webhook = if hangs { OTHERS_FIRST } else { Duration::ZERO };
        let until = ended + of_whose + of_webhook;
        (until > now).then_some(until)
    }
}

/// Whether the target kept others waiting. Some that close the connection without a response say
/// nothing else.
fn has_hung(lesson: Lesson) -> bool {
    let within = match lesson.feedback {
        Feedback::Received | Feedback::Overloaded | Feedback::Responded => RESPONDS_WITHIN,
        Feedback::None | Feedback::TimedOut | Feedback::Refused | Feedback::Unreachable => {
            SLOW_AFTER
        }
    };
    lesson.took >= within
}

#[cfg(test)]
mod tests {
    use gatepost_ids::{Place, TenantId};
    use webhook_model::OwnerId;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn however_many_hang_only_the_last_of_them_are_remembered() {
        let (mut precedence, now) = (Precedence::default(), Instant::now());
        let lesson = Lesson {
            feedback: Feedback::TimedOut,
            took: SLOW_AFTER,
        };
        for id in 0..1_000 {
            let tenant = Place::Tenant(TenantId(id));
            let rooms = [Room::Alone, Room::Owner(OwnerId(id)), Room::Tenant(tenant)];
            precedence.ended(&rooms, lesson, now);
        }
        assert_eq!(precedence.hung.len(), 2 * 30);
        assert!(precedence.hung.contains_key(&Room::Owner(OwnerId(999))));
    }
}
