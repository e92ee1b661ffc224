//! The catalogue: the events of the platform, and the variables of their messages.

use std::borrow::Cow;

use axum::response::{IntoResponse, Response};
use maud::{Markup, html};
use webhook_model::{EventName, EventNotes, EventType, Specificity};

use crate::context::PageContext;
use crate::layout::{Section, page};
use crate::texts::Texts;

pub(super) async fn show(ctx: PageContext) -> Response {
    let (t, catalog) = (ctx.texts(), ctx.actor.catalog());
    let always = ["date", "timestamp", "random", "name", "type", "event"];
    let always = always.map(|name| {
        (
            name,
            html! { code { "${" (name.to_uppercase()) "}" } }.into(),
        )
    });
    let body = html! {
        p { (t.markup("events-catalog-intro", &always)) }
        @for (of, label, specificity) in catalog.types() {
            section id={ "type-" (of) } {
                @let label = t.rule(label);
                div.title { h2 { (label) } div.actions { a href=(ctx.at(&format!("/events/new?type={of}"))) aria-label=(t.with("events-new-of", &[("type", (&*label).into())])) { (t.of("events-new")) } } }
                p.quiet { code { (of) } " · " (about(t, specificity)) }
                (table(&ctx, of))
            }
        }
        p { a href=(ctx.at("/events")) { (t.of("events-catalog-back")) } }
    };
    page(&ctx, Section::Events, &t.of("events-types"), &body).into_response()
}

fn about(t: &Texts, specificity: Specificity) -> Cow<'_, str> {
    match specificity {
        Specificity::Generic => t.of("events-catalog-platform"),
        Specificity::InstanceOrTag => t.of("events-catalog-object-or-tag"),
        _ => t.of("events-catalog-any"),
    }
}

fn table(ctx: &PageContext, of: &EventType) -> Markup {
    let (t, catalog) = (ctx.texts(), ctx.actor.catalog());
    let is_noted = |(event, _): (&EventName, &str)| catalog.notes(of, event).is_some();
    // Without any notes, two columns would be empty.
    let noted = catalog.events(of).any(is_noted);
    html! {
        div.scroll { table {
            thead { tr {
                th scope="col" { (t.of("events-event")) }
                @if noted { th scope="col" { (t.of("events-catalog-description")) } th scope="col" { (t.of("events-catalog-samples")) } }
            } }
            tbody { @for (event, label) in catalog.events(of) {
                @let notes = catalog.notes(of, event);
                tr {
                    td data-label=(t.of("events-event")) { div { (t.rule(label)) div.quiet { code { (event) } } } }
                    @if noted {
                        td data-label=(t.of("events-catalog-description")) { span { (t.rule(notes.map_or("", EventNotes::description))) } }
                        td data-label=(t.of("events-catalog-samples")) { div { @if let Some(notes) = notes { (samples(t, notes)) } } }
                    }
                }
            } }
        } }
    }
}

/// Renders samples of an occurrence's data.
fn samples(t: &Texts, notes: &EventNotes) -> Markup {
    html! {
        @if let Some(data) = notes.data() { div { code { "${data}" } ": " code { (data.as_str()) } } }
        @if let Some(schema) = notes.schema() { details { summary { (t.of("events-catalog-schema")) } code { (schema.to_string()) } } }
        @if !notes.object().is_empty() { div { code { "${NAME}" } ": " (notes.object()) } }
        @for variable in notes.variables() {
            div { code { "${" (variable.name()) "}" } ": " (variable.sample()) @if !variable.description().is_empty() { span.quiet { " (" (t.rule(variable.description())) ")" } } }
        }
    }
}
