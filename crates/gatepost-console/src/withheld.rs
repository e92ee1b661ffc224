//! An address with a whole API key in it, such as one that was typed into a search: the browser is
//! led on to the same address with the key's hint, before anything repeats or logs the key.

use std::borrow::Cow;

use apikey_core::PresentedKey;
use http::Uri;
use url::form_urlencoded::{Serializer, parse};

/// The confirmation by which the page that is led to says so.
const WORD: &str = "key-withheld";
/// Its field, as [`done`](crate::done) reads it.
const DONE: &str = "done";

/// Path and query without keys, on which the browser is led; `None` where there are none.
pub(crate) fn without_keys(uri: &Uri, path: &str) -> Option<String> {
    let query = uri.query()?;
    let (mut kept, mut found) = (Serializer::new(String::new()), false);
    for (name, value) in parse(query.as_bytes()) {
        let field = [hinted(&name), hinted(&value)];
        found |= field.iter().any(|text| matches!(text, Cow::Owned(_)));
        if name != DONE {
            kept.append_pair(&field[0], &field[1]);
        }
    }
    kept.append_pair(DONE, WORD);
    found.then(|| format!("{path}?{}", kept.finish()))
}

/// Whether the page was led to by [`without_keys`].
pub(crate) fn is_told(uri: &Uri) -> bool {
    let fields = uri.query().unwrap_or_default().split('&');
    let mut told = fields.filter_map(|field| field.strip_prefix(DONE)?.strip_prefix('='));
    told.any(|word| word == WORD)
}

/// A text in which keys are replaced by what may be shown of them, and can be searched for.
fn hinted(text: &str) -> Cow<'_, str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut shown = String::new();
    let (mut rest, mut found) = (text, false);
    while !rest.is_empty() {
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        match PresentedKey::parse(word) {
            Ok(key) => {
                found = true;
                shown.push_str(key.hint().as_str().trim_end_matches('…'));
            }
            Err(_) => shown.push_str(word),
        }
        let next = after.find(is_part).unwrap_or(after.len());
        let (between, after) = after.split_at(next);
        shown.push_str(between);
        rest = after;
    }
    if found { shown.into() } else { text.into() }
}

#[cfg(test)]
mod tests {
    use apikey_core::{KeyString, Prefix};

    use super::*;

    fn led(uri: &str) -> Option<String> {
        without_keys(&uri.parse().unwrap(), "/keys")
    }

    #[test]
    fn a_key_leaves_the_address_and_its_hint_stays() {
        let key = KeyString::generate(&Prefix::default(), &mut rand::rng()).unwrap();
        let hint = key.hint().as_str().trim_end_matches('…').to_owned();
        for (query, kept) in [
            (format!("q={}", key.as_str()), format!("q={hint}")),
            (
                format!("sort=name&q=a+%22{}%22.&owner=3", key.as_str()),
                format!("sort=name&q=a+%22{hint}%22.&owner=3"),
            ),
            (
                format!("done=saved&id=Bearer+{}", key.as_str()),
                format!("id=Bearer+{hint}"),
            ),
        ] {
            let to = led(&format!("/keys?{query}")).unwrap();
            assert_eq!(to, format!("/keys?{kept}&done=key-withheld"));
            assert!(is_told(&to.parse().unwrap()) && led(&to).is_none());
        }
    }

    #[test]
    fn other_addresses_stay_as_they_are() {
        let key = KeyString::generate(&Prefix::default(), &mut rand::rng()).unwrap();
        let cut = &key.as_str()[..key.as_str().len() - 1];
        for query in ["q=", "q=gp_AbCdEfGh", &format!("q={cut}"), "%", "q=%ff"] {
            assert_eq!(led(&format!("/keys?{query}")), None, "{query}");
        }
        assert!(led("/keys").is_none() && !is_told(&"/keys?done=saved".parse().unwrap()));
    }
}
