//! Reading a list: one page by age, or all rows of the scope up to a limit; and selecting the rows
//! of the page.

use std::cmp::Reverse;

use gatepost_storage::{Bodies, Order, Page};

use super::asked::{Asked, MOST, Place, ROWS, Sort};
use super::listing::Listing;
use crate::context::PageContext;
use crate::failure::Failure;

/// The number of bytes that are searched before the task yields to other requests.
const PIECE: usize = 128 * 1024;

/// Rows as they were read.
#[derive(Debug)]
pub(crate) struct Found<R> {
    pub rows: Vec<R>,
    pub(super) extent: Extent,
}

/// The extent of the rows that were read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Extent {
    /// One page by age.
    Page {
        total: Total,
        previous: bool,
        /// The row after which the next page begins.
        next: Option<i64>,
    },
    /// All rows of the scope, newest first.
    All,
    /// There are more rows than are searched; none of them is here.
    TooMany,
}

/// The number of rows.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Total {
    Exactly(u64),
    /// More than are counted.
    More,
}

impl Asked {
    /// Reads the rows that this query needs.
    pub(super) async fn read<L: Listing>(
        &self,
        ctx: &PageContext,
    ) -> Result<Found<L::Row>, Failure> {
        let order = match self.sort {
            Sort::Age(order) if !self.is_filtered() => order,
            _ => return self.read_all::<L>(ctx).await,
        };
        let mut place = self.place;
        let (mut rows, mut next) = L::read(ctx, self, around(order, place)).await?;
        if let Place::Before(_) = place {
            if rows.len() > ROWS || next.is_some() {
                // They were read backwards from the known row.
                rows.truncate(ROWS);
                rows.reverse();
                next = rows.last().map(L::number);
            } else {
                // Fewer rows than a page come before: it is the first page.
                place = Place::First;
                (rows, next) = L::read(ctx, self, around(order, place)).await?;
            }
        }
        if rows.len() > ROWS {
            rows.truncate(ROWS);
            next = rows.last().map(L::number);
        }
        let previous = place != Place::First;
        let total = if previous || next.is_some() {
            self.total::<L>(ctx).await?
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

    /// Returns the number of rows: for one user the store maintains it; for several, rows are
    /// counted up to a limit.
    async fn total<L: Listing>(&self, ctx: &PageContext) -> Result<Total, Failure> {
        if let Some(owner) = self.only
            && self.kept.is_empty()
        {
            let limits = ctx.actor.limits(owner).await?;
            let mut limits = limits.iter();
            if let Some(limit) = limits.find(|limit| limit.name == self.shape.name) {
                return Ok(Total::Exactly(limit.used));
            }
        }
        let found = self.read_all::<L>(ctx).await?;
        Ok(match found.extent {
            Extent::TooMany => Total::More,
            _ => Total::Exactly(found.rows.len() as u64),
        })
    }

    async fn read_all<L: Listing>(&self, ctx: &PageContext) -> Result<Found<L::Row>, Failure> {
        let one_more = u32::try_from(MOST + 1).unwrap_or(u32::MAX);
        let page = Page::newest(one_more).with_bodies(Bodies::Omitted);
        let (rows, next) = L::read(ctx, self, page).await?;
        let (rows, extent) = if rows.len() > MOST || next.is_some() {
            (Vec::new(), Extent::TooMany)
        } else {
            (rows, Extent::All)
        };
        Ok(Found { rows, extent })
    }
}

/// Returns the rows of a page, and one more that shows whether there are others.
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

/// A page of a list.
#[derive(Debug)]
pub(crate) struct Shown<R> {
    /// Its rows, in their order.
    pub rows: Vec<R>,
    pub(super) outcome: Outcome,
    pub(super) previous: Option<String>,
    pub(super) next: Option<String>,
    pub(super) is_first: bool,
}

/// The result of a query.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Outcome {
    /// A page by age; `first` if its caption has a range.
    Aged { total: Total, first: bool },
    /// Rows of this range, of those that match, of all in the scope.
    Matched {
        from: usize,
        matching: usize,
        all: usize,
    },
    /// More rows than are searched.
    TooMany,
}

impl Asked {
    /// Whether there are no rows at all, even without a search.
    pub(super) fn is_void<R>(&self, shown: &Shown<R>) -> bool {
        let is_void = matches!(
            shown.outcome,
            Outcome::Aged {
                total: Total::Exactly(0),
                ..
            } | Outcome::Matched { all: 0, .. }
        );
        is_void && self.kept.is_empty()
    }

