//! Lists for callers who may see only some of the rows. The store looks up the rows by owner, so
//! the rows of others cost nothing.

use gatepost_engine::EngineError;
use gatepost_keys::{Authority, OwnerId, TenantId};
use gatepost_storage::{Bodies, Page, Scope};

use crate::actor::Actor;
use crate::error::ManageError;

/// The maximum number of rows that are read to fill one page.
const MOST_READ: usize = 20_000;
/// The number of rows that are counted at a time.
const STRIDE: u32 = 500;

/// The rows that the caller may see.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Listed<R, I> {
    /// The rows, in the order of the requested page; at most its limit.
    pub rows: Vec<R>,
    /// The row after which to continue; `None` if the end was reached. A page may have fewer rows
    /// than the limit even if more exist: a call reads at most 20,000 rows, and of their bodies at
    /// most the page's [`Bodies::UpTo`].
    pub next: Option<I>,
}

impl<R, I> Listed<R, I> {
    /// Returns an empty page, for a caller who may see none of the requested rows.
    pub(crate) fn nothing() -> Self {
        Self {
            rows: Vec::new(),
            next: None,
        }
    }
}

/// The owner of a row.
pub(crate) struct Whose {
    pub owner: OwnerId,
    /// For a row that stays with the tenant in which it was made: that tenant, if there was one.
    pub made_in: Option<Option<TenantId>>,
}

impl Whose {
    /// Creates it for a row that moves with its owner.
    pub(crate) fn of(owner: OwnerId) -> Self {
        Self {
            owner,
            made_in: None,
        }
    }

    /// Returns whether the caller may see the row.
    pub(crate) async fn is_seen_by(
        &self,
        authority: &mut Authority<'_>,
    ) -> Result<bool, ManageError> {
        Ok(match self.made_in {
            None => authority.may_manage(self.owner).await?,
            Some(tenant) => authority.may_see_made_in(self.owner, tenant).await?,
        })
    }
}

impl Actor {
    /// Returns one page of the requested rows that the caller may see, under the limit of
    /// concurrent lists.
    pub(crate) async fn listed<R, I: Copy, F>(
        &self,
        asked: Scope,
        page: Page<I>,
        id: fn(&R) -> I,
        whose: impl Fn(&R) -> Option<Whose>,
        read: impl Fn(Scope, Page<I>) -> F,
    ) -> Result<Listed<R, I>, ManageError>
    where
        F: Future<Output = Result<Vec<R>, EngineError>>,
    {
        let _turn = self.door.turns.turn(self.principal.owner).await?;
        self.listed_at_once(asked, page, id, whose, read).await
    }

    /// Returns the same without that limit, for lists that never read much.
    ///
    /// A tenant may contain rows that its administrator may not see: those of a system
    /// administrator in that tenant, and of a user who has just left. Each row is checked. `whose`
    /// returns the owner of a row, or `None` for a row that was not requested.
    pub(crate) async fn listed_at_once<R, I: Copy, F>(
        &self,
        asked: Scope,
        mut page: Page<I>,
        id: fn(&R) -> I,
        whose: impl Fn(&R) -> Option<Whose>,
        read: impl Fn(Scope, Page<I>) -> F,
    ) -> Result<Listed<R, I>, ManageError>
    where
        F: Future<Output = Result<Vec<R>, EngineError>>,
    {
        let mut authority = self.authority();
        let Some(scope) = authority.narrow(asked).await? else {
            return Ok(Listed::nothing());
        };
        let (limit, mut rows, mut seen) = (page.limit as usize, Vec::new(), 0);
        loop {
            page.limit = u32::try_from(limit - rows.len()).unwrap_or(u32::MAX);
            let found = read(scope, page).await?;
            let is_cut = matches!(page.bodies, Bodies::UpTo(_));
            let is_last = if is_cut {
                found.is_empty()
            } else {
                found.len() < page.limit as usize
            };
            seen += found.len();
            for row in found {
                page.after = Some(id(&row));
                let Some(whose) = whose(&row) else {
                    continue;
                };
                if whose.is_seen_by(&mut authority).await? {
                    rows.push(row);
                }
            }
            let next = page.after.filter(|_| !is_last);
            let is_enough = rows.len() >= limit || is_cut;
            if is_last || is_enough || seen >= MOST_READ {
                return Ok(Listed { rows, next });
            }
        }
    }
}

/// Counts the rows page by page.
pub(crate) async fn count<R, I: Copy, F>(
    id: fn(&R) -> I,
    read: impl Fn(Page<I>) -> F,
) -> Result<u64, ManageError>
where
    F: Future<Output = Result<Vec<R>, EngineError>>,
{
    let bodiless = Page::first(STRIDE).with_bodies(Bodies::Omitted);
    let (mut page, mut count) = (bodiless, 0);
    loop {
        let found = read(page).await?;
        count += found.len() as u64;
        match found.last() {
            Some(last) if found.len() >= STRIDE as usize => page = page.beyond(id(last)),
            _ => return Ok(count),
        }
    }
}
