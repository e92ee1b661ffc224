//! The address of the API, for a command line that works when it is pasted.

use std::net::IpAddr;

use http::{HeaderMap, Uri, header};
use url::{Host, Url};

/// The path of the API (SPEC 4 rule 1).
const PATH: &str = "/api/v4";
/// The longest accepted host and port, in bytes.
const MAX_AUTHORITY: usize = 261;

/// Returns the API's address: the one that the platform set, or else `/api/v4` at the address at
/// which the browser reached this page. `None` if neither is known.
///
/// A browser sends its address in `Host` and the scheme in `Origin`. Both are only shown to the
/// user who sent them, and only if they are no more than a host and a port. Forwarding headers are
/// not read: any client can send them.
pub(crate) fn api_url(set: Option<&Url>, uri: &Uri, headers: &HeaderMap) -> Option<String> {
    if let Some(set) = set {
        return Some(set.as_str().trim_end_matches('/').to_owned());
    }
    let mut hosts = headers.get_all(header::HOST).iter();
    let host = match (hosts.next(), hosts.next()) {
        (Some(host), None) => host.to_str().ok()?,
        // HTTP/2 sends it only in the address.
        (None, None) => uri.authority()?.as_str(),
        _ => return None,
    };
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-.:[]".contains(&byte);
    if host.len() > MAX_AUTHORITY || !host.bytes().all(is_plain) {
        return None;
    }
    let origin = headers.get(header::ORIGIN);
    let origin = origin.and_then(|origin| origin.to_str().ok()).unwrap_or("");
    let url: Url = format!("http://{host}/").parse().ok()?;
    let scheme = match origin.strip_suffix(host) {
        Some("http://") => "http",
        Some("https://") => "https",
        _ if is_this_machine(&url) => "http",
        _ => "https",
    };
    Some(format!("{scheme}://{host}{PATH}"))
}

fn is_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => IpAddr::from(address).is_loopback(),
        Some(Host::Ipv6(address)) => IpAddr::from(address).is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(host: &str, origin: Option<&str>) -> Option<String> {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, host.parse().ok()?);
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, origin.parse().unwrap());
        }
        api_url(None, &Uri::from_static("/keys/new"), &headers)
    }

    #[test]
    fn api_url_follows_host_and_origin_headers() {
        for (host, origin, url) in [
            (
                "127.0.0.1:8080",
                Some("http://127.0.0.1:8080"),
                "http://127.0.0.1:8080",
            ),
            (
                "acme.example",
                Some("https://acme.example"),
                "https://acme.example",
            ),
            ("acme.example", None, "https://acme.example"),
            ("acme.example", Some("null"), "https://acme.example"),
            (
                "acme.example",
                Some("http://evil.example"),
                "https://acme.example",
            ),
            ("localhost:3000", None, "http://localhost:3000"),
            ("[::1]:3000", None, "http://[::1]:3000"),
        ] {
            assert_eq!(found(host, origin), Some(format!("{url}/api/v4")));
        }
    }

    #[test]
    fn api_url_rejects_invalid_host_header() {
        for host in [
            "",
            "a b",
            "a';rm -rf ~;'",
            "$(id)",
            "`id`",
            "user@acme.example",
            "acme.example/x",
            "acme.example?x",
            "acme.example:port",
            "acme.example:99999",
            "é.example",
            "[::1",
            &"a".repeat(300),
        ] {
            assert_eq!(found(host, None), None, "{host}");
        }
        let mut two = HeaderMap::new();
        two.append(header::HOST, "a.example".parse().unwrap());
        two.append(header::HOST, "b.example".parse().unwrap());
        assert_eq!(api_url(None, &Uri::from_static("/"), &two), None);
    }

    #[test]
    fn api_url_prefers_setting_then_http2_authority() {
        let set = "https://api.acme.example/v4/".parse().unwrap();
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, "other.example".parse().unwrap());
        let url = api_url(Some(&set), &Uri::from_static("/"), &headers);
        assert_eq!(url.unwrap(), "https://api.acme.example/v4");
        let uri = Uri::from_static("https://acme.example/console/keys/new");
        let url = api_url(None, &uri, &HeaderMap::new());
        assert_eq!(url.unwrap(), "https://acme.example/api/v4");
    }
}
