//! Enqueues as columns, and the statement that takes them.

mod basis;
mod deliveries;
mod later;
mod origins;
mod plain;

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{Basis, Enqueue, Origin};
use tokio_postgres::types::ToSql;

use self::basis::BasisColumns;
use self::deliveries::DeliveryColumns;
use self::later::LaterColumns;
use self::origins::OriginColumns;
pub(super) use self::origins::parts;
pub(super) use self::plain::Plain;
use crate::change::Alone;

const ANY: &str = concat!(
    include_str!("../../../sql/queue/enqueue.sql"),
    include_str!("../../../sql/queue/store.sql"),
    include_str!("../../../sql/queue/stored_any.sql"),
);
const DIRECT: &str = concat!(
    include_str!("../../../sql/queue/enqueue_direct.sql"),
    include_str!("../../../sql/queue/store.sql"),
    include_str!("../../../sql/queue/stored.sql"),
);

/// One row, as of the others.
pub(super) const LATER: &str = include_str!("../../../sql/queue/later.sql");

/// An enqueue and its `now`.
pub(super) type Item = (Enqueue, DateTime<Utc>);

/// Whether it is nothing but rows of the outbox, and depends on nothing.
pub(super) fn is_later((batch, _): &Item) -> bool {
    let is_direct = (&batch.basis, &batch.origin) == (&Basis::Nothing, &Origin::Direct);
    is_direct && batch.deliveries.is_empty() && batch.consume.is_empty()
}

pub(super) struct Columns<'a> {
    count: i32,
    origins: OriginColumns<'a>,
    basis: BasisColumns,
    deliveries: DeliveryColumns<'a>,
    later: LaterColumns<'a>,
}

impl<'a> Columns<'a> {
    pub(super) fn of(items: &[&'a Item]) -> Self {
        let mut columns = Self {
            count: 0,
            origins: OriginColumns::default(),
            basis: BasisColumns::default(),
            deliveries: DeliveryColumns::default(),
            later: LaterColumns::default(),
        };
        for (batch, now) in items.iter().copied() {
            columns.count += 1;
            let number = columns.count;
            columns.origins.push(&batch.origin, *now);
            columns.basis.push(number, batch);
            for delivery in &batch.deliveries {
                columns.deliveries.push(number, delivery, *now);
            }
            for row in &batch.later {
                columns.later.push(number, row);
            }
        }
        columns
    }

    /// The webhooks, each once.
    pub(super) fn webhooks(&self) -> Vec<i64> {
        let mut webhooks = self.deliveries.webhook.clone();
        webhooks.sort_unstable();
        webhooks.dedup();
        webhooks
    }

    /// What it changes.
    pub(super) fn alone(&self) -> Alone {
        Alone {
            tasks: self.basis.consume.clone(),
            ..Alone::default()
        }
    }

    /// The same, if all of it is the common case.
    pub(super) fn plain(&self) -> Option<Plain<'_>> {
        if !self.is_direct() {
            return None;
        }
        Plain::of(self.basis.places_once()?, &self.deliveries)
    }

    fn is_direct(&self) -> bool {
        self.origins.are_direct() && self.basis.is_plain() && self.later.is_empty()
    }

    /// What [`LATER`] takes.
    pub(super) fn later(&self) -> Vec<&(dyn ToSql + Sync)> {
        let now = [self.origins.now()];
        now.into_iter().chain(self.later.params()).collect()
    }

    pub(super) fn sql(&self) -> &'static str {
        if self.is_direct() { DIRECT } else { ANY }
    }

    pub(super) fn params(&self) -> Vec<&(dyn ToSql + Sync)> {
        let mut params: Vec<&(dyn ToSql + Sync)> = Vec::with_capacity(41);
        if self.is_direct() {
            params.push(&self.count);
            params.extend(self.basis.of_places());
        } else {
            params.extend(self.origins.params());
            params.extend(self.basis.of_places());
            params.extend(self.basis.of_rows());
        }
        params.extend(self.deliveries.params());
        if !self.is_direct() {
            params.extend(self.later.params());
        }
        params
    }
}
