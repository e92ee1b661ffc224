//! A cookie of a request, however many headers there are.

use http::{HeaderMap, header};

/// The value of a cookie; of several with this name the first. All `Cookie` headers are read:
/// HTTP/2 may send each cookie in one of its own (RFC 9113 §8.2.3), so a login that reads the first
/// header alone fails as soon as there is a second cookie.
#[must_use]
pub fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let lines = headers.get_all(header::COOKIE).iter();
    let mut pairs = lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='));
    pairs.find_map(|(known, value)| (known == name).then_some(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_headers_are_read() {
        let mut headers = HeaderMap::new();
        for line in [
            "a=1; sessions=no",
            "session=yes;b=2",
            "session=later",
            "flag",
        ] {
            headers.append(header::COOKIE, line.parse().unwrap());
        }
        assert_eq!(cookie(&headers, "session"), Some("yes"));
        assert_eq!(cookie(&headers, "a"), Some("1"));
        assert_eq!(cookie(&headers, "b"), Some("2"));
        assert_eq!(cookie(&headers, "flag"), None);
        assert_eq!(cookie(&HeaderMap::new(), "a"), None);
    }
}
