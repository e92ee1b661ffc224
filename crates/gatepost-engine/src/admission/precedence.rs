//! Who lets others begin first, of those that are sent alone.
//!
//! What may have killed its sender has no other such beside it until its outcome is recorded, even
//! if it hangs. Otherwise both would be lost when one kills the sender, both would be suspected
//! once more, and both would come back together, until both have ended. So one that hangs keeps
//! all others waiting until it times out; but once: then they begin before another of its owner,
//! and before another of its tenant.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;

use super::room::Room;

/// For this long the others may begin, for each reason to let them. They are woken at once, so it
/// is only this long if there are none.
const OTHERS_FIRST: Duration = Duration::from_secs(1);
/// For how long it is remembered who kept others waiting.
const REMEMBERED: Duration = Duration::from_secs(3_600);

#[derive(Debug, Default)]
pub(super) struct Precedence {
    /// When the last one ended.
    last_ended: Option<Instant>,
    /// Owners and tenants whose last one took long, and until when that is remembered.
    took_long: HashMap<Room, Instant>,
}

impl Precedence {
    /// The request that has these rooms takes long.
    pub(super) fn takes_long(&mut self, rooms: &[Room], now: Instant) {
        if !rooms.contains(&Room::Alone) {
            return;
        }
        self.took_long.retain(|_, until| *until > now);
        let whose = rooms
            .iter()
            .filter(|room| matches!(room, Room::Owner(_) | Room::Tenant(_)));
        let noted = whose.map(|room| (room.clone(), now + REMEMBERED));
        self.took_long.extend(noted);
    }

    /// The request that had these rooms has ended.
    pub(super) fn ended(&mut self, rooms: &[Room], now: Instant) {
        if !rooms.contains(&Room::Alone) {
            return;
        }
        self.last_ended = Some(now);
        let took_long = |room: &Room| matches!(room, Room::WebhookSlow(_));
        if !rooms.iter().any(took_long) {
            for room in rooms {
                self.took_long.remove(room);
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
        let remembered = rooms.iter().filter(|room| {
            let until = self.took_long.get(*room);
            until.is_some_and(|until| *until > now)
        });
        let of_whose: Duration = remembered.map(|_| OTHERS_FIRST).sum();
        let of_webhook = if hangs { OTHERS_FIRST } else { Duration::ZERO };
        let until = ended + of_whose + of_webhook;
        (until > now).then_some(until)
    }
}
