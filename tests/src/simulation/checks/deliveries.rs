//! Each delivery, compared with the requests that arrived.

use chrono::TimeDelta;
use gatepost_storage::webhooks::{Delivery, DeliveryState};

use super::{Judge, Promise};
use crate::simulation::ledger::Hook;
use crate::simulation::network::Request;

impl Judge<'_> {
    pub(super) fn each_delivery(&mut self) {
        for delivery in self.evidence.deliveries {
            let id = delivery.message_id.as_str();
            let requests = self.requests.remove(id).unwrap_or_default();
            let Some(hook) = self.hooks.iter().find(|hook| hook.id == delivery.webhook) else {
                continue;
            };
            let hook = hook.clone();
            if requests
                .iter()
                .any(|request| *request.body != *delivery.body)
            {
                self.breach(Promise::BytesAreTheSame, id);
            }
            self.states(delivery, &requests);
            let counted = requests.iter().filter(|request| !request.repeated);
            let counted = counted.count();
            self.repeats(delivery, &hook, counted);
            self.early(delivery, &hook, &requests);
            self.given_up(delivery, &hook);
            self.cancelled(delivery, &hook, &requests);
        }
        let unknown: Vec<_> = self.requests.keys().map(|id| (*id).to_owned()).collect();
        // A deleted webhook took its log with it.
        if self.hooks.iter().all(|hook| !hook.deleted) {
            for id in unknown {
                self.breach(
                    Promise::NothingIsLost,
                    format!("{id} came and is not stored"),
                );
            }
        }
    }

    fn states(&mut self, delivery: &Delivery, requests: &[&Request]) {
        let accepted = requests.iter().any(
            |request| matches!(request.answered, Some((status, _)) if (200..300).contains(&status)),
        );
        let truth = match delivery.state {
            DeliveryState::Sent => accepted,
            DeliveryState::Error => !delivery.status_info.is_empty(),
            DeliveryState::Queued | DeliveryState::Running => self.evidence.late.is_some(),
        };
        if !truth {
            let (id, state) = (&delivery.message_id, delivery.state);
            let what = format!(
                "{id}: {state:?} {:?}, accepted: {accepted}",
                delivery.status_info
            );
            self.breach(Promise::StatesTellTheTruth, what);
        }
    }

    /// Checks the number of requests of a delivery. Its first lost claim is not counted; an attempt
    /// follows it, or the loss that ends the delivery. If nothing dies no claim is lost.
    fn repeats(&mut self, delivery: &Delivery, hook: &Hook, requests: usize) {
        let (attempts, lost) = (delivery.attempts as usize, delivery.lost_claims as usize);
        let uncounted = match self.evidence.calm {
            true => 0,
            false => attempts + usize::from(lost >= Delivery::MAX_LOST_CLAIMS as usize),
        };
        let bound = hook.retries as usize + 1;
        let is_wrong = requests > attempts + lost + uncounted
            || (self.evidence.calm && lost > 0)
            || (!hook.replayed && attempts > bound);
        if is_wrong {
            let what = format!(
                "{}: {requests} requests, {attempts} attempts of {bound}, {lost} lost claims",
                delivery.message_id,
            );
            self.breach(Promise::RepeatsAreAccountedFor, what);
        }
    }

    fn early(&mut self, delivery: &Delivery, hook: &Hook, requests: &[&Request]) {
        let wrong = TimeDelta::seconds(self.evidence.jumped.cast_signed());
        let slack = TimeDelta::seconds(1) + wrong;
        // A target's wishes are forgotten with an attempt that could not be recorded.
        let requests: Vec<_> = requests
            .iter()
            .filter(|request| !request.repeated)
            .collect();
        let unrecorded = requests.len() > delivery.attempts as usize;
        if unrecorded || hook.hastened || hook.replayed {
            return;
        }
        for pair in requests.windows(2) {
            let Some((_, answered)) = pair[0].answered else {
                continue;
            };
            let wanted = pair[0].leave_alone.unwrap_or_default();
            let wanted = TimeDelta::seconds(wanted.cast_signed());
            let early = pair[1].at - answered + slack < wanted;
            if early {
                let what = format!(
                    "{}: asked again after {}, {wanted} were wanted",
                    delivery.message_id,
                    pair[1].at - answered,
                );
                self.breach(Promise::NothingIsEarly, what);
            }
        }
    }
}
