//! What may be claimed, and what becomes of lost claims.

use chrono::{DateTime, Utc};
use webhook_model::{DeliveryOrder, WebhookId};

use super::record_table::WebhookRow;
use super::slot::Slot;
use super::store::Tables;
use crate::webhooks::{
    ClaimToken, Claimed, DeliveryId, DeliveryState, DueLane, HourlyCount, Lane, LaneClaim,
    Reclaimed,
};

impl Tables {
    /// The webhook, if it sends and its owner may send.
    pub(super) fn sending(&self, webhook: WebhookId) -> Option<&WebhookRow> {
        let row = self.records.webhooks.get(&webhook)?;
        let stands =
            !self.owners.is_held(row.owner) && !self.owners.moving.contains_key(&row.owner);
        (stands && row.value.sends()).then_some(row)
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
        let due = work.lane(lane);
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
                slot.claim(token, lease_until);
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
            let back = |slot: &mut Slot| (slot.reclaim(now), slot.delivery.webhook);
            match self.deliveries.change(id, back) {
                Some((DeliveryState::Queued, _)) => reclaimed.requeued += 1,
                Some((_, webhook)) => {
                    self.add_counts(&[HourlyCount::failed(webhook, now)]);
                    reclaimed.ended += 1;
                }
                None => {}
            }
        }
        reclaimed
    }
}
