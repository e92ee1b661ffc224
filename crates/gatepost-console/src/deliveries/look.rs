//! What is read for one page of the list of deliveries: its rows, where the pages beside it are,
//! and how many deliveries match.

use chrono::{DateTime, Utc};
use gatepost_manage::FoundDeliveries;
use gatepost_storage::Order;
use gatepost_storage::webhooks::{Delivery, DeliveryId};

use super::asked::{Asked, Place};
use crate::context::PageContext;
use crate::failure::Failure;

/// Rows on a page.
pub(super) const ROWS: usize = 50;
/// One more row is read, to see whether there is another page.
const READ: u32 = 51;

/// Up to which number deliveries are counted.
pub(super) const COUNTED: usize = 2_000;
/// What a count reads: one more, to see whether there are.
const COUNT: u32 = 2_001;

/// What is known of a page that refreshes itself.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Known {
    /// The first page stays at the rows up to this one, and says how many are above it.
    pub top: Option<DeliveryId>,
    /// There are more deliveries than are counted: they need not be counted again.
    pub more: bool,
}

/// One page.
#[derive(Debug)]
pub(super) struct Look {
    /// Where it is: the first page where what was asked for turned out to be that.
    pub place: Place,
    pub rows: Vec<Delivery>,
    pub previous: Option<Place>,
    pub next: Option<Place>,
    /// Where to go on, if the look had read enough before the page was full.
    pub cut: Option<Cut>,
    pub total: Total,
    /// How many were queued since the page was opened.
    pub newer: usize,
}

/// Where a look stopped.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    /// What it did not read.
    pub rest: Place,
    /// When the last row that it read was queued.
    pub searched_to: Option<DateTime<Utc>>,
}

impl Look {
    /// Reads a page.
    pub(super) async fn read(
        ctx: &PageContext,
        asked: &Asked,
        known: Known,
    ) -> Result<Self, Failure> {
        if asked.place == Place::First {
            return Self::first(ctx, asked, known).await;
        }
        let rows = asked
            .filter
            .found(ctx, asked.page(asked.place, READ))
            .await?;
        let look = Self::at(asked, asked.place, rows);
        if asked.is_search() {
            return Ok(look);
        }
        if let Place::Back(_) = asked.place
            && look.previous.is_none()
            && look.cut.is_none()
        {
            // No more rows come before than fit a page: it is the first.
            let known = Known { top: None, ..known };
            return Self::first(ctx, asked, known).await;
        }
        let total = if known.more {
            Total::More
        } else {
            let all = asked.page(Place::First, COUNT);
            Total::of(&asked.filter.found(ctx, all).await?)
        };
        Ok(Self { total, ..look })
    }

    /// The first page and the total are of one look, where there is anything to count.
    async fn first(ctx: &PageContext, asked: &Asked, known: Known) -> Result<Self, Failure> {
        let is_counted = !asked.is_search() && !known.more;
        let limit = if is_counted { COUNT } else { READ };
        let mut rows = asked
            .filter
            .found(ctx, asked.page(Place::First, limit))
            .await?;
        let total = match rows.next {
            Some(_) if known.more => Total::More,
            Some(_) if asked.is_search() => Total::Unknown,
            _ => Total::of(&rows),
        };
        let top = known.top.filter(|_| asked.order == Order::Descending);
        let newer = top.map_or(0, |top| rows.rows.iter().filter(|row| row.id > top).count());
        if let Some(top) = top
            && newer > 0
        {
            let from = Place::After(DeliveryId(top.0.saturating_add(1)));
            rows = asked.filter.found(ctx, asked.page(from, READ)).await?;
        }
        let look = Self::at(asked, Place::First, rows);
        Ok(Self {
            total,
            newer,
            ..look
        })
    }

    /// The page of rows that were read for it.
    fn at(asked: &Asked, place: Place, read: FoundDeliveries) -> Self {
        let (mut rows, mut rest) = (read.rows, read.next);
        if rows.len() > ROWS {
            rows.truncate(ROWS);
            rest = rows.last().map(|row| row.id);
        }
        let is_cut = rows.len() < ROWS;
        let beside = rows.first().map(|row| row.id);
        let beside = |row| beside.unwrap_or_else(|| with_itself(row, asked.walk(place)));
        let (previous, next) = match place {
            Place::First => (None, rest.map(Place::After)),
            Place::After(row) => (Some(Place::Back(beside(row))), rest.map(Place::After)),
            Place::Back(row) => (rest.map(Place::Back), Some(Place::After(beside(row)))),
        };
        let rest = match place {
            Place::First | Place::After(_) => next,
            Place::Back(_) => {
                rows.reverse();
                previous
            }
        };
        let cut = rest.filter(|_| is_cut).map(|rest| Cut {
            rest,
            searched_to: read.searched_to,
        });
        Self {
            place,
            rows,
            previous,
            next,
            cut,
            total: Total::Unknown,
            newer: 0,
        }
    }
}

/// The row from which a walk the other way has this one on its page.
fn with_itself(row: DeliveryId, walk: Order) -> DeliveryId {
    DeliveryId(match walk {
        Order::Ascending => row.0.saturating_add(1),
        Order::Descending => row.0.saturating_sub(1),
    })
}

/// How many deliveries match.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Total {
    Exactly(usize),
    /// More than are counted.
    More,
    /// This many among those that were looked at, the last of which was queued then.
    AtLeast(usize, Option<DateTime<Utc>>),
    /// Nobody counted them: a text would have to be searched in all of them.
    Unknown,
}

impl Total {
    /// Of a look at all that matches.
    fn of(look: &FoundDeliveries) -> Self {
        match look.rows.len() {
            found if found > COUNTED => Self::More,
            found if look.next.is_none() => Self::Exactly(found),
            found => Self::AtLeast(found, look.searched_to),
        }
    }
}
