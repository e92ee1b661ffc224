//! The layout of a page, and the parts that make up pages.

mod controls;
mod live;
mod parts;

use std::borrow::Cow;

use axum::response::{IntoResponse, Response};
pub(crate) use controls::{
    Column, InputKind, area, check, checks, editor, errors, find_field, finder, input, label,
    picker, radios, select,
};
use gatepost_manage::AccessLevel;
use http::StatusCode;
pub(crate) use live::{LIVE, Live, live_parts, spoken};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use parts::seen_title;
pub(crate) use parts::{
    Beside, RECORD, badge, beginning, changes_link, code, confirm, confirm_or, confirmation, copy,
    empty, menu, note, one_button, pager, seen, sorted_heading, state, status_line,
};

use crate::context::{ConsoleState, PageContext};
use crate::texts::Texts;
use crate::time::exact;

/// The part of the console that a page belongs to.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Section {
    Dashboard,
    Webhooks,
    Tasks,
    Events,
    Deliveries,
    Keys,
    Changes,
    Users,
}

impl Section {
    const ALL: [Self; 8] = [
        Self::Dashboard,
        Self::Webhooks,
        Self::Tasks,
        Self::Events,
        Self::Deliveries,
        Self::Keys,
        Self::Changes,
        Self::Users,
    ];

    /// Returns the section of the navigation to which this one belongs.
    fn above(self) -> Self {
        match self {
            Self::Tasks | Self::Events => Self::Dashboard,
            other => other,
        }
    }

    /// Returns the sections in the navigation of this caller.
    fn of(ctx: &PageContext) -> impl Iterator<Item = Self> {
        let has_changes = ctx.actor.has_audit_log();
        let is_user = ctx.principal().access == AccessLevel::User;
        let is_there = move |section: &Self| match section {
            Self::Changes => has_changes,
            Self::Users => !is_user,
            section => section.above() == *section,
        };
        Self::ALL.into_iter().filter(is_there)
    }

    /// Returns the section of a path below the console's own, or else the first page.
    pub(crate) fn of_path(path: &str) -> Self {
        let first = path.split('/').nth(1).unwrap_or_default();
        let is_of = |section: &Self| section.path().get(1..) == Some(first);
        Self::ALL.into_iter().find(is_of).unwrap_or(Self::Dashboard)
    }

    /// Returns the path of its first page.
    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::Dashboard => "/",
            Self::Keys => "/keys",
            Self::Users => "/users",
            Self::Webhooks => "/webhooks",
            Self::Tasks => "/tasks",
            Self::Events => "/events",
            Self::Deliveries => "/deliveries",
            Self::Changes => "/changes",
        }
    }

    /// Returns its name in the navigation: the text that is named after its first page.
    pub(crate) fn name(self, texts: &Texts) -> Cow<'_, str> {
        let word = match self {
            Self::Dashboard => "dashboard",
            section => section.path().trim_start_matches('/'),
        };
        texts.of(&format!("frame-section-{word}"))
    }
}

/// The content above the body of a page.
#[derive(Debug)]
pub(crate) enum Above {
    Note(Markup),
    /// A popup over the page: nothing else can be used until it is closed, with scripts or without.
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

/// Renders a page.
pub(crate) fn page(ctx: &PageContext, section: Section, title: &str, body: &Markup) -> Markup {
    page_with(ctx, section, title, &html! {}, body)
}

/// Renders a page with buttons next to its title.
pub(crate) fn page_with(
    ctx: &PageContext,
    section: Section,
    title: &str,
    actions: &Markup,
    body: &Markup,
) -> Markup {
    page_under(ctx, section, title, actions, &Above::Note(html! {}), body)
}

/// Does the same as [`page_with`], with something above the content.
pub(crate) fn page_under(
    ctx: &PageContext,
    section: Section,
    title: &str,
    actions: &Markup,
    above: &Above,
    body: &Markup,
) -> Markup {
    let head = Head {
        title,
        actions: actions.clone(),
        ..Head::default()
    };
    page_of(ctx, section, &head, above, body)
}

/// The top of a page.
#[derive(Debug, Default)]
pub(crate) struct Head<'a> {
    pub title: &'a str,
    /// The breadcrumb between the section and this page: links, then the name of this page.
    pub trail: Markup,
    /// The state, next to the title.
    pub state: Markup,
    /// Further information below the title and the state.
    pub said: Markup,
    pub actions: Markup,
    /// Set if these parts refresh themselves.
    pub live: Option<Live>,
}

