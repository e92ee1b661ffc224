//! The frame of a page, and the parts that make up pages.

mod controls;
mod live;
mod parts;

use std::borrow::Cow;

use axum::response::{IntoResponse, Response};
pub(crate) use controls::{
    Column, InputKind, area, check, checks, editor, errors, errors_of, input, label, picker,
    radios, select,
};
use http::StatusCode;
pub(crate) use live::{LIVE, Live, live_parts, spoken};
use maud::{DOCTYPE, Markup, html};
use parts::seen_title;
pub(crate) use parts::{
    Beside, RECORD, badge, beginning, changes_link, confirm, confirm_or, confirmation, empty, note,
    one_button, pager, seen, sorted_heading, state,
};

use crate::context::{ConsoleState, PageContext};
use crate::texts::Texts;
use crate::time::exact;

/// The part of the console that a page belongs to.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Section {
    Dashboard,
    Keys,
    Webhooks,
    Tasks,
    Events,
    Deliveries,
    Changes,
}

impl Section {
    const ALL: [Self; 7] = [
        Self::Dashboard,
        Self::Keys,
        Self::Webhooks,
        Self::Tasks,
        Self::Events,
        Self::Deliveries,
        Self::Changes,
    ];

    /// Those that there are for this caller.
    fn of(ctx: &PageContext) -> impl Iterator<Item = Self> {
        let has_changes = ctx.actor.has_audit_log();
        let is_there = move |section: &Self| has_changes || *section != Self::Changes;
        Self::ALL.into_iter().filter(is_there)
    }

    /// The section of a path below the console's own; the first page where there is none.
    pub(crate) fn of_path(path: &str) -> Self {
        let first = path.split('/').nth(1).unwrap_or_default();
        let is_of = |section: &Self| section.path().get(1..) == Some(first);
        Self::ALL.into_iter().find(is_of).unwrap_or(Self::Dashboard)
    }

    /// Its first page.
    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::Dashboard => "/",
            Self::Keys => "/keys",
            Self::Webhooks => "/webhooks",
            Self::Tasks => "/tasks",
            Self::Events => "/events",
            Self::Deliveries => "/deliveries",
            Self::Changes => "/changes",
        }
    }

    /// Its name in the navigation: the text that is called after its first page.
    pub(crate) fn name(self, texts: &Texts) -> Cow<'_, str> {
        let word = match self {
            Self::Dashboard => "dashboard",
            section => section.path().trim_start_matches('/'),
        };
        texts.of(&format!("frame-section-{word}"))
    }
}

/// What stands above the content of a page.
#[derive(Debug)]
pub(crate) enum Above {
    Note(Markup),
    /// A popup over the page: nothing else can be used until it is closed, scripts or not.
    Popup(Markup),
}

impl Above {
    fn parts(&self) -> [Option<&Markup>; 2] {
        match self {
            Self::Note(note) => [Some(note), None],
            Self::Popup(popup) => [None, Some(popup)],
        }
    }
}

/// A page.
pub(crate) fn page(ctx: &PageContext, section: Section, title: &str, body: &Markup) -> Markup {
    page_with(ctx, section, title, &html! {}, body)
}

/// A page with buttons beside its title.
pub(crate) fn page_with(
    ctx: &PageContext,
    section: Section,
    title: &str,
    actions: &Markup,
    body: &Markup,
) -> Markup {
    page_under(ctx, section, title, actions, &Above::Note(html! {}), body)
}

/// As [`page_with`], with something above its content.
pub(crate) fn page_under(
    ctx: &PageContext,
    section: Section,
    title: &str,
    actions: &Markup,
    above: &Above,
    body: &Markup,
) -> Markup {
    let (console, texts) = (&ctx.console, ctx.texts());
    let [note, popup] = above.parts();
    let behind = popup.is_some();
    let at = |path: &str| ctx.at(path);
    html! {
        (DOCTYPE)
        html lang=(texts.language()) dir=(texts.direction()) data-now=(exact(ctx.now())) {
            (head(console, title))
            body {
                a.skip href="#main" inert[behind] { (texts.of("frame-skip")) }
                header.top inert[behind] {
                    div {
                        a.brand href=(at("/")) { (console.title) }
                        nav aria-label=(texts.of("frame-navigation")) {
                            ul {
                                @for of in Section::of(ctx) {
                                    li { a href=(at(of.path())) aria-current=[(of == section).then_some("page")] { (of.name(texts)) } }
                                }
                            }
                        }
                        div.user {
                            a href=(at(&format!("/users/{}", ctx.principal().owner))) aria-label=(texts.with("frame-logged-in-as", &[("name", (&*ctx.name).into())])) { (ctx.name) }
                            @if let Some(logout) = &ctx.logout {
                                form method="post" action=(logout.url) {
                                    @for (name, value) in &logout.fields { input type="hidden" name=(name) value=(value); }
                                    button.plain.small { (texts.of("frame-log-out")) }
                                }
                            }
                        }
                    }
                }
                main id="main" tabindex="-1" inert[behind] {
                    div.title { h1 { (seen_title(title)) } div.actions { (actions) } }
                    @if ctx.key_withheld { (parts::note("warn", &html! { (texts.of("frame-key-withheld")) })) }
                    @if let Some(note) = note { (note) }
                    (body)
                }
                @if let Some(popup) = popup { (popup) }
            }
        }
    }
}

/// A page for an unknown caller: the frame without anything of a user.
pub(crate) fn bare(console: &ConsoleState, title: &str, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang=(console.texts.language()) dir=(console.texts.direction()) {
            (head(console, title))
            body {
                header.top { div { a.brand href=(console.at("/")) { (console.title) } } }
                main id="main" { div.title { h1 { (title) } } section { (body) } }
            }
        }
    }
}

fn head(console: &ConsoleState, title: &str) -> Markup {
    let assets = &console.assets;
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            title { (seen_title(title)) " · " (console.title) }
            link rel="icon" href="data:,";
            link rel="stylesheet" href=(console.at(&assets.style.path));
            @if let Some(theme) = &assets.theme { link rel="stylesheet" href=(console.at(&theme.path)); }
            script src=(console.at(&assets.script.path)) defer {}
        }
    }
}

/// A form that is shown again with its errors: 422.
pub(crate) fn refused(page: Markup) -> Response {
    (StatusCode::UNPROCESSABLE_ENTITY, page).into_response()
}
