//! The view of a list: the form of its query, the headings that sort, and the links to other pages.

use axum::response::{IntoResponse, Response};
use gatepost_manage::AccessLevel;
use gatepost_storage::Order;
use maud::{Markup, html};

use super::asked::{Asked, CREATED, MOST, OWNER, Place, ROWS, SEARCH, SORT, STATE, Sort};
use super::listing::{Listing, asked, table};
use super::read::{Outcome, Shown, Total};
use crate::choices::choices;
use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::{Form, MAX_TEXT, MAX_WORDS};
use crate::layout::{
    self, Beside, Section, confirmation, empty, note, page_with, select, sorted_heading,
};
use crate::problems::Problems;
use crate::texts::Texts;
use crate::unreadable;

/// Renders the page of a list, with a button that leads to the form of a new row; `more` are
/// further buttons. Its texts are `tasks-title` and `tasks-new`.
pub(crate) async fn list_page<L: Listing>(
    ctx: &PageContext,
    query: &Form,
    more: &Markup,
) -> Result<Response, Failure> {
    let (t, path) = (ctx.texts(), format!("/{}", L::NAME));
    let new = t.of(&format!("{}-new", L::NAME));
    let new = html! { a.button.primary href={ (ctx.at(&path)) "/new" } { (new) } };
    let asked = asked::<L>(ctx, query).await?;
    let list = list::<L>(ctx, &asked, query, &new).await?;
    let repair = L::UNREADABLE.map(|kind| unreadable::menu(ctx, kind));
    let actions = html! { (more) (new) @if let Some(repair) = repair { (repair) } };
    let body = html! { (confirmation(ctx, L::NAME, query)) (list) };
    let title = t.of(&format!("{}-title", L::NAME));
    let section = Section::of_path(&path);
    Ok(page_with(ctx, section, &title, &actions, &body).into_response())
}

/// Renders the requested list: the form, the line above the table, the table, and the links to
/// other pages. If there are no rows at all, `new` leads to the form of a new one.
pub(crate) async fn list<L: Listing>(
    ctx: &PageContext,
    asked: &Asked,
    query: &Form,
    new: &Markup,
) -> Result<Markup, Failure> {
    let found = asked.read::<L>(ctx).await?;
    let listing = L::of(ctx, asked, &found.rows).await?;
    let shown = asked.select(found, &listing).await;
    let unreadable = match L::UNREADABLE {
        Some(kind) => unreadable::section(ctx, kind, query, asked.readable(&shown)).await?,
        None => html! {},
    };
    let (t, none) = (ctx.texts(), |what| format!("{}-none-{what}", L::NAME));
    if asked.is_void(&shown) {
        let (title, text) = (none("title"), none("text"));
        return Ok(html! { (empty(&t.of(&title), &t.of(&text), new)) (unreadable) });
    }
    let listing = listing.shown(ctx, &shown.rows).await?;
    let heading = |label: &str, sort: &str| (!sort.is_empty()).then(|| asked.heading(label, sort));
    let rows = || {
        table(
            ctx,
            L::CLASS,
            L::COLUMNS,
            &listing,
            &shown.rows,
            heading,
            |_| String::new(),
        )
    };
    Ok(html! {
        (asked.form(ctx, query, &L::fields(ctx, asked)).await?)
        (asked.caption(t, &shown))
        @if !shown.rows.is_empty() { section { (rows()) } }
        (asked.pager(t, &shown))
        (unreadable)
    })
}

impl Asked {
    /// Renders the form above the list; `more` are fields that only this list has.
    async fn form(
        &self,
        ctx: &PageContext,
        query: &Form,
        more: &Markup,
    ) -> Result<Markup, Failure> {
        let (problems, t) = (Problems::none(), ctx.texts());
        let said = |what| self.shape.text(what);
        let owners = if ctx.principal().access > AccessLevel::User && !self.is_owners {
            Some(choices(ctx, query, OWNER, "users").await?)
        } else {
            None
        };
        let all = t.of("lists-owner-all");
        Ok(html! {
            form.filter method="get" action=(self.path) role="search" aria-label=(t.of(&said("search"))) {
                div.field {
                    label for=(SEARCH) { (t.of("lists-search")) }
                    input type="search" id=(SEARCH) name=(SEARCH) value=(self.search.text()) maxlength=(MAX_TEXT) autocomplete="off" spellcheck="false" title=(t.of(&said("searched")));
                }
                @if !self.shape.states.is_empty() {
                    (select(&problems, STATE, &t.of("lists-state"), &self.states(t), self.state.unwrap_or_default(), "", false))
                }
                @if let Some(owners) = owners { (layout::picker(t, &problems, OWNER, [&t.of("lists-owner"), ""], &owners, &self.asked_owner(), Some(&all))) }
                (more)
                @for name in self.unshown() { input type="hidden" name=(name) value=(self.kept(name)); }
                (select(&problems, SORT, &t.of("lists-sort"), &self.orders(t), &self.sort.to_text(), "", false))
                button { (t.of("lists-apply")) }
                @if self.is_narrowed() { a.button.plain href=(self.path) { (t.of("lists-clear")) } }
            }
            @if self.search.is_cut() { (note("warn", &html! { (cut(t)) })) }
        })
    }