impl Head<'_> {
    /// Renders the title, the state and the buttons.
    pub(crate) fn markup(&self) -> Markup {
        let content = html! {
            div { div.title { h1 { (seen_title(self.title)) } (self.state) } (self.said) }
            div.actions { (self.actions) }
        };
        match &self.live {
            Some(live) => live.part("head", "head", &content),
            None => html! { div.head { (content) } },
        }
    }
}

/// Does the same as [`page_under`], with a whole head.
pub(crate) fn page_of(
    ctx: &PageContext,
    section: Section,
    head: &Head<'_>,
    above: &Above,
    body: &Markup,
) -> Markup {
    let (console, texts) = (&ctx.console, ctx.texts());
    let [note, popup] = above.parts();
    let behind = popup.is_some();
    let at = |path: &str| ctx.at(path);
    let is_below = ctx.path.trim_end_matches('/') != section.path().trim_end_matches('/');
    let parent = section.above();
    let to = |section: Section| html! { a href=(at(section.path())) { (section.name(texts)) } };
    html! {
        (DOCTYPE)
        html lang=(texts.language()) dir=(texts.direction()) data-now=(exact(ctx.now())) data-sent[ctx.is_sent] {
            (document_head(console, head.title))
            body {
                a.skip href="#main" inert[behind] { (texts.of("frame-skip")) }
                (slot(&console.slots.header, behind))
                header.top inert[behind] {
                    div {
                        (brand(console))
                        nav aria-label=(texts.of("frame-navigation")) {
                            ul {
                                @for of in Section::of(ctx) {
                                    li { a href=(at(of.path())) aria-current=[(of == parent).then_some("page")] { (of.name(texts)) } }
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
                    @if is_below || parent != section {
                        nav.trail aria-label=(texts.of("frame-trail")) {
                            @if parent != section { (to(parent)) }
                            @if is_below { (to(section)) (head.trail) }
                        }
                    }
                    (head.markup())
                    @if ctx.key_withheld { (parts::note("warn", &html! { (texts.of("frame-key-withheld")) })) }
                    @if let Some(note) = note { (note) }
                    (body)
                }
                (slot(&console.slots.footer, behind))
                @if let Some(popup) = popup { (popup) }
            }
        }
    }
}

/// Renders a page for an unknown caller: the layout without any user data.
pub(crate) fn bare(console: &ConsoleState, title: &str, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang=(console.texts.language()) dir=(console.texts.direction()) {
            (document_head(console, title))
            body {
                (slot(&console.slots.header, false))
                header.top { div { (brand(console)) } }
                main id="main" { div.head { div.title { h1 { (title) } } } section { (body) } }
                (slot(&console.slots.footer, false))
            }
        }
    }
}

/// Renders the platform's own markup.
fn slot(html: &str, behind: bool) -> Markup {
    html! { @if !html.is_empty() { div.slot inert[behind] { (PreEscaped(html)) } } }
}

/// Renders the link to the first page: the platform's logo, or the title.
fn brand(console: &ConsoleState) -> Markup {
    html! { a.brand href=(console.at("/")) {
        @match &console.assets.logo {
            Some(logo) => img src=(console.at(&logo.path)) alt=(console.title);,
            None => (console.title),
        }
    } }
}

fn document_head(console: &ConsoleState, title: &str) -> Markup {
    let assets = &console.assets;
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            title { (seen_title(title)) " · " (console.title) }
            link rel="icon" type="image/svg+xml" href=(console.at(&assets.icon.path));
            link rel="stylesheet" href=(console.at(&assets.style.path));
            @if let Some(theme) = &assets.theme { link rel="stylesheet" href=(console.at(&theme.path)); }
            script src=(console.at(&assets.script.path)) defer {}
        }
    }
}

/// Returns a form that is shown again with its errors: 422.
pub(crate) fn refused(page: Markup) -> Response {
    (StatusCode::UNPROCESSABLE_ENTITY, page).into_response()
}
