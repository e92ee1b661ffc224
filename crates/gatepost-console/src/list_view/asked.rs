//! The query of a list, read from the address and written to it, with the words of a search.

use apikey_core::OwnerId;
use gatepost_manage::AccessLevel;
use gatepost_storage::{Order, Scope};
use url::form_urlencoded::Serializer;
use webhook_model::trim_pasted;

use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::{Form, Search};

/// The fields of the address.
pub(super) const SEARCH: &str = "q";
pub(super) const STATE: &str = "state";
pub(super) const SORT: &str = "sort";
pub(super) const OWNER: &str = "owner";
pub(super) const AFTER: &str = "after";
pub(super) const BEFORE: &str = "before";
pub(super) const PAGE: &str = "page";
/// The number of rows on a page.
pub(super) const ROWS: usize = 50;
/// The maximum number of rows that are searched, filtered, sorted or counted.
pub(super) const MOST: usize = 2_000;
/// The order of creation, by its name in the address.
pub(crate) const CREATED: &str = "created";

/// The possible queries of a list, without the type of its rows.
#[derive(Debug)]
pub(super) struct Shape {
    pub name: &'static str,
    /// The orders other than by age, by their names in the address.
    pub orders: Vec<&'static str>,
    pub states: &'static [&'static str],
    pub kept: &'static [Kept],
}

impl Shape {
    /// Returns the name of a text of the list.
    pub(super) fn text(&self, what: &str) -> String {
        format!("lists-{}-{}", self.name, what.replace('_', "-"))
    }
}

/// A row number or a word in the address by which the store itself filters: the text of `webhook`,
/// `lists-tasks-narrow-webhook`, says how to filter a list by it.
#[derive(Debug)]
pub(crate) struct Kept {
    /// Its name in the address.
    pub name: &'static str,
    /// Whether a field of the form shows it; otherwise the text `lists-tasks-only-webhook` says
    /// that the list is filtered by it.
    pub is_field: bool,
}

/// The query of a list, by a caller who may make it.
#[derive(Debug)]
pub(crate) struct Asked {
    /// The list's own address, without a query.
    pub(super) path: String,
    pub(super) shape: Shape,
    pub(super) search: Search,
    pub(super) state: Option<&'static str>,
    pub(super) sort: Sort,
    pub(super) owner: Option<OwnerId>,
    /// The user who owns all these rows; `None` if they may belong to several users.
    pub(super) only: Option<OwnerId>,
    /// Whether the list's own address names the owner.
    pub(super) is_owners: bool,
    pub(super) kept: Vec<(&'static str, String)>,
    pub(super) place: Place,
}

/// An order.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sort {
    /// The order of creation: the store's own.
    Age(Order),
    /// Another order, and whether it is reversed.
    By(&'static str, bool),
}

/// The position of a page in a list.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Place {
    First,
    /// By age: the page after this row.
    After(i64),
    /// By age: the page that ends before this row.
    Before(i64),
    /// In any other order: the number of pages before it, at least one.
    Page(usize),
}

impl Asked {
    pub(super) async fn parse(
        ctx: &PageContext,
        query: &Form,
        shape: Shape,
    ) -> Result<Self, Failure> {
        let owner = query.owner(OWNER);
        if let Some(owner) = owner
            && !ctx.actor.may_manage(owner).await?
        {
            return Err(Failure::NotFound);
        }
        let path = format!("/{}", shape.name);
        Ok(Self::read_query(ctx, &path, query, shape, owner))
    }

    pub(super) fn of_owner(
        ctx: &PageContext,
        path: &str,
        query: &Form,
        shape: Shape,
        owner: OwnerId,
    ) -> Self {
        Self {
            is_owners: true,
            ..Self::read_query(ctx, path, query, shape, Some(owner))
        }
    }

    /// Returns the scope of the rows.
    pub(crate) fn scope(&self) -> Scope {
        self.owner.map_or(Scope::All, Scope::Owner)
    }