    /// Renders the heading of a column by which the list is sorted. A second click reverses the
    /// order.
    fn heading(&self, label: &str, order: &str) -> Markup {
        let (is_up, is_down) = match self.sort {
            Sort::Age(Order::Ascending) => (order == CREATED, false),
            Sort::Age(Order::Descending) => (false, order == CREATED),
            Sort::By(by, turned) => (by == order && !turned, by == order && turned),
        };
        let to = match order {
            CREATED if !is_down => String::new(),
            order if is_up => format!("-{order}"),
            order => order.to_owned(),
        };
        let sorted = match (is_up, is_down) {
            (true, _) => Some(Order::Ascending),
            (_, true) => Some(Order::Descending),
            _ => None,
        };
        sorted_heading(label, sorted, &self.sorted(&to))
    }

    /// Renders links to the neighbouring pages.
    fn pager<R>(&self, texts: &Texts, shown: &Shown<R>) -> Markup {
        let beside = Beside {
            first: (!shown.is_first).then(|| self.at(Place::First)),
            previous: shown.previous.clone(),
            next: shown.next.clone(),
        };
        layout::pager(texts, &beside)
    }

    /// Returns the names of the filters that are not in the form but have a text that shows them.
    fn unshown(&self) -> impl Iterator<Item = &'static str> {
        let kept = self.shape.kept.iter().filter(|kept| !kept.is_field);
        let names = kept.map(|kept| kept.name);
        names.filter(|name| !self.kept(name).is_empty())
    }

    /// Returns the line above the table: `312 keys, showing 1–50`, `1 of 12 keys matches`.
    fn caption<R>(&self, texts: &Texts, shown: &Shown<R>) -> Markup {
        let rows = shown.rows.len();
        let (found, range) = match shown.outcome {
            Outcome::TooMany => return self.too_many(texts),
            Outcome::Aged { total, first } => {
                let is_cut = matches!(total, Total::Exactly(total) if total > rows as u64);
                (self.aged(texts, total), (first && is_cut).then_some(0))
            }
            Outcome::Matched {
                from,
                matching,
                all,
            } => (
                self.matched(texts, matching, all),
                (matching > ROWS).then_some(from),
            ),
        };
        let text = match range {
            Some(from) => texts.with(
                "lists-range",
                &[
                    ("found", found.into()),
                    ("first", (from + 1).into()),
                    ("last", (from + rows).into()),
                ],
            ),
            None => found,
        };
        html! { p.quiet.count role="status" { (text) @for name in self.unshown() { br; (texts.of(&self.shape.text(&format!("only-{name}")))) } } }
    }

    fn aged(&self, texts: &Texts, total: Total) -> String {
        let (what, count) = match total {
            Total::More => ("more", MOST as u64),
            Total::Exactly(total) => ("count", total),
        };
        texts.with(&self.shape.text(what), &[("count", count.into())])
    }

    fn matched(&self, texts: &Texts, matching: usize, all: usize) -> String {
        let what = if self.is_filtered() {
            "matches"
        } else {
            "count"
        };
        let values = [("matching", matching.into()), ("count", all.into())];
        texts.with(&self.shape.text(what), &values)
    }

    /// Renders the note for a search or an order that would need more rows than are read.
    fn too_many(&self, texts: &Texts) -> Markup {
        let hows = self.shape.kept.iter();
        let hows = hows.filter(|kept| self.kept(kept.name).is_empty());
        let hows = hows.map(|kept| self.shape.text(&format!("narrow-{}", kept.name)));
        let owner = self.only.is_none().then(|| "lists-narrow-owner".to_owned());
        let hows: Vec<String> = owner.into_iter().chain(hows).collect();
        let text = html! {
            (texts.with(&self.shape.text("too-many"), &[("count", MOST.into())]))
            @if !hows.is_empty() { " " (texts.of("lists-narrow")) ul { @for how in hows { li { (texts.of(&how)) } } } }
            " " a href=(self.path) { (texts.of("lists-newest-all")) }
        };
        note("warn", &text)
    }

    fn is_narrowed(&self) -> bool {
        let is_owner_asked = self.owner.is_some() && !self.is_owners;
        !self.is_by_age() || is_owner_asked || !self.kept.is_empty()
    }

    fn states(&self, texts: &Texts) -> Vec<(String, String)> {
        let all = (String::new(), texts.of("lists-state-all").into_owned());
        let option = |state: &&str| {
            let text = self.shape.text(&format!("state-{state}"));
            ((*state).to_owned(), texts.of(&text).into_owned())
        };
        let states = self.shape.states.iter().map(option);
        std::iter::once(all).chain(states).collect()
    }

    fn orders(&self, texts: &Texts) -> Vec<(String, String)> {
        let said = |text: &str| texts.of(text).into_owned();
        let mut orders = vec![
            (String::new(), said("lists-newest")),
            (CREATED.to_owned(), said("lists-oldest")),
        ];
        for order in &self.shape.orders {
            let text = self.shape.text(&format!("sort-{order}"));
            orders.push(((*order).to_owned(), said(&text)));
            orders.push((format!("-{order}"), said(&format!("{text}-down"))));
        }
        orders
    }

    fn asked_owner(&self) -> String {
        self.owner
            .map_or_else(String::new, |owner| owner.to_string())
    }
}

fn cut(texts: &Texts) -> String {
    let values = [("words", MAX_WORDS.into()), ("characters", MAX_TEXT.into())];
    texts.with("lists-search-cut", &values)
}
