//! The message of a delivery: the beginning on its page, all of it as a file.

use axum::response::{IntoResponse, Response};
use gatepost_storage::webhooks::{Delivery, DeliveryId};
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use maud::{Markup, html};

use super::pretty::pretty;
use super::request::copy;
use crate::context::PageContext;
use crate::failure::Failure;
use crate::layout::beginning;
use crate::row_id::RowId;

/// Bytes that are shown: in a page they become up to six times as many.
const SHOWN: usize = 64 * 1024;

/// The section of the delivery's page.
pub(super) fn section(ctx: &PageContext, delivery: &Delivery) -> Markup {
    let all = &*delivery.body;
    let shown = beginning(all, SHOWN);
    let readable = pretty(all);
    html! {
        section {
            h2 { "Message" }
            @if !delivery.message_kept { p.quiet { "Not kept: the delivery log was full when the delivery ended. It cannot be replayed." } }
            @else {
                @match readable {
                    Some(readable) => {
                        pre tabindex="0" { (readable) }
                        details id="as-sent" { summary { "As it was sent" } pre id="message" tabindex="0" { (shown) } }
                    }
                    None => pre id="message" tabindex="0" { (shown) },
                }
                @if shown.len() < all.len() {
                    p.quiet { "Only the beginning is shown. " a href=(ctx.at(&format!("/deliveries/{}/message", delivery.id))) { "Download the whole message" } }
                } @else { p { (copy("message", "Copy", "the message")) } }
            }
        }
    }
}

/// The whole message, byte for byte, as a file that no browser takes for a page.
pub(super) async fn download(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    let (delivery, _) = ctx.actor.delivery(DeliveryId(id)).await?;
    if !delivery.message_kept {
        return Err(Failure::NotFound);
    }
    let file = format!("attachment; filename=\"message-{id}.txt\"");
    let headers = [
        (CONTENT_TYPE, "text/plain; charset=utf-8"),
        (CONTENT_DISPOSITION, file.as_str()),
    ];
    Ok((headers, delivery.body.to_string()).into_response())
}
