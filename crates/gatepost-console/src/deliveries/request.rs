//! The request as it was sent, and as a curl command to be pasted into a shell.

use gatepost_storage::webhooks::{AttemptRecord, Delivery};
use maud::{Markup, html};
use webhook_model::Webhook;

use super::message;
use crate::context::PageContext;
use crate::layout::{copy, seen};
use crate::reveal::quoted;
use crate::texts::Texts;

/// The text that replaces a credential in the log.
const HIDDEN: &str = "(hidden)";
/// The text that replaces a credential in the command, so that the user sees what to fill in.
pub(super) const PLACEHOLDER: &str = "<credential>";
/// The limit in bytes beyond which a message is read from a file: one argument of a shell holds 128
/// KiB.
const MOST: usize = 16 * 1024;
/// The headers that curl writes itself.
const OWN: [&str; 2] = ["host", "content-length"];

/// A request: its first line and its headers, as [`Head::parse`] reads them from the log.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Head {
    pub method: String,
    pub url: String,
    pub headers: Vec<(String, String)>,
}

impl Head {
    /// Returns `None` if nothing was stored, or not even the first line fitted.
    pub(super) fn parse(head: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(head);
        let mut lines = text.split("\r\n");
        let mut first = lines.next()?.split(' ');
        let (method, url) = (first.next()?.to_owned(), first.next()?.to_owned());
        let headers = lines.filter_map(|line| line.split_once(": "));
        let headers = headers
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        Some(Self {
            method,
            url,
            headers,
        })
    }
}

/// Returns the command for POSIX shells. It reads `file` instead of a message that is too long or
/// has a NUL.
pub(super) fn curl(head: &Head, message: &str, file: &str) -> String {
    let url = head.url.replace(HIDDEN, PLACEHOLDER);
    let mut parts = vec![format!(
        "curl --globoff --path-as-is --request {} {}",
        quoted(&head.method),
        quoted(&url)
    )];
    let headers = head.headers.iter();
    let headers = headers.filter(|(name, _)| !OWN.contains(&name.to_ascii_lowercase().as_str()));
    for (name, value) in headers {
        let value = value.replace(HIDDEN, PLACEHOLDER);
        // With `Name:`, curl would omit the header.
        let header = match value.is_empty() {
            true => format!("{name};"),
            false => format!("{name}: {value}"),
        };
        parts.push(format!("--header {}", quoted(&header)));
    }
    parts.push(if message.len() > MOST || message.contains('\0') {
        format!("--data-binary {}", quoted(&format!("@{file}")))
    } else {
        format!("--data-raw {}", quoted(message))
    });
    parts.join(" \\\n  ")
}

/// Renders the section of the delivery's page: the request of an attempt, with the message. If
/// nothing was sent yet, the curl command is made from the present webhook.
pub(super) fn section(
    ctx: &PageContext,
    delivery: &Delivery,
    webhook: Option<&Webhook>,
    attempt: Option<&AttemptRecord>,
) -> Markup {
    let t = ctx.texts();
    let sent = attempt.filter(|attempt| !attempt.request_head.is_empty());
    let head = match sent {
        Some(attempt) => Head::parse(&attempt.request_head),
        None => webhook.and_then(|webhook| planned(delivery, webhook)),
    };
    let file = format!("message-{}.txt", delivery.id);
    let line = head.as_ref().map(|head| curl(head, &delivery.body, &file));
    let is_whole = delivery.message_kept && !message::is_cut(&delivery.body);
    html! {
        section id="request" {
            div.title {
                h2 { (t.of("deliveries-request")) }
                @if is_whole { (copy("message", &t.of("deliveries-copy"), Some(&t.of("deliveries-copy-message")))) }
            }
            @if let Some(head) = &head { p.http { code.code { (head.method) } code { (head.url) } } }
            @if sent.is_none() { p.quiet { (t.of("deliveries-request-none")) } }
            (message::shown(ctx, delivery))
            @if let Some(attempt) = sent {
                @let head = String::from_utf8_lossy(&attempt.request_head);
                details id="request-headers" {
                    summary { (t.with("deliveries-request-headers", &[("count", head.lines().skip(1).filter(|line| !line.is_empty()).count().into())])) }
                    pre tabindex="0" { (head) }
                }
            }
            @if let Some(data) = delivery.cause.as_ref().and_then(|cause| cause.data.as_ref()) {
                details id="data" { summary { (t.of("deliveries-data")) } pre tabindex="0" { (seen(data.as_str())) } @if data.is_cut() { p.quiet { (t.of("deliveries-data-cut")) } } }
            }
            @if let Some(line) = line.filter(|_| delivery.message_kept) {
                details id="as-curl" {
                    summary { (t.of("deliveries-curl")) }
                    @if sent.is_none() { p.quiet { (t.of("deliveries-curl-planned")) } }
                    pre id="curl" tabindex="0" { (line) }
                    p.quiet { (hint(t, &line, &file)) }
                }
            }
        }
    }
}

