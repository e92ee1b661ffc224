//! Lists for callers who may see only some of the rows. The store looks up whose rows to read, so
//! what others have costs nothing.

use gatepost_engine::EngineError;
use gatepost_keys::{Authority, OwnerId, TenantId};
use gatepost_storage::{Bodies, Page, Scope};

use crate::actor::Actor;
use crate::error::ManageError;

/// Rows that are read at most to fill one page.
const MOST_READ: usize = 20_000;
/// Rows that are counted at a time.
const STRIDE: u32 = 500;

/// Rows that the caller may see.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Listed<R, I> {
    /// The rows, in the order of the page that was asked for; at most its limit.
    pub rows: Vec<R>,
    /// The row after which to go on; `None` when the end was reached. There may be fewer rows than
    /// the limit and yet more to come: no call reads more than 20,000 rows, nor more of what may be
    /// large than the page of [`Bodies::UpTo`].
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

/// Whose a row is.
pub(crate) struct Whose {
    pub owner: OwnerId,
    /// Of a row that stays with the tenant in which it was made: that tenant, if there was one.
    pub made_in: Option<Option<TenantId>>,
}

impl Whose {
    /// Of a row that goes with its owner.
    pub(crate) fn of(owner: OwnerId) -> Self {
        Self {
            owner,
            made_in: None,
        }
    }

    /// Whether the caller may see the row.
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
    /// One page of the rows that were asked for and that the caller may see, in the caller's turn.
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

    /// The same without a turn, where there is never much to read.
    ///
    /// In a tenant there may be rows that its administrator may not see: those of a system
    /// administrator who is in that tenant, and of a user who has just left. Each is judged.
    /// `whose` says of which rows: what it says nothing of was not asked for.
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

/// How many rows there are, read page by page.
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
