//! The frame of a page, and the parts that pages are made of.

mod controls;
mod parts;
mod rows;

use axum::response::{IntoResponse, Response};
pub(super) use controls::{Kind, area, check, errors, input, picker, radios, select};
use http::StatusCode;
use maud::{DOCTYPE, Markup, html};
pub(super) use parts::{badge, confirm, empty, more, note, one_button, state};
pub(super) use rows::{Column, editor};

use super::Console;
use super::session::Ctx;

/// The part of the console that a page belongs to.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Section {
    None,
    Dashboard,
    Keys,
    Webhooks,
    Tasks,
    Events,
    Deliveries,
}

const SECTIONS: [(Section, &str, &str); 6] = [
    (Section::Dashboard, "/", "Dashboard"),
    (Section::Keys, "/keys", "API keys"),
    (Section::Webhooks, "/webhooks", "Webhooks"),
    (Section::Tasks, "/tasks", "Tasks"),
    (Section::Events, "/events", "Events"),
    (Section::Deliveries, "/deliveries", "Deliveries"),
];

/// A page: its title, and what stands beside it.
pub(super) fn page(ctx: &Ctx, section: Section, title: &str, body: &Markup) -> Markup {
    page_with(ctx, section, title, &html! {}, body)
}

/// A page with buttons beside its title.
pub(super) fn page_with(
    ctx: &Ctx,
    section: Section,
    title: &str,
    actions: &Markup,
    body: &Markup,
) -> Markup {
    let inner = &ctx.console.inner;
    let at = |path: &str| ctx.console.at(path);
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) " · " (inner.title) }
                link rel="icon" href="data:,";
                link rel="stylesheet" href=(at(&inner.assets.style.path));
                @if let Some(theme) = &inner.assets.theme { link rel="stylesheet" href=(at(&theme.path)); }
                script src=(at(&inner.assets.script.path)) defer {}
            }
            body {
                a.skip href="#main" { "Skip to content" }
                header.top {
                    div {
                        a.brand href=(at("/")) { (inner.title) }
                        nav aria-label="Console" {
                            ul {
                                @for (of, path, name) in SECTIONS {
                                    li { a href=(at(path)) aria-current=[(of == section).then_some("page")] { (name) } }
                                }
                            }
                        }
                        div.user {
                            span { span.unseen { "Logged in as " } (ctx.name) }
                            @if let Some(url) = inner.login.logout_url() {
                                form method="post" action=(url) { button.plain.small { "Log out" } }
                            }
                        }
                    }
                }
                main id="main" tabindex="-1" {
                    div.title { h1 { (title) } div.actions { (actions) } }
                    (body)
                }
            }
        }
    }
}

/// A page for somebody who is not known, with the style of a console if it is known which.
pub(super) fn bare(console: Option<&Console>, title: &str, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                link rel="icon" href="data:,";
                @if let Some(console) = console { link rel="stylesheet" href=(console.at(&console.inner.assets.style.path)); }
            }
            body { main { div.title { h1 { (title) } } section { (body) } } }
        }
    }
}

/// A form that is shown again with what is wrong: 422.
pub(super) fn refused(page: Markup) -> Response {
    (StatusCode::UNPROCESSABLE_ENTITY, page).into_response()
}