/// Renders the steps that are needed before the command works.
fn hint(t: &Texts, line: &str, file: &str) -> Markup {
    let placeholder = html! { code { (PLACEHOLDER) } };
    let file = html! { code { (file) } };
    let parts = [("placeholder", placeholder.into()), ("file", file.into())];
    match line.contains("--data-binary") {
        true => t.markup("deliveries-curl-hint-file", &parts),
        false => t.markup("deliveries-curl-hint", &parts),
    }
}

/// Returns the request that would be sent, without the headers that the sender adds.
fn planned(delivery: &Delivery, webhook: &Webhook) -> Option<Head> {
    let own = [("webhook-id".to_owned(), delivery.message_id.to_string())];
    let headers = webhook.request_headers().ok()?.into_iter().map(|header| {
        let value = match header.sensitive {
            true => "(hidden)",
            false => header.value.expose(),
        };
        (header.name, value.to_owned())
    });
    Some(Head {
        method: "POST".into(),
        url: webhook.url.as_str().to_owned(),
        headers: headers.chain(own).collect(),
    })
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// Returns the arguments of curl after a shell has parsed the line.
    fn arguments(shell: &str, line: &str) -> Vec<String> {
        let script = format!("curl() {{ printf '%s\\0' \"$@\"; }}; {line}");
        let told = Command::new(shell).args(["-c", &script]).output().unwrap();
        assert!(told.status.success(), "{line}");
        let told = String::from_utf8(told.stdout).unwrap();
        told.split_terminator('\0').map(str::to_owned).collect()
    }

    fn head(value: &str) -> Head {
        Head {
            method: "POST".into(),
            url: format!("https://example.com/{value}"),
            headers: vec![("X-A".into(), value.into())],
        }
    }

    #[test]
    fn curl_command_masks_credentials_and_omits_automatic_headers() {
        let log = b"POST https://example.com/(hidden) HTTP/1.1\r\nHost: example.com\r\nAuthorization: (hidden)\r\nX-Empty: \r\nx-time: a: b\r\nContent-Length: 2\r\n(cut)\r\n";
        let line = curl(&Head::parse(log).unwrap(), "{}", "m.txt");
        let wanted = [
            "curl --globoff --path-as-is --request 'POST' 'https://example.com/<credential>'",
            "--header 'Authorization: <credential>'",
            "--header 'X-Empty;'",
            "--header 'x-time: a: b'",
            "--data-raw '{}'",
        ];
        assert_eq!(line, wanted.join(" \\\n  "));
        assert_eq!(Head::parse(b""), None);
        assert_eq!(Head::parse(b"(cut)\r\n"), None);
    }

    #[test]
    fn curl_reads_large_or_nul_message_from_file() {
        let large = "x".repeat(MOST + 1);
        for message in [large.as_str(), "a\0b"] {
            let line = curl(&head("a"), message, "message-7.txt");
            assert!(line.ends_with("--data-binary '@message-7.txt'"), "{line}");
        }
    }

    #[test]
    fn curl_command_quotes_all_shell_characters() {
        for text in [
            "'",
            "''",
            "it's",
            "$HOME",
            "$(id)",
            "`id`",
            "!!",
            "a!b",
            "\\",
            "\\'",
            "\n",
            "a\nb\n",
            "\"",
            "*",
            "~",
            "#",
            "; id",
            "& id",
            "| id",
            "@file",
            "\t",
            "ä€😀",
            "'; id; '",
            "$'a'",
        ] {
            for shell in ["sh", "bash"] {
                let told = arguments(shell, &curl(&head("a"), text, "f"));
                assert_eq!(told.last().map(String::as_str), Some(text), "{shell}");
            }
        }
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]
        #[test]
        fn a_shell_reads_what_was_sent(message in "[ -~\n\t'$`!\\\\äß]{0,60}", value in "[!-~'$`!]{1,20}") {
            let told = arguments("sh", &curl(&head(&value), &message, "f"));
            let header = format!("X-A: {}", value.replace(HIDDEN, PLACEHOLDER));
            let url = format!("https://example.com/{}", value.replace(HIDDEN, PLACEHOLDER));
            let wanted = [
                "--globoff", "--path-as-is", "--request", "POST", &url, "--header", &header,
                "--data-raw", &message,
            ];
            proptest::prop_assert_eq!(told, wanted);
        }
    }
}
