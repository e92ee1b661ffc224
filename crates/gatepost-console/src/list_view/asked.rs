//! What is asked of a list, read from the address.

use apikey_core::OwnerId;
use gatepost_manage::AccessLevel;
use gatepost_storage::{Order, Scope};
use webhook_model::trim_pasted;

use super::listing::{Shape, SortBy};
use super::search::Search;
use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Form;

/// The field of each part of the address.
pub(super) const SEARCH: &str = "q";
pub(super) const STATE: &str = "state";
pub(super) const SORT: &str = "sort";
pub(super) const OWNER: &str = "owner";
pub(super) const AFTER: &str = "after";
pub(super) const BEFORE: &str = "before";
pub(super) const PAGE: &str = "page";
/// The order of creation, by its name in the address.
pub(super) const CREATED: &str = "created";

/// What is asked of a list, by a caller who may ask it.
#[derive(Debug)]
pub(crate) struct Asked {
    /// The list's own address, without a query.
    pub(super) path: String,
    pub(super) shape: &'static Shape,
    pub(super) search: Search,
    pub(super) state: Option<&'static str>,
    pub(super) sort: Sort,
    pub(super) owner: Option<OwnerId>,
    /// The one user whose rows these are; `None` if they may be several users'.
    pub(super) only: Option<OwnerId>,
    /// Whether the address of the list names the owner already.
    pub(super) is_owners: bool,
    pub(super) kept: Vec<(&'static str, String)>,
    pub(super) place: Place,
}

/// An order.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sort {
    /// The order of creation: the store's own.
    Age(Order),
    /// Another, and whether it is turned round.
    By(&'static SortBy, bool),
}

/// Where in a list a page is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Place {
    First,
    /// By age: beyond this row.
    After(i64),
    /// By age: the page that ends before this row.
    Before(i64),
    /// In any other order: the pages before it, at least one.
    Page(usize),
}

impl Asked {
    /// Reads what is asked of the list at `path`. An owner who is not the caller's to manage is not
    /// found, whoever that is.
    pub(crate) async fn parse(
        ctx: &PageContext,
        path: &str,
        query: &Form,
        shape: &'static Shape,
    ) -> Result<Self, Failure> {
        let owner = query.owner(OWNER);
        if let Some(owner) = owner
            && !ctx.actor.may_manage(owner).await?
        {
            return Err(Failure::NotFound);
        }
        Ok(Self::read_query(ctx, path, query, shape, owner))
    }

    /// The same of the list on an owner's own page. The caller judges who may see that page.
    pub(crate) fn of_owner(
        ctx: &PageContext,
        path: &str,
        query: &Form,
        shape: &'static Shape,
        owner: OwnerId,
    ) -> Self {
        Self {
            is_owners: true,
            ..Self::read_query(ctx, path, query, shape, Some(owner))
        }
    }

    /// Whose rows.
    pub(crate) fn scope(&self) -> Scope {
        self.owner.map_or(Scope::All, Scope::Owner)
    }

    /// The owner that was asked for.
    pub(crate) fn owner(&self) -> Option<OwnerId> {
        self.owner
    }

    /// What narrows the list down besides; empty if nothing was asked for.
    pub(crate) fn kept(&self, name: &str) -> &str {
        let found = self.kept.iter().find(|(known, _)| *known == name);
        found.map_or("", |(_, value)| value.as_str())
    }

    /// Whether the rows are asked for by age and all of them, as the store lists them.
    pub(super) fn is_by_age(&self) -> bool {
        matches!(self.sort, Sort::Age(_)) && !self.is_filtered()
    }

    /// Whether rows of the scope are left out.
    pub(super) fn is_filtered(&self) -> bool {
        !self.search.is_empty() || self.state.is_some()
    }

    fn read_query(
        ctx: &PageContext,
        path: &str,
        query: &Form,
        shape: &'static Shape,
        owner: Option<OwnerId>,
    ) -> Self {
        let caller = ctx.principal();
        let own = (caller.access == AccessLevel::User).then_some(caller.owner);
        let state = query.text(STATE);
        let state = shape.states.iter().find(|(value, _)| *value == state);
        let kept = shape.kept.iter().filter_map(|kept| {
            let value = trim_pasted(query.text(kept.name));
            (!value.is_empty()).then(|| (kept.name, value.to_owned()))
        });
        let mut asked = Self {
            path: ctx.at(path),
            shape,
            search: Search::parse(query.text(SEARCH)),
            state: state.map(|(value, _)| *value),
            sort: Sort::parse(query.text(SORT), shape),
            owner,
            only: owner.or(own),
            is_owners: false,
            kept: kept.collect(),
            place: Place::First,
        };
        asked.place = if asked.is_by_age() {
            let after = query.key(AFTER).map(Place::After);
            after.or(query.key(BEFORE).map(Place::Before))
        } else {
            let page = query.key(PAGE).and_then(|page| usize::try_from(page).ok());
            page.filter(|page| *page > 1)
                .map(|page| Place::Page(page - 1))
        }
        .unwrap_or(Place::First);
        asked
    }
}

impl Sort {
    /// `name`, or `-name` for the other direction; newest first where nothing that is known is
    /// asked for.
    fn parse(text: &str, shape: &'static Shape) -> Self {
        let (name, turned) = match text.strip_prefix('-') {
            Some(name) => (name, true),
            None => (text, false),
        };
        match shape.orders.iter().find(|order| order.name == name) {
            Some(order) => Self::By(order, turned),
            None if text == CREATED => Self::Age(Order::Ascending),
            None => Self::Age(Order::Descending),
        }
    }

    /// As it is in the address; nothing for the newest first.
    pub(super) fn to_text(self) -> String {
        match self {
            Self::Age(Order::Descending) => String::new(),
            Self::Age(Order::Ascending) => CREATED.to_owned(),
            Self::By(order, false) => order.name.to_owned(),
            Self::By(order, true) => format!("-{}", order.name),
        }
    }
}