    /// Returns how many of a user's own rows can be read, if all of them were read; `None`
    /// otherwise.
    pub(super) fn readable<R>(&self, shown: &Shown<R>) -> Option<usize> {
        if self.only.is_none() || !self.kept.is_empty() {
            return None;
        }
        match shown.outcome {
            Outcome::Matched { all, .. } => Some(all),
            Outcome::Aged { first: true, .. } if shown.next.is_none() => Some(shown.rows.len()),
            Outcome::Aged { .. } | Outcome::TooMany => None,
        }
    }

    /// Returns the page. A long search yields to other requests.
    pub(super) async fn select<L: Listing>(
        &self,
        found: Found<L::Row>,
        listing: &L,
    ) -> Shown<L::Row> {
        let Found { rows, extent } = found;
        match extent {
            Extent::Page {
                total,
                previous,
                next,
            } => {
                let before = rows.first().map(L::number).filter(|_| previous);
                let outcome = Outcome::Aged {
                    total,
                    first: !previous,
                };
                Shown {
                    outcome,
                    previous: before.map(|row| self.at(Place::Before(row))),
                    next: next.map(|row| self.at(Place::After(row))),
                    is_first: !previous,
                    rows,
                }
            }
            Extent::TooMany => Shown {
                rows,
                outcome: Outcome::TooMany,
                previous: None,
                next: None,
                is_first: true,
            },
            Extent::All => self.page_of(rows, listing).await,
        }
    }

    async fn page_of<L: Listing>(&self, rows: Vec<L::Row>, listing: &L) -> Shown<L::Row> {
        let all = rows.len();
        let mut rows = self.matching(rows, listing).await;
        self.order(&mut rows, listing);
        let matching = rows.len();
        let last = matching.saturating_sub(1) / ROWS;
        let at = match self.place {
            Place::Page(before) => before.min(last),
            _ => 0,
        };
        let rows: Vec<_> = rows.into_iter().skip(at * ROWS).take(ROWS).collect();
        let page = |at: usize| {
            self.at(match at {
                0 => Place::First,
                at => Place::Page(at),
            })
        };
        Shown {
            rows,
            outcome: Outcome::Matched {
                from: at * ROWS,
                matching,
                all,
            },
            previous: at.checked_sub(1).map(page),
            next: (at < last).then(|| page(at + 1)),
            is_first: at == 0,
        }
    }

    async fn matching<L: Listing>(&self, rows: Vec<L::Row>, listing: &L) -> Vec<L::Row> {
        if !self.is_filtered() {
            return rows;
        }
        let is_kept = |row: &L::Row| {
            let texts = listing.texts(row);
            let is_in = self.state.is_none_or(|state| listing.is_in(row, state));
            let length = texts.iter().map(|text| text.len()).sum();
            (is_in && self.search.finds(&texts), length)
        };
        sifted(rows, is_kept).await
    }

    /// Sorts the rows; rows with the same position are newest first, in either direction.
    fn order<L: Listing>(&self, rows: &mut [L::Row], listing: &L) {
        debug_assert!(rows.len() <= MOST);
        match self.sort {
            Sort::Age(Order::Descending) => rows.sort_by_key(|row| Reverse(L::number(row))),
            Sort::Age(Order::Ascending) => rows.sort_by_key(L::number),
            Sort::By(order, turned) => {
                rows.sort_by_key(|row| Reverse(L::number(row)));
                let mut columns = L::COLUMNS.iter();
                let Some(column) = columns.find(|column| column.sort == order) else {
                    return;
                };
                if turned {
                    rows.sort_by_cached_key(|row| Reverse((column.rank)(listing, row)));
                } else {
                    rows.sort_by_cached_key(|row| (column.rank)(listing, row));
                }
            }
        }
    }
}

/// Returns the rows to keep. `judge` returns whether to keep a row, and the number of bytes that it
/// read. Yields after each piece.
async fn sifted<R>(rows: Vec<R>, judge: impl Fn(&R) -> (bool, usize)) -> Vec<R> {
    let (mut kept, mut since) = (Vec::new(), 0);
    for row in rows {
        let (is_kept, bytes) = judge(&row);
        if is_kept {
            kept.push(row);
        }
        since += bytes;
        if since >= PIECE {
            since = 0;
            tokio::task::yield_now().await;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    #[tokio::test]
    async fn long_list_search_yields_cooperatively() {
        let mut context = Context::from_waker(Waker::noop());
        let even = |bytes| move |row: &u32| (row.is_multiple_of(2), bytes);
        let short = pin!(sifted((0..9).collect(), even(100)));
        let Poll::Ready(kept) = short.poll(&mut context) else {
            panic!("a short one is done in one poll");
        };
        assert_eq!(kept, [0, 2, 4, 6, 8]);
        let mut long = pin!(sifted((0..9).collect(), even(PIECE / 4)));
        assert!(long.as_mut().poll(&mut context).is_pending());
        assert_eq!(long.await, [0, 2, 4, 6, 8]);
    }
}
