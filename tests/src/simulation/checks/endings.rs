//! Deliveries that ended without success, compared with the settings of their webhook; and
//! cancelled deliveries.

use chrono::TimeDelta;
use gatepost_storage::webhooks::{Delivery, DeliveryState, EndReason};

use super::{CLAIMED, Judge, Promise};
use crate::simulation::ledger::Hook;
use crate::simulation::network::Request;

/// The error text of a cancelled delivery.
const CANCELLED: &str = "cancelled";
/// If no claim is lost, no waiting delivery was claimed.
const AT_ONCE: TimeDelta = TimeDelta::seconds(1);

impl Judge<'_> {
    /// Checks that all attempts were made that its webhook allowed at any time, or that there is
    /// another reason.
    pub(super) fn given_up(&mut self, delivery: &Delivery, hook: &Hook) {
        if delivery.state != DeliveryState::Error {
            return;
        }
        let has_reason = match delivery.status_info.as_str() {
            CANCELLED => {
                let mut cancels = hook.cancels.iter();
                cancels.any(|cancel| cancel.asked.contains(&delivery.id))
            }
            info if info == EndReason::Expired.as_str() => hook.rests.iter().any(|rest| rest.on),
            info if info == EndReason::LostClaims.as_str() => {
                !self.evidence.calm && delivery.lost_claims >= Delivery::MAX_LOST_CLAIMS
            }
            _ if delivery.class == "refused" => hook.host.is_none(),
            _ => delivery.tries > hook.fewest,
        };
        if !has_reason {
            let what = format!(
                "{}: {:?} after {} attempts, {} retries are allowed",
                delivery.message_id, delivery.status_info, delivery.tries, hook.fewest,
            );
            self.breach(Promise::NothingIsGivenUpEarly, what);
        }
    }

    /// Checks that it stays cancelled, and that no request follows; but a claim that was lost
    /// before may still be used until its lease ends.
    pub(super) fn cancelled(&mut self, delivery: &Delivery, hook: &Hook, requests: &[&Request]) {
        let cancels = hook.cancels.iter();
        let cancels = cancels.filter(|cancel| cancel.asked.contains(&delivery.id));
        let Some(done) = cancels.filter_map(|cancel| cancel.done).min() else {
            return;
        };
        if hook.replayed {
            return;
        }
        let used_until = match self.evidence.calm {
            true => done + AT_ONCE,
            false => done + CLAIMED,
        };
        let stays = delivery.state == DeliveryState::Error && delivery.status_info == CANCELLED;
        let sent = requests.iter().find(|request| request.at > used_until);
        if !stays || sent.is_some() {
            let what = format!(
                "{}: cancelled at {done}, then {:?} {:?}, sent at {:?}",
                delivery.message_id,
                delivery.state,
                delivery.status_info,
                sent.map(|request| request.at),
            );
            self.breach(Promise::CancelsHold, what);
        }
    }
}
