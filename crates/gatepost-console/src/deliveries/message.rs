//! The message of a delivery: its beginning on the delivery's page, all of it as a file. JSON is
//! shown with added line breaks and indentation; neither the order of members nor the digits of a
//! number change.

use axum::response::{IntoResponse, Response};
use gatepost_storage::webhooks::{Delivery, DeliveryId};
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use maud::{Markup, html};
use serde_json::Value;

use crate::context::PageContext;
use crate::failure::Failure;
use crate::layout::beginning;
use crate::row_id::RowId;

/// The maximum number of bytes shown: in a page they become up to six times as many.
const SHOWN: usize = 64 * 1024;
/// The maximum length of the indented form in bytes; a text of only brackets grows by much.
const MOST: usize = 64 * 1024;
const INDENT: usize = 2;

/// Renders the message on the delivery's page: all attempts send it.
pub(super) fn shown(ctx: &PageContext, delivery: &Delivery) -> Markup {
    let all = &*delivery.body;
    let (shown, readable) = (beginning(all, SHOWN), pretty(all));
    let t = ctx.texts();
    html! {
        @if !delivery.message_kept { p.quiet { (t.of("deliveries-message-lost")) } }
        @else {
            @match readable {
                Some(readable) => {
                    pre tabindex="0" { (readable) }
                    details id="as-sent" { summary { (t.of("deliveries-message-raw")) } pre id="message" tabindex="0" { (shown) } }
                }
                None => pre id="message" tabindex="0" { (shown) },
            }
            @if is_cut(all) {
                @let link = html! { a href=(ctx.at(&format!("/deliveries/{}/message", delivery.id))) { (t.of("deliveries-message-download")) } };
                p.quiet { (t.markup("deliveries-message-cut", &[("link", link.into())])) }
            }
        }
    }
}

/// Whether only the beginning of a message is shown.
pub(super) fn is_cut(message: &str) -> bool {
    message.len() > SHOWN
}

/// Returns the whole message, byte for byte, as a file that no browser renders as a page.
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

/// Returns the indented form of a text; `None` if it is not a JSON object or list, or would be too
/// long.
pub(super) fn pretty(text: &str) -> Option<String> {
    let text = text.trim();
    if !text.starts_with(['{', '[']) || text.len() > MOST {
        return None;
    }
    serde_json::from_str::<Value>(text).ok()?;
    let mut out = String::with_capacity(text.len() * 2);
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if out.len() > MOST {
            return None;
        }
        if in_string {
            out.push(c);
            in_string = escaped || c != '"';
            escaped = !escaped && c == '\\';
            continue;
        }
        match c {
            blank if blank.is_ascii_whitespace() => {}
            '"' => {
                in_string = true;
                out.push(c);
            }
            '{' | '[' => {
                out.push(c);
                let end = if c == '{' { '}' } else { ']' };
                while chars.next_if(char::is_ascii_whitespace).is_some() {}
                if chars.next_if_eq(&end).is_some() {
                    out.push(end);
                } else {
                    depth += 1;
                    line(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                line(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            other => out.push(other),
        }
    }
    Some(out)
}

fn line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n(' ', depth * INDENT));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pretty_json_keeps_order_numbers_and_strings() {
        let text =
            "{\"b\":1.00,\"a\":[1e9,{ }, [ ] ,\"x: {,\\\"\\\\\"],\r\n\t\"ä\":12345678901234567890}";
        let shown = "{\n  \"b\": 1.00,\n  \"a\": [\n    1e9,\n    {},\n    [],\n    \"x: {,\\\"\\\\\"\n  ],\n  \"ä\": 12345678901234567890\n}";
        assert_eq!(pretty(text).as_deref(), Some(shown));
        assert_eq!(pretty(shown).as_deref(), Some(shown), "again");
    }

    #[test]
    fn non_json_or_oversized_message_is_not_formatted() {
        for text in ["", "hello", "\"text\"", "1", "{", "{\"a\":1}x", "[1,]"] {
            assert_eq!(pretty(text), None, "{text}");
        }
        assert_eq!(pretty(&format!("[\"{}\"]", "x".repeat(MOST))), None);
        let deep = format!("{}{}", "[".repeat(100), "]".repeat(100));
        let many = vec![deep; 50].join(",");
        assert_eq!(
            pretty(&format!("[{many}]")),
            None,
            "it would grow too large"
        );
    }

    proptest::proptest! {
        #[test]
        fn the_readable_form_says_the_same(keys in proptest::collection::vec(".{0,8}", 0..6), n: i64) {
            let value = serde_json::json!({"k": keys, "n": [n, {"o": {}}, []], "t": keys.join("\"{}")});
            let shown = pretty(&value.to_string()).unwrap();
            let read: Value = serde_json::from_str(&shown).unwrap();
            proptest::prop_assert_eq!(read, value);
        }
    }
}