    /// Returns the requested owner.
    pub(crate) fn owner(&self) -> Option<OwnerId> {
        self.owner
    }

    /// Returns the value of another filter; empty if it is not set.
    pub(crate) fn kept(&self, name: &str) -> &str {
        let found = self.kept.iter().find(|(known, _)| *known == name);
        found.map_or("", |(_, value)| value.as_str())
    }

    /// Whether the query is for all rows by age, as the store lists them.
    pub(crate) fn is_by_age(&self) -> bool {
        matches!(self.sort, Sort::Age(_)) && !self.is_filtered()
    }

    /// Whether rows of the scope are left out.
    pub(super) fn is_filtered(&self) -> bool {
        !self.search.is_empty() || self.state.is_some()
    }

    /// Returns the address of a page of this list.
    pub(super) fn at(&self, place: Place) -> String {
        self.address(&self.sort.to_text(), place)
    }

    /// Returns the address of this list in another order.
    pub(super) fn sorted(&self, sort: &str) -> String {
        self.address(sort, Place::First)
    }

    fn address(&self, sort: &str, place: Place) -> String {
        let mut query = Serializer::new(String::new());
        for (name, value) in self.narrowed() {
            query.append_pair(name, &value);
        }
        if !sort.is_empty() {
            query.append_pair(SORT, sort);
        }
        match place {
            Place::First => {}
            Place::After(row) => {
                query.append_pair(AFTER, &row.to_string());
            }
            Place::Before(row) => {
                query.append_pair(BEFORE, &row.to_string());
            }
            Place::Page(before) => {
                query.append_pair(PAGE, &(before + 1).to_string());
            }
        }
        let query = query.finish();
        if query.is_empty() {
            self.path.clone()
        } else {
            format!("{}?{query}", self.path)
        }
    }

    fn narrowed(&self) -> Vec<(&'static str, String)> {
        let mut all = Vec::new();
        if !self.search.is_empty() {
            all.push((SEARCH, self.search.text().to_owned()));
        }
        all.extend(self.state.map(|state| (STATE, state.to_owned())));
        let owner = self.owner.filter(|_| !self.is_owners);
        all.extend(owner.map(|owner| (OWNER, owner.to_string())));
        all.extend(self.kept.iter().cloned());
        all
    }

    fn read_query(
        ctx: &PageContext,
        path: &str,
        query: &Form,
        shape: Shape,
        owner: Option<OwnerId>,
    ) -> Self {
        let caller = ctx.principal();
        let own = (caller.access == AccessLevel::User).then_some(caller.owner);
        let state = query.text(STATE);
        let state = shape.states.iter().find(|value| **value == state);
        let kept = shape.kept.iter().filter_map(|kept| {
            let value = trim_pasted(query.text(kept.name));
            (!value.is_empty()).then(|| (kept.name, value.to_owned()))
        });
        let mut asked = Self {
            path: ctx.at(path),
            search: Search::parse(query.text(SEARCH)),
            state: state.copied(),
            sort: Sort::parse(query.text(SORT), &shape),
            owner,
            only: owner.or(own),
            is_owners: false,
            kept: kept.collect(),
            place: Place::First,
            shape,
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
    /// Parses `name`, or `-name` for the other direction; newest first for any unknown order.
    fn parse(text: &str, shape: &Shape) -> Self {
        let (name, turned) = match text.strip_prefix('-') {
            Some(name) => (name, true),
            None => (text, false),
        };
        match shape.orders.iter().find(|order| **order == name) {
            Some(order) => Self::By(order, turned),
            None if text == CREATED => Self::Age(Order::Ascending),
            None => Self::Age(Order::Descending),
        }
    }

    /// Returns the order as it is in the address; empty for newest first.
    pub(super) fn to_text(self) -> String {
        match self {
            Self::Age(Order::Descending) => String::new(),
            Self::Age(Order::Ascending) => CREATED.to_owned(),
            Self::By(order, false) => order.to_owned(),
            Self::By(order, true) => format!("-{order}"),
        }
    }
}
