//! What is read of a list: one page by age, or all rows of the scope, within a bound.

use gatepost_storage::{Bodies, Order, Page};

use super::asked::{Asked, Place, Sort};
use super::bounds::{MOST, ROWS};
use super::listing::Listing;
use crate::context::PageContext;
use crate::failure::Failure;

/// Rows of a list, and the row after which there are more.
pub(crate) type Rows<R> = (Vec<R>, Option<i64>);

/// Rows as they were read.
#[derive(Debug)]
pub(crate) struct Found<R> {
    pub rows: Vec<R>,
    pub(super) extent: Extent,
}

/// How far what was read goes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Extent {
    /// One page by age.
    Page {
        total: Total,
        previous: bool,
        /// The row beyond which the next page is.
        next: Option<i64>,
    },
    /// All rows of the scope, newest first.
    All,
    /// There are more rows than are looked through; none of them is here.
    TooMany,
}

/// How many rows there are.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Total {
    Exactly(u64),
    /// More than are counted.
    More,
}

impl Asked {
    /// Reads what this needs. `read` is the door's list of the scope; it leaves out bodies.
    pub(crate) async fn read<L: Listing, F>(
        &self,
        ctx: &PageContext,
        read: impl Fn(Page<i64>) -> F,
    ) -> Result<Found<L::Row>, Failure>
    where
        F: Future<Output = Result<Rows<L::Row>, Failure>>,
    {
        let Sort::Age(order) = self.sort else {
            return read_all(read).await;
        };
        if self.is_filtered() {
            return read_all(read).await;
        }
        let mut place = self.place;
        let (mut rows, mut next) = read(around(order, place)).await?;
        if let Place::Before(_) = place {
            if rows.len() > ROWS || next.is_some() {
                // They were read backwards, from the row that is known on.
                rows.truncate(ROWS);
                rows.reverse();
                next = rows.last().map(L::number);
            } else {
                // Fewer rows than fill a page come before: it is the first.
                place = Place::First;
                (rows, next) = read(around(order, place)).await?;
            }
        }
        if rows.len() > ROWS {
            rows.truncate(ROWS);
            next = rows.last().map(L::number);
        }
        let previous = place != Place::First;
        let total = if previous || next.is_some() {
            self.total(ctx, read).await?
        } else {
            Total::Exactly(rows.len() as u64)
        };
        let extent = Extent::Page {
            total,
            previous,
            next,
        };
        Ok(Found { rows, extent })
    }

    /// Of one user, the store keeps the number; of several, rows are counted up to a bound.
    async fn total<R, F>(
        &self,
        ctx: &PageContext,
        read: impl Fn(Page<i64>) -> F,
    ) -> Result<Total, Failure>
    where
        F: Future<Output = Result<Rows<R>, Failure>>,
    {
        if let Some(owner) = self.only
            && self.kept.is_empty()
        {
            let limits = ctx.actor.limits(owner).await?;
            let mut limits = limits.iter();
            if let Some(limit) = limits.find(|limit| limit.name == self.shape.limit) {
                return Ok(Total::Exactly(limit.used));
            }
        }
        let found = read_all(read).await?;
        Ok(match found.extent {
            Extent::TooMany => Total::More,
            _ => Total::Exactly(found.rows.len() as u64),
        })
    }
}

async fn read_all<R, F>(read: impl Fn(Page<i64>) -> F) -> Result<Found<R>, Failure>
where
    F: Future<Output = Result<Rows<R>, Failure>>,
{
    let one_more = u32::try_from(MOST + 1).unwrap_or(u32::MAX);
    let (rows, next) = read(Page::newest(one_more).with_bodies(Bodies::Omitted)).await?;
    let (rows, extent) = if rows.len() > MOST || next.is_some() {
        (Vec::new(), Extent::TooMany)
    } else {
        (rows, Extent::All)
    };
    Ok(Found { rows, extent })
}

/// The rows at a place, and one more to see whether there are others.
fn around(order: Order, place: Place) -> Page<i64> {
    let (after, order) = match place {
        Place::After(row) => (Some(row), order),
        Place::Before(row) => (Some(row), order.reversed()),
        Place::First | Place::Page(_) => (None, order),
    };
    let limit = u32::try_from(ROWS + 1).unwrap_or(u32::MAX);
    Page {
        after,
        order,
        limit,
        bodies: Bodies::Omitted,
    }
}
