//! Lists for callers who may see only some of the rows.

use gatepost_engine::EngineError;
use gatepost_keys::{Authority, OwnerId};
use gatepost_storage::Page;

use crate::error::ManageError;

/// Rows that are read to fill one page for a caller who may see only some of them.
const MOST_READ: usize = 20_000;
/// Rows that are read at a time for such a caller.
pub(crate) const STRIDE: u32 = 500;

/// Rows that the caller may see.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Listed<R, I> {
    /// The rows, in the order of the page that was asked for; at most its limit.
    pub rows: Vec<R>,
    /// The row after which to go on; `None` when the end was reached. There may be fewer rows than
    /// the limit and yet more to come: no call reads more than 20,000 rows.
    pub next: Option<I>,
}

impl<R, I> Listed<R, I> {
    /// For a caller who may see none of what was asked for.
    pub(crate) fn nothing() -> Self {
        Self {
            rows: Vec::new(),
            next: None,
        }
    }
}

/// Whether a row was found that the caller may see.
pub(crate) fn seen<T>(found: Result<T, ManageError>) -> Result<bool, ManageError> {
    match found {
        Err(ManageError::NotFound) => Ok(false),
        other => other.map(|_| true),
    }
}

/// Says of each row whether the caller may see it.
pub(crate) trait Judge<R> {
    fn may_see(&mut self, row: &R) -> impl Future<Output = Result<bool, ManageError>> + Send;
}

/// By the user that owns a row.
#[derive(Debug)]
pub(crate) struct ByOwner<'a, R> {
    pub authority: Authority<'a>,
    pub owner: fn(&R) -> OwnerId,
}

impl<R: Sync> Judge<R> for ByOwner<'_, R> {
    async fn may_see(&mut self, row: &R) -> Result<bool, ManageError> {
        Ok(self.authority.may_manage((self.owner)(row)).await?)
    }
}

/// Reads until the page is full, the table ends, or enough was read. `stride` is how many rows to
/// read at a time; `None` where all rows that are read can be seen.
pub(crate) async fn fill<R, I: Copy, F>(
    mut page: Page<I>,
    stride: Option<u32>,
    id: fn(&R) -> I,
    judge: &mut impl Judge<R>,
    read: impl Fn(Page<I>) -> F,
) -> Result<Listed<R, I>, ManageError>
where
    F: Future<Output = Result<Vec<R>, EngineError>>,
{
    let limit = page.limit;
    let mut rows: Vec<R> = Vec::new();
    let mut seen = 0;
    loop {
        let missing = limit.saturating_sub(u32::try_from(rows.len()).unwrap_or(limit));
        page.limit = stride.unwrap_or(missing);
        let found = read(page).await?;
        let is_last = found.len() < page.limit as usize;
        seen += found.len();
        for row in found {
            if rows.len() >= limit as usize {
                let next = page.after;
                return Ok(Listed { rows, next });
            }
            page.after = Some(id(&row));
            if judge.may_see(&row).await? {
                rows.push(row);
            }
        }
        if is_last {
            return Ok(Listed { rows, next: None });
        }
        if rows.len() >= limit as usize || seen >= MOST_READ {
            let next = page.after;
            return Ok(Listed { rows, next });
        }
    }
}

/// How many rows there are, read page by page.
pub(crate) async fn count<R, I: Copy, F>(
    id: fn(&R) -> I,
    read: impl Fn(Page<I>) -> F,
) -> Result<u64, ManageError>
where
    F: Future<Output = Result<Vec<R>, EngineError>>,
{
    let (mut page, mut count) = (Page::first(STRIDE), 0);
    loop {
        let found = read(page).await?;
        count += found.len() as u64;
        match found.last() {
            Some(last) if found.len() >= STRIDE as usize => page = page.beyond(id(last)),
            _ => return Ok(count),
        }
    }
}
