//! The head of a request for logs, without the credentials.

use http::HeaderValue;
use http::header::{AUTHORIZATION, COOKIE, PROXY_AUTHORIZATION};

use crate::outcome::Protocol;
use crate::request::Request;

/// The maximum number of bytes, including the mark at the end.
const MOST: usize = 8 * 1024;
/// Replaces a credential.
const HIDDEN: &[u8] = b"(hidden)";
/// Replaces the part beyond the maximum.
const CUT: &[u8] = b"(cut)\r\n";

/// The method, the whole URL and the version, then the headers, each line ended by CR LF.
pub(super) fn shown<'a>(
    request: &Request,
    protocol: Protocol,
    headers: impl Iterator<Item = (&'a str, &'a HeaderValue)>,
) -> Vec<u8> {
    let version = match protocol {
        Protocol::Http1 => "HTTP/1.1",
        Protocol::Http2 => "HTTP/2",
    };
    let (method, [scheme, authority, path]) = (&request.fixed.method, request.fixed.url_parts());
    let first = [
        method.as_str(),
        " ",
        scheme,
        "://",
        authority,
        path,
        " ",
        version,
        "\r\n",
    ];
    let mut head = Vec::with_capacity(512);
    if !push(&mut head, &first.map(str::as_bytes)) {
        return head;
    }
    for (name, value) in headers {
        let value = match value.is_sensitive() || is_credential(name) {
            true => HIDDEN,
            false => value.as_bytes(),
        };
        if !push(&mut head, &[name.as_bytes(), b": ", value, b"\r\n"]) {
            break;
        }
    }
    head
}

/// Returns whether the line fit.
fn push(head: &mut Vec<u8>, line: &[&[u8]]) -> bool {
    let length: usize = line.iter().map(|part| part.len()).sum();
    let fits = head.len() + length + CUT.len() <= MOST;
    for part in if fits { line } else { &[CUT] } {
        head.extend_from_slice(part);
    }
    fits
}

fn is_credential(name: &str) -> bool {
    let credentials = [AUTHORIZATION, COOKIE, PROXY_AUTHORIZATION];
    credentials
        .iter()
        .any(|of| name.eq_ignore_ascii_case(of.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(request: &Request, protocol: Protocol) -> String {
        let headers = request.fixed.headers.iter();
        let headers = headers.map(|header| (&*header.written, &header.value));
        String::from_utf8(shown(request, protocol, headers)).unwrap()
    }

    #[test]
    fn masked_head_keeps_order_and_hides_only_credentials() {
        let url = "https://example.com/in?a=1#x".parse().unwrap();
        let request = Request::builder(url)
            .header("X-First", "1")
            .sensitive_header("X-Token", "secret")
            .header("aUTHORIZATION", "Bearer secret")
            .header("x-first", "2")
            .build()
            .unwrap();
        let head = of(&request, Protocol::Http2);
        assert!(
            head.starts_with("POST https://example.com/in?a=1 HTTP/2\r\n"),
            "{head}"
        );
        let named: Vec<_> = head
            .lines()
            .filter(|line| !line.starts_with("Host"))
            .collect();
        let wanted = [
            "X-First: 1",
            "X-Token: (hidden)",
            "aUTHORIZATION: (hidden)",
            "x-first: 2",
        ];
        assert_eq!(named.get(1..), Some(&wanted[..]), "{head}");
        assert!(!head.contains("secret"), "{head}");
    }

    #[test]
    fn masked_head_over_8_kib_is_marked_cut() {
        let url = "https://example.com/".parse().unwrap();
        let long = |request: crate::RequestBuilder, n| {
            request.header(&format!("X-{n}"), "v".repeat(1_000))
        };
        let request = (0..9).fold(Request::builder(url), long).build().unwrap();
        let head = of(&request, Protocol::Http1);
        assert!(
            head.len() <= MOST && head.len() > MOST - 1_100,
            "{}",
            head.len()
        );
        assert!(head.ends_with("v\r\n(cut)\r\n") && !head.contains("X-8"));
        let url = format!("https://example.com/{}", "p".repeat(MOST));
        let request = Request::builder(url.parse().unwrap()).build().unwrap();
        assert_eq!(of(&request, Protocol::Http1), "(cut)\r\n");
    }
}
