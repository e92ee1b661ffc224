//! URLs and the target policy. Accepted addresses are global unicast by an independent list, and
//! the `Host` that the sender would write is the checked host.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::OnceLock;

use delivery::{Request, Sender, TargetPolicy};

pub(crate) fn holds(text: &str) {
    static SENDER: OnceLock<Sender> = OnceLock::new();
    let sender = SENDER.get_or_init(|| Sender::builder(TargetPolicy::public()).build().unwrap());
    let Ok(url) = text.parse::<url::Url>() else {
        return;
    };
    let Ok(request) = Request::builder(url.clone()).body("{}").build() else {
        return;
    };
    assert!(["http", "https"].contains(&url.scheme()));
    assert!(url.username().is_empty() && url.password().is_none());
    let preview = sender.preview(&request, Default::default()).unwrap();
    assert_eq!(preview.verdict, TargetPolicy::public().check_url(&url));
    if preview.verdict.is_ok() {
        match url.host().unwrap() {
            url::Host::Ipv4(v4) => assert!(is_public_v4(v4), "{url}"),
            url::Host::Ipv6(v6) => assert!(is_public_v6(v6), "{url}"),
            url::Host::Domain(name) => {
                assert!(
                    name.trim_end_matches('.').parse::<IpAddr>().is_err(),
                    "{url}"
                );
            }
        }
    }
    let head = String::from_utf8(preview.head).unwrap();
    let hosts: Vec<&str> = head
        .lines()
        .filter_map(|line| line.strip_prefix("Host: "))
        .collect();
    let host = url.host_str().unwrap();
    assert!(hosts.len() == 1 && hosts[0].starts_with(host), "{head:?}");
    assert_eq!(head.matches("\r\n\r\n").count(), 1);
    assert_eq!(head.matches(" HTTP/1.1\r\n").count(), 1);
}

/// RFC 6890 and its updates, written down a second time.
fn is_public_v4(v4: Ipv4Addr) -> bool {
    let [a, b, c, _] = v4.octets();
    let special = match (a, b, c) {
        (0 | 10 | 127 | 224.., ..) => true,
        (100, 64..=127, _) | (169, 254, _) | (172, 16..=31, _) | (192, 168, _) => true,
        (192, 0, 0 | 2) | (192, 88, 99) | (198, 18 | 19, _) => true,
        (198, 51, 100) | (203, 0, 113) => true,
        _ => v4 == Ipv4Addr::new(168, 63, 129, 16),
    };
    !special
}

fn is_public_v6(v6: Ipv6Addr) -> bool {
    let s = v6.segments();
    let embedded = Ipv4Addr::from((u32::from(s[6]) << 16) | u32::from(s[7]));
    match s {
        [0, 0, 0, 0, 0, 0xffff, ..] | [0x64, 0xff9b, 0, 0, 0, 0, ..] => is_public_v4(embedded),
        [0x2001, 0xdb8, ..] | [0x2001, 0..=0x1ff, ..] | [0x2002, ..] => false,
        [0x3fff, 0..=0xfff, ..] | [0x2620, 0x4f, 0x8000, ..] => false,
        [first, ..] => first >> 13 == 1, // 2000::/3
    }
}
