//! The common case: enqueues by places, of which what is leased is leased for as long.

use chrono::{DateTime, Utc};
use tokio_postgres::types::ToSql;

use super::deliveries::DeliveryColumns;

const QUEUED: &str = concat!(
    include_str!("../../../sql/queue/enqueue_plain.sql"),
    include_str!("../../../sql/queue/plain_queued.sql"),
    include_str!("../../../sql/queue/plain_end.sql"),
);
const LEASED: &str = concat!(
    include_str!("../../../sql/queue/enqueue_plain.sql"),
    include_str!("../../../sql/queue/plain_leased.sql"),
);
const BOTH: &str = concat!(
    include_str!("../../../sql/queue/enqueue_plain.sql"),
    include_str!("../../../sql/queue/plain_queued.sql"),
    include_str!("../../../sql/queue/plain_leased.sql"),
);
/// At most this many share a token, as in `queue/store.sql`.
const SHARE: usize = 256;

pub(in crate::batch::enqueue) struct Plain<'a> {
    place: Vec<&'a str>,
    version: Vec<i64>,
    deliveries: &'a DeliveryColumns<'a>,
    waits: Vec<Option<DateTime<Utc>>>,
    /// When the lease of what does not wait ends.
    lease: Option<DateTime<Utc>>,
}

impl<'a> Plain<'a> {
    /// Of places that are there once, and of these deliveries if what is leased of them can share
    /// a token.
    pub(super) fn of(
        (place, version): (Vec<&'a str>, Vec<i64>),
        deliveries: &'a DeliveryColumns<'a>,
    ) -> Option<Self> {
        let due = deliveries.due.iter().zip(&deliveries.lease);
        let waits = due.map(|(due, lease)| lease.is_none().then_some(*due));
        let leases = deliveries.lease.iter().zip(&deliveries.created);
        let lengths = leases.filter_map(|(lease, created)| Some((*lease)? - created));
        let lengths: Vec<_> = lengths.collect();
        let alike = lengths.windows(2).all(|pair| pair.first() == pair.last());
        (!deliveries.due.is_empty() && alike && lengths.len() <= SHARE).then(|| Self {
            place,
            version,
            deliveries,
            waits: waits.collect(),
            lease: deliveries.lease.iter().copied().max().flatten(),
        })
    }

    /// One row: the ids of all, or NULL if nothing was stored; and the token of what is leased.
    pub(in crate::batch::enqueue) fn sql(&self) -> &'static str {
        match self.lease {
            None => QUEUED,
            Some(_) if self.waits.iter().all(Option::is_none) => LEASED,
            Some(_) => BOTH,
        }
    }

    pub(in crate::batch::enqueue) fn params(&self) -> Vec<&(dyn ToSql + Sync)> {
        let mut params: Vec<&(dyn ToSql + Sync)> = Vec::with_capacity(10);
        params.push(&self.place);
        params.push(&self.version);
        params.extend(self.deliveries.plain());
        params.push(&self.waits);
        if let Some(lease) = &self.lease {
            params.push(lease);
        }
        params
    }
}

#[cfg(test)]
mod tests {
    use gatepost_storage::webhooks::NewDelivery;
    use gatepost_testkit::fixtures::{at, message};
    use webhook_model::WebhookId;

    use super::*;

    /// Created at these seconds and due then, leased until those: when the lease ends, and how many
    /// wait.
    fn plain(of: &[(i64, Option<i64>)]) -> Option<(Option<DateTime<Utc>>, usize)> {
        let new = of.iter().map(|(created, lease)| NewDelivery {
            lease_until: lease.map(at),
            ..message(WebhookId(1), "m", at(*created))
        });
        let (new, mut deliveries): (Vec<_>, _) = (new.collect(), DeliveryColumns::default());
        for new in &new {
            deliveries.push(1, new, new.due);
        }
        let plain = Plain::of((Vec::new(), Vec::new()), &deliveries)?;
        Some((plain.lease, plain.waits.iter().flatten().count()))
    }

    #[test]
    fn what_is_leased_has_one_end_if_it_can_share_a_token() {
        assert_eq!(plain(&[(0, Some(60))]), Some((Some(at(60)), 0)));
        assert_eq!(
            plain(&[(3, Some(63)), (0, Some(60))]),
            Some((Some(at(63)), 0))
        );
        assert_eq!(plain(&[(0, None), (0, Some(60))]), Some((Some(at(60)), 1)));
        assert_eq!(plain(&[(0, None), (1, None)]), Some((None, 2)));
        assert_eq!(plain(&[(0, Some(60)), (0, None), (0, Some(90))]), None);
        assert_eq!(plain(&[(0, Some(60)); SHARE]), Some((Some(at(60)), 0)));
        assert_eq!(plain(&[(0, Some(60)); SHARE + 1]), None);
        assert_eq!(plain(&[]), None);
    }
}
