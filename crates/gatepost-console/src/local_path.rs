//! Where a login may lead back to.

/// The path and query to return to after a login, if it leads to a page of the same site for
/// certain; `None` for everything else, and a login leads to a page of its own choice then.
///
/// It begins with a slash that no other follows, holds visible ASCII alone and no backslash, and
/// has none of what is refused in an encoded form either: browsers drop line ends and tabs, and
/// read a backslash as a slash, so that `/\t/elsewhere.example` is another site.
#[must_use]
pub fn local_path(back: &str) -> Option<&str> {
    let decoded = decode(back);
    let is_plain = back.bytes().all(|byte| byte.is_ascii_graphic());
    let hides = decoded
        .iter()
        .any(|byte| byte.is_ascii_control() || *byte == b'\\');
    (is_plain && !hides && is_path(back.as_bytes()) && is_path(&decoded)).then_some(back)
}

fn is_path(text: &[u8]) -> bool {
    match text {
        [b'/'] => true,
        [b'/', next, ..] => next.is_ascii_alphanumeric() || b"?-_~".contains(next),
        _ => false,
    }
}

/// The bytes, with each `%41` as what it stands for.
fn decode(text: &str) -> Vec<u8> {
    let digit = |byte: &u8| {
        char::from(*byte)
            .to_digit(16)
            .and_then(|n| u8::try_from(n).ok())
    };
    let (mut rest, mut decoded) = (text.as_bytes(), Vec::with_capacity(text.len()));
    while let [first, after @ ..] = rest {
        let encoded = match (first, after) {
            (b'%', [high, low, ..]) => digit(high).zip(digit(low)),
            _ => None,
        };
        match encoded {
            Some((high, low)) => {
                decoded.push(high * 16 + low);
                rest = &after[2..];
            }
            None => {
                decoded.push(*first);
                rest = after;
            }
        }
    }
    decoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_path_of_this_site_leads_back() {
        for good in [
            "/",
            "/console/",
            "/console/keys?name=a%20b&url=https%3A%2F%2Fx.example%2F#top",
            "/?page=2",
            "/caf%C3%A9",
        ] {
            assert_eq!(local_path(good), Some(good));
        }
        for bad in [
            "",
            "console",
            "//x.example",
            "/\\x.example",
            "\\/x.example",
            "https://x.example/",
            "javascript:alert(1)",
            "/\t/x.example",
            "/\n/x.example",
            "/a\r\nset-cookie: a=b",
            "/a\0",
            "/a\u{7f}",
            "/a b",
            "/%2fx.example",
            "/%2Fx.example",
            "/%5cx.example",
            "/a%5Cb",
            "/%09/x.example",
            "/a%0d%0aset-cookie:%20a=b",
            "/a%00",
            "%2f%2fx.example",
            "/\u{ff0f}x.example",
            "/\u{202e}moc",
            "/%EF%BC%8Fx.example",
            "/./x",
            "/.//x.example",
            "/@x.example",
            "/;//x.example",
        ] {
            assert_eq!(local_path(bad), None, "{bad:?}");
        }
    }
}
