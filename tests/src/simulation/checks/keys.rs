//! Accepted keys, compared with valid ones.

use chrono::TimeDelta;

use super::{Judge, Promise};
use crate::simulation::keys::{Ends, Use};

impl Judge<'_> {
    pub(super) fn keys(&mut self) {
        // A process that once saw the end of a key does not accept it again when the clock is set
        // back.
        let ahead = TimeDelta::seconds(self.evidence.jumped.cast_signed() * 2);
        let uses = self.evidence.ledger.uses.lock().unwrap().clone();
        for used in uses {
            if used.good_for.is_some_and(|owner| owner != used.owner) {
                self.breach(Promise::WallsHold, format!("{used:?}"));
            }
            if !is_right(&used, ahead) {
                self.breach(Promise::RolledKeysEnd, format!("{used:?}"));
            }
        }
    }
}

/// Returns whether the answer was right: an old key is valid during the overlap and no longer;
/// every other one is valid.
fn is_right(used: &Use, ahead: TimeDelta) -> bool {
    let ([before, after], [first, last]) = (used.known, used.between);
    match (used.good_for, before, after) {
        (Some(_), Ends::Between(_, over), _) => first <= over,
        (None, _, Ends::Never) => false,
        (None, _, Ends::Between(good, _)) => last + ahead >= good,
        _ => true,
    }
}
