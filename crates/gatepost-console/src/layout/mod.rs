//! The frame of a page, and the parts that make up pages.

mod controls;
mod live;
mod parts;
mod rows;

use axum::response::{IntoResponse, Response};
pub(crate) use controls::{
    InputKind, area, check, errors, errors_of, input, label, picker, radios, select,
};
use http::StatusCode;
pub(crate) use live::{LIVE, Live, live_parts, spoken};
use maud::{DOCTYPE, Markup, html};
pub(crate) use parts::{badge, beginning, confirm, empty, more, note, one_button, seen, state};
pub(crate) use rows::{Column, editor};

use crate::context::PageContext;
use crate::state::ConsoleState;
use crate::time::exact;

const SECTIONS: [(Section, &str, &str); 6] = [
    (Section::Dashboard, "/", "Dashboard"),
    (Section::Keys, "/keys", "API keys"),
    (Section::Webhooks, "/webhooks", "Webhooks"),
    (Section::Tasks, "/tasks", "Tasks"),
    (Section::Events, "/events", "Events"),
    (Section::Deliveries, "/deliveries", "Deliveries"),
];

/// The part of the console that a page belongs to.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Section {
    None,
    Dashboard,
    Keys,
    Webhooks,
    Tasks,
    Events,
    Deliveries,
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
    let console = &ctx.console;
    let at = |path: &str| ctx.at(path);
    html! {
        (DOCTYPE)
        html lang="en" data-now=(exact(ctx.now())) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (seen(title)) " · " (console.title) }
                link rel="icon" href="data:,";
                link rel="stylesheet" href=(at(&console.assets.style.path));
                @if let Some(theme) = &console.assets.theme { link rel="stylesheet" href=(at(&theme.path)); }
                script src=(at(&console.assets.script.path)) defer {}
            }
            body {
                a.skip href="#main" { "Skip to content" }
                header.top {
                    div {
                        a.brand href=(at("/")) { (console.title) }
                        nav aria-label="Console" {
                            ul {
                                @for (of, path, name) in SECTIONS {
                                    li { a href=(at(path)) aria-current=[(of == section).then_some("page")] { (name) } }
                                }
                            }
                        }
                        div.user {
                            span { span.unseen { "Logged in as " } (ctx.name) }
                            @if let Some(logout) = &ctx.logout {
                                form method="post" action=(logout.url) {
                                    @for (name, value) in &logout.fields { input type="hidden" name=(name) value=(value); }
                                    button.plain.small { "Log out" }
                                }
                            }
                        }
                    }
                }
                main id="main" tabindex="-1" {
                    div.title { h1 { (seen(title)) } div.actions { (actions) } }
                    (body)
                }
            }
        }
    }
}

/// A page for an unknown caller, with the console's style if the console is known.
pub(crate) fn bare(console: Option<&ConsoleState>, title: &str, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                link rel="icon" href="data:,";
                @if let Some(console) = console { link rel="stylesheet" href=(console.at(&console.assets.style.path)); }
            }
            body { main { div.title { h1 { (title) } } section { (body) } } }
        }
    }
}

/// A form that is shown again with its errors: 422.
pub(crate) fn refused(page: Markup) -> Response {
    (StatusCode::UNPROCESSABLE_ENTITY, page).into_response()
}
