//! What may be claimed, how a claim ends, and what becomes of a lost one.

use chrono::{DateTime, Utc};
use webhook_model::{Activity, DeliveryOrder, WebhookId};

use super::delivery_table::Slot;
use super::record_table::WebhookRow;
use super::rows::micros;
use super::store::Tables;
use crate::webhooks::{
    ClaimToken, Claimed, DeliveryId, DeliveryState, Disposition, DueLane, Lane, LaneClaim,
    MAX_LOST_CLAIMS, Reclaimed, Settled, Settlement, lost_claims_info,
};

impl Tables {
    /// The webhook, if it sends and its owner may send.
    pub(super) fn sending(&self, webhook: WebhookId) -> Option<&WebhookRow> {
        let row = self.records.webhooks.get(&webhook)?;
        let stands =
            !self.owners.is_held(row.owner) && !self.owners.moving.contains_key(&row.owner);
        (stands && row.value.activity == Activity::Active).then_some(row)
    }

    /// At most `limit` waiting deliveries of a lane that may be claimed now, oldest due first.
    fn claimable(&self, lane: Lane, limit: u32, now: DateTime<Utc>) -> Vec<DeliveryId> {
        let limit = limit as usize;
        let Some(webhook) = self.sending(lane.webhook) else {
            return Vec::new();
        };
        let work = &self.deliveries.work;
        if webhook.value.order == DeliveryOrder::InOrder {
            let head = work.open(lane.webhook).next();
            let slot = head.and_then(|id| self.deliveries.get(id));
            let slot = slot.filter(|slot| {
                slot.delivery.state == DeliveryState::Queued
                    && slot.delivery.due <= now
                    && slot.lane() == lane
                    && !work.is_running(lane.webhook)
            });
            let head = slot.map(|slot| slot.delivery.id);
            return head.into_iter().take(limit).collect();
        }
        let due = work.lane_from(lane, DateTime::<Utc>::MIN_UTC);
        let due = due.take_while(|(due, _)| *due <= now);
        due.map(|(_, id)| id).take(limit).collect()
    }

    pub(super) fn due_lane(&self, lane: Lane, now: DateTime<Utc>) -> Option<DueLane> {
        let head = *self.claimable(lane, 1, now).first()?;
        let webhook = self.records.webhooks.get(&lane.webhook)?;
        Some(DueLane {
            lane,
            due: self.deliveries.get(head)?.delivery.due,
            owner: webhook.owner,
            place: self.owners.place(webhook.owner),
            revision: webhook.revision,
        })
    }

    pub(super) fn claim(
        &mut self,
        LaneClaim { lane, limit }: LaneClaim,
        lease_until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Vec<Claimed> {
        let ids = self.claimable(lane, limit, now);
        let webhook = self.records.webhooks.get(&lane.webhook);
        let Some(revision) = webhook.map(|row| row.revision) else {
            return Vec::new();
        };
        let claimed = ids.into_iter().filter_map(|id| {
            let token = ClaimToken(self.deliveries.tokens.next());
            self.deliveries.change(id, |slot| {
                slot.token = Some(token);
                slot.delivery.state = DeliveryState::Running;
                slot.delivery.lease_until = Some(micros(lease_until));
                Claimed {
                    delivery: slot.delivery.clone(),
                    token,
                    class: lane.class,
                    revision,
                }
            })
        });
        claimed.collect()
    }

    pub(super) fn reclaim(&mut self, limit: u32, now: DateTime<Utc>) -> Reclaimed {
        let leases = self.deliveries.work.leases.iter();
        let over = leases.take_while(|(end, _)| *end <= now);
        let over = over.filter(|(_, id)| self.deliveries.get(*id).is_some());
        let over: Vec<DeliveryId> = over.take(limit as usize).map(|(_, id)| *id).collect();
        let mut reclaimed = Reclaimed::default();
        for id in over {
            match self.deliveries.change(id, |slot| slot.reclaim(now)) {
                Some(DeliveryState::Queued) => reclaimed.requeued += 1,
                Some(_) => reclaimed.ended += 1,
                None => {}
            }
        }
        reclaimed
    }
}

impl Slot {
    pub(super) fn settle(&mut self, settlement: Settlement) -> Settled {
        let token = Some(settlement.claim.token);
        if self.delivery.state != DeliveryState::Running || self.token != token {
            return if self.settled == token {
                Settled::Done
            } else {
                Settled::Stale
            };
        }
        self.settled = token;
        let delivery = &mut self.delivery;
        delivery.lease_until = None;
        delivery.status_info = settlement.status_info;
        if let Some(mut attempt) = settlement.attempt {
            let before = u32::try_from(self.log.len()).unwrap_or(u32::MAX);
            attempt.number = before.saturating_add(1);
            attempt.started = micros(attempt.started);
            delivery.attempts = delivery.attempts.saturating_add(1);
            delivery.last_attempt = Some(attempt.started);
            delivery.response_status = attempt.status;
            delivery.duration = Some(attempt.duration);
            self.log.push(attempt);
        }
        let (state, due) = settlement.disposition.state_and_due();
        delivery.state = state;
        delivery.due = due.map_or(delivery.due, micros);
        if state.is_final() && !settlement.keep_message {
            delivery.body = "".into();
            delivery.message_kept = false;
        }
        // What is given back is as it was before the claim.
        self.alone &= matches!(settlement.disposition, Disposition::Release { .. });
        Settled::Done
    }

    /// Takes a delivery back from a worker that died.
    fn reclaim(&mut self, now: DateTime<Utc>) -> DeliveryState {
        self.settled = None;
        self.delivery.lease_until = None;
        self.delivery.lost_claims += u32::from(self.alone);
        self.alone = true;
        if self.delivery.lost_claims >= MAX_LOST_CLAIMS {
            self.end(&lost_claims_info());
        } else {
            self.delivery.state = DeliveryState::Queued;
            self.delivery.due = micros(now);
        }
        self.delivery.state
    }
}
