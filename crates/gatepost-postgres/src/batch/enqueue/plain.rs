//! The common case: enqueues whose preconditions are realms and whose leases have one length.

use chrono::{DateTime, Utc};
use gatepost_ids::Realm;
use gatepost_storage::webhooks::{NewDelivery, Origin, Precondition, RoutesVersion};

use super::columns::{Item, cause};
use crate::column::{Column, column};

const QUEUED: &str = concat!(
    sql!("queue/enqueue_plain"),
    sql!("queue/plain_queued"),
    sql!("queue/plain_end"),
);
const LEASED: &str = concat!(sql!("queue/enqueue_plain"), sql!("queue/plain_leased"));
const BOTH: &str = concat!(
    sql!("queue/enqueue_plain"),
    sql!("queue/plain_queued"),
    sql!("queue/plain_leased"),
);
/// The maximum number of deliveries that share a token, as in `queue/enqueue.sql`.
const SHARE: usize = 256;

pub(super) struct Plain<'a> {
    /// Each once.
    places: Vec<(Realm, RoutesVersion)>,
    deliveries: Vec<(&'a NewDelivery, DateTime<Utc>)>,
    /// The end of the lease of deliveries that do not wait.
    lease: Option<DateTime<Utc>>,
}

impl<'a> Plain<'a> {
    /// Returns the items in this form, if all of them are the common case.
    pub(super) fn of(items: &[&'a Item]) -> Option<Self> {
        let (mut places, mut deliveries) = (Vec::new(), Vec::new());
        for (batch, now) in items.iter().copied() {
            match &batch.precondition {
                Precondition::Nothing => {}
                Precondition::Realms(of) => places.extend_from_slice(of),
                Precondition::Rows(_) => return None,
            }
            if batch.origin != Origin::Direct
                || !batch.consume.is_empty()
                || !batch.later.is_empty()
            {
                return None;
            }
            deliveries.extend(batch.deliveries.iter().map(|new| (new, *now)));
        }
        places.sort_unstable();
        places.dedup();
        // If two items saw a realm at two versions, one of these is out of date.
        let once = places.windows(2).all(|pair| match pair {
            [(one, _), (next, _)] => one != next,
            _ => true,
        });
        let leases = deliveries.iter();
        let leases = leases.filter_map(|(new, now)| Some((new.lease_until?, *now)));
        let lengths: Vec<_> = leases.clone().map(|(end, now)| end - now).collect();
        let alike = lengths.windows(2).all(|pair| pair.first() == pair.last());
        let lease = leases.map(|(end, _)| end).max();
        (once && alike && !deliveries.is_empty() && lengths.len() <= SHARE).then_some(Self {
            places,
            deliveries,
            lease,
        })
    }

    /// Returns the statement. Its one row holds the ids of all, or NULL if nothing was stored, and
    /// the token of the leased deliveries.
    pub(super) fn sql(&self) -> &'static str {
        let mut deliveries = self.deliveries.iter();
        match self.lease {
            None => QUEUED,
            Some(_) if deliveries.all(|(new, _)| new.lease_until.is_some()) => LEASED,
            Some(_) => BOTH,
        }
    }

    pub(super) fn columns(&self) -> Vec<Column<'a>> {
        let all = || self.deliveries.iter().copied();
        let mut columns = vec![
            column(&self.places, |(place, _)| place.to_string()),
            column(&self.places, |(_, version)| version.0),
            column(all(), |(new, _)| new.message_id.as_str()),
            column(all(), |(new, _)| new.webhook.0),
            column(all(), |(new, _)| new.task.map(|task| task.0)),
            column(all(), |(new, _)| new.body.as_bytes()),
            column(all(), |(_, now)| now),
            column(all(), |(new, _)| cause(new)),
            column(all(), |(new, _)| {
                new.lease_until.is_none().then_some(new.due)
            }),
        ];
        columns.extend(self.lease.map(|lease| Box::new(lease) as Column<'a>));
        columns
    }
}

#[cfg(test)]
mod tests {
    use gatepost_testkit::fixtures::{at, direct, message};
    use webhook_model::WebhookId;

    use super::*;

    /// Takes deliveries as the seconds at which each is created and due, and at which its lease
    /// ends. Returns the end of the lease, and the number of waiting deliveries.
    fn plain(of: &[(i64, Option<i64>)]) -> Option<(Option<DateTime<Utc>>, usize)> {
        let items = of.iter().map(|(created, lease)| {
            let new = NewDelivery {
                lease_until: lease.map(at),
                ..message(WebhookId(1), "m", at(*created))
            };
            (direct(vec![new]), at(*created))
        });
        let items: Vec<Item> = items.collect();
        let plain = Plain::of(&items.iter().collect::<Vec<_>>())?;
        let waits = plain.deliveries.iter();
        let waits = waits.filter(|(new, _)| new.lease_until.is_none());
        Some((plain.lease, waits.count()))
    }

    #[test]
    fn leases_of_equal_length_share_one_end() {
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
