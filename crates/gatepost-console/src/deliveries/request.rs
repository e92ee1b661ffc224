//! The request as it was sent, and as a line for curl, to be pasted into a shell.

use gatepost_storage::webhooks::{AttemptRecord, Delivery};
use maud::{Markup, html};
use webhook_model::Webhook;

use crate::texts::Texts;

/// What takes the place of a credential in the log.
const HIDDEN: &str = "(hidden)";
/// What takes its place here, so that it is seen what to fill in.
pub(super) const PLACEHOLDER: &str = "<credential>";
/// A longer message is read from a file: a shell takes 128 KiB in one argument.
const MOST: usize = 16 * 1024;
/// Headers that curl writes itself.
const OWN: [&str; 2] = ["host", "content-length"];

/// A request: its first line and its headers, as [`Head::parse`] reads them from the log.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Head {
    pub method: String,
    pub url: String,
    pub headers: Vec<(String, String)>,
}

impl Head {
    /// `None` where nothing was kept, or not even the first line fitted.
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

/// The line, for POSIX shells. `file` is read instead of a message that is too long or has a NUL.
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
        // As `Name:` curl would leave the header out.
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

/// As one word for a POSIX shell: within single quotes nothing means anything but their end.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// The section of the delivery's page: the request of the last attempt that kept one. Where nothing
/// was sent yet, the line for curl is made of the webhook as it is now.
pub(super) fn section(
    t: &Texts,
    delivery: &Delivery,
    webhook: Option<&Webhook>,
    attempts: &[AttemptRecord],
) -> Markup {
    let mut sent = attempts.iter().rev();
    let sent = sent.find(|attempt| !attempt.request_head.is_empty());
    let head = match sent {
        Some(attempt) => Head::parse(&attempt.request_head),
        None => webhook.and_then(|webhook| planned(delivery, webhook)),
    };
    let file = format!("message-{}.txt", delivery.id);
    let line = head.map(|head| curl(&head, &delivery.body, &file));
    html! {
        section {
            h2 { (t.of("deliveries-request")) }
            @match sent {
                Some(attempt) => {
                    p.quiet { (t.with("deliveries-request-sent", &[("number", attempt.number.into())])) }
                    pre id="request" tabindex="0" { (String::from_utf8_lossy(&attempt.request_head)) }
                    p { (copy("request", &t.of("deliveries-copy"), Some(&t.of("deliveries-copy-request")))) }
                }
                None => p.quiet { (t.of("deliveries-request-none")) },
            }
            @if let Some(line) = line.filter(|_| delivery.message_kept) {
                details id="as-curl" {
                    summary { (t.of("deliveries-curl")) }
                    @if sent.is_none() { p.quiet { (t.of("deliveries-curl-planned")) } }
                    pre id="curl" tabindex="0" { (line) }
                    p { (copy("curl", &t.of("deliveries-curl-copy"), None)) }
                    p.quiet { (hint(t, &line, &file)) }
                }
            }
        }
    }
}

/// What is to be done before the line is of use.
fn hint(t: &Texts, line: &str, file: &str) -> Markup {
    let placeholder = html! { code { (PLACEHOLDER) } };
    let file = html! { code { (file) } };
    let parts = [("placeholder", placeholder.into()), ("file", file.into())];
    match line.contains("--data-binary") {
        true => t.markup("deliveries-curl-hint-file", &parts),
        false => t.markup("deliveries-curl-hint", &parts),
    }
}

/// A button that copies an element's text, with what screen readers say instead of its own; it
/// needs the script.
pub(super) fn copy(id: &str, text: &str, said: Option<&str>) -> Markup {
    html! {
        button.small.scripted type="button" data-copy=(id) data-said={ (id) "-copied" } aria-label=[said] { (text) }
        " " span.quiet id={ (id) "-copied" } role="status" {}
    }
}

/// What would be sent, without the sender's own headers.
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

    /// What curl would be given, as a shell reads the line.
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
    fn the_line_has_placeholders_and_what_curl_does_not_write_itself() {
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
    fn a_message_that_no_argument_holds_is_read_from_its_file() {
        let large = "x".repeat(MOST + 1);
        for message in [large.as_str(), "a\0b"] {
            let line = curl(&head("a"), message, "message-7.txt");
            assert!(line.ends_with("--data-binary '@message-7.txt'"), "{line}");
        }
    }

    #[test]
    fn nothing_that_a_shell_knows_gets_out_of_its_quotes() {
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
