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
    let t = ctx.texts();
    html! {
        section {
            h2 { (t.of("deliveries-message")) }
            @if !delivery.message_kept { p.quiet { (t.of("deliveries-message-lost")) } }
            @else {
                @match readable {
                    Some(readable) => {
                        pre tabindex="0" { (readable) }
                        details id="as-sent" { summary { (t.of("deliveries-message-raw")) } pre id="message" tabindex="0" { (shown) } }
                    }
                    None => pre id="message" tabindex="0" { (shown) },
                }
                @if shown.len() < all.len() {
                    @let link = html! { a href=(ctx.at(&format!("/deliveries/{}/message", delivery.id))) { (t.of("deliveries-message-download")) } };
                    p.quiet { (t.markup("deliveries-message-cut", &[("link", link.into())])) }
                } @else { p { (copy("message", &t.of("deliveries-copy"), Some(&t.of("deliveries-copy-message")))) } }
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
