//! The catalogue: what can happen on the platform, and what a message can say of it.

use axum::response::{IntoResponse, Response};
use maud::{Markup, html};
use webhook_model::{EventNotes, EventType, Specificity};

use crate::context::PageContext;
use crate::layout::{Section, page};

pub(super) async fn show(ctx: PageContext) -> Response {
    let catalog = ctx.actor.catalog();
    let body = html! {
        p { "These are the events that can run a task. A message can use " code { "${DATE}" } ", " code { "${TIMESTAMP}" } ", " code { "${RANDOM}" } " and " code { "${NAME}" } " with each of them, and the variables that are listed with an event." }
        @for (of, label, specificity) in catalog.types() {
            section id={ "type-" (of) } {
                div.title { h2 { (label) } div.actions { a href=(ctx.at(&format!("/events/new?type={of}"))) { "New event" span.unseen { " of type " (label) } } } }
                p.quiet { code { (of) } ": " (about(specificity)) }
                (table(&ctx, of))
            }
        }
        p { a href=(ctx.at("/events")) { "Back to events" } }
    };
    page(&ctx, Section::Events, "Event types", &body).into_response()
}

fn about(specificity: Specificity) -> &'static str {
    match specificity {
        Specificity::Generic => "applies to the platform as a whole, not to an object or a tag.",
        Specificity::InstanceOrTag => "applies to one object, or to all objects with a tag.",
        _ => "applies to one object, to all objects with a tag, or to all objects.",
    }
}

fn table(ctx: &PageContext, of: &EventType) -> Markup {
    let catalog = ctx.actor.catalog();
    html! {
        div.scroll { table {
            thead { tr { th scope="col" { "Event" } th scope="col" { "Description" } th scope="col" { "Sample values" } } }
            tbody { @for (event, label) in catalog.events(of) {
                @let notes = catalog.notes(of, event);
                tr {
                    td data-label="Event" { div { (label) div.quiet { code { (event) } } } }
                    td data-label="Description" { span { (notes.map_or("", EventNotes::description)) } }
                    td data-label="Sample values" { div { @if let Some(notes) = notes { (samples(notes)) } } }
                }
            } }
        } }
    }
}

/// What an occurrence brings, as it might be.
fn samples(notes: &EventNotes) -> Markup {
    html! {
        @if !notes.object().is_empty() { div { code { "${NAME}" } ": " (notes.object()) } }
        @for variable in notes.variables() {
            div { code { "${" (variable.name()) "}" } ": " (variable.sample()) @if !variable.description().is_empty() { span.quiet { " (" (variable.description()) ")" } } }
        }
    }
}
