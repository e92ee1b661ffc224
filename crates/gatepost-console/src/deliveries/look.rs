//! The data of one page of the list of deliveries: its rows, the positions of its neighbouring
//! pages, and the number of deliveries that match.

use chrono::{DateTime, Utc};
use gatepost_manage::FoundDeliveries;
use gatepost_storage::Order;
use gatepost_storage::webhooks::{Delivery, DeliveryId};

use super::asked::{Asked, Place};
use crate::context::PageContext;
use crate::failure::Failure;

/// The number of rows on a page.
pub(super) const ROWS: usize = 50;
/// The number of rows that are read: one more shows whether there is another page.
const READ: u32 = 51;

/// The maximum number of deliveries that are counted.
pub(super) const COUNTED: usize = 2_000;
/// The number of rows that a count reads: one more shows whether there are more.
pub(super) const COUNT: u32 = 2_001;

/// The state of a page that refreshes itself.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Known {
    /// The first page keeps showing the rows up to this one, and the number of those above it.
    pub top: Option<DeliveryId>,
    /// There are more deliveries than are counted: they need not be counted again.
    pub more: bool,
}

/// The data of one page.
#[derive(Debug)]
pub(super) struct Look {
    /// The position of the page, which is the first page if the requested one turned out to be
    /// that.
    pub place: Place,
    pub rows: Vec<Delivery>,
    pub previous: Option<Place>,
    pub next: Option<Place>,
    /// The position from which to continue, if the search reached its limit before the page was
    /// full.
    pub cut: Option<Cut>,
    pub total: Total,
    /// The number of deliveries queued after the page was opened.
    pub newer: usize,
}

/// The end of a search that reached its limit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    /// The position of the unread rest.
    pub rest: Place,
    /// The time at which the last row that was read was queued.
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
            // Fewer rows come before than fit on a page: it is the first page.
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

    /// Reads the first page and the total, in one query if there is anything to count.
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

    /// Makes the page from the rows that were read for it.
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

/// Returns the row from which reading in the other direction has this row on its page.
fn with_itself(row: DeliveryId, walk: Order) -> DeliveryId {
    DeliveryId(match walk {
        Order::Ascending => row.0.saturating_add(1),
        Order::Descending => row.0.saturating_sub(1),
    })
}

/// The number of deliveries that match.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Total {
    Exactly(usize),
    /// More than are counted.
    More,
    /// At least this number, among those that were read; the last of them was queued at this time.
    AtLeast(usize, Option<DateTime<Utc>>),
    /// Not counted: a text would have to be searched in all of them.
    Unknown,
}

impl Total {
    /// Counts the matches of a query without a lower bound.
    fn of(look: &FoundDeliveries) -> Self {
        match look.rows.len() {
            found if found > COUNTED => Self::More,
            found if look.next.is_none() => Self::Exactly(found),
            found => Self::AtLeast(found, look.searched_to),
        }
    }
}
