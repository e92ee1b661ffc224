//! Targets that repeat in a response what they were sent: our credentials must not get into the
//! delivery log that way.

use std::borrow::Cow;

use memchr::memmem;
use webhook_model::{Authorization, Secret, Webhook};

/// What replaces a credential.
const HIDDEN: &[u8] = b"(hidden)";

/// Shorter texts are not looked for: they would be found everywhere.
const SHORTEST: usize = 4;
/// What a form costs beyond its text, about.
const FORM: usize = 32;
/// Parts of a URL that are at least as long are credentials where a service puts them there.
const LONG_PART: usize = 16;

/// The credentials of one webhook, in the forms in which a target would repeat them.
#[derive(Clone, Debug)]
pub(crate) struct Credentials(Vec<Secret>);

impl Credentials {
    /// Those of its authorization, of its custom headers and of its URL.
    pub(crate) fn of(webhook: &Webhook) -> Self {
        let mut forms = Vec::new();
        let mut add = |text: &str| add(&mut forms, text);
        for header in webhook.request_headers().unwrap_or_default() {
            if header.sensitive {
                let value = header.value.expose();
                add(value);
                // Without the scheme: `Bearer …`, `Basic …`.
                add(value
                    .split_once(' ')
                    .map_or("", |(_, credentials)| credentials));
            }
        }
        if let Authorization::OAuth2(client) = &webhook.authorization {
            add(client.client_secret().expose());
        } else if let Some(secret) = webhook.authorization.secret_text() {
            add(secret.expose());
            add(secret
                .expose()
                .split_once(':')
                .map_or("", |(_, password)| password));
        }
        let url = webhook.url.as_url();
        let query = url.query().unwrap_or_default().split(['&', '=']);
        let parts = url.path().split('/').chain(query);
        parts.filter(|part| part.len() >= LONG_PART).for_each(add);
        Self(in_order(forms))
    }

    /// With the access tokens that were used.
    pub(crate) fn with(&self, tokens: &[Secret]) -> Cow<'_, Self> {
        if tokens.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut forms = self.0.clone();
        for token in tokens {
            add(&mut forms, token.expose());
        }
        Cow::Owned(Self(in_order(forms)))
    }

    /// What they cost, about.
    pub(crate) fn bytes(&self) -> usize {
        self.0.iter().map(|form| FORM + form.expose().len()).sum()
    }

    /// A copy in which the credentials are hidden. `cut`: the text was truncated, so its end may be
    /// the beginning of a credential.
    pub(crate) fn hide(&self, text: &[u8], cut: bool) -> Vec<u8> {
        let mut text = text.to_vec();
        for form in &self.0 {
            let form = form.expose().as_bytes();
            if let Some(hidden) = replaced(&text, form) {
                text = hidden;
            }
        }
        if cut {
            let begun = self
                .0
                .iter()
                .filter_map(|form| begun(&text, form.expose().as_bytes()));
            if let Some(at) = begun.min() {
                text.truncate(at);
                text.extend_from_slice(HIDDEN);
            }
        }
        text
    }
}

/// A credential as it is, and as it looks in JSON.
fn add(forms: &mut Vec<Secret>, text: &str) {
    if text.len() < SHORTEST {
        return;
    }
    forms.push(Secret::new(text));
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    if escaped != text {
        forms.push(Secret::new(&escaped));
    }
}

/// One that contains another goes first, so that nothing of it stays.
fn in_order(mut forms: Vec<Secret>) -> Vec<Secret> {
    forms.sort_by_key(|form| std::cmp::Reverse(form.expose().len()));
    forms
}

/// The text with every `form` in it replaced; `None` when there is none. Takes as long as the text
/// is, whatever is in the two: their owner chooses both.
fn replaced(text: &[u8], form: &[u8]) -> Option<Vec<u8>> {
    let mut found = memmem::find_iter(text, form).peekable();
    found.peek()?;
    let mut out = Vec::with_capacity(text.len());
    let mut copied = 0;
    for at in found {
        out.extend_from_slice(text.get(copied..at)?);
        out.extend_from_slice(HIDDEN);
        copied = at + form.len();
    }
    out.extend_from_slice(text.get(copied..)?);
    Some(out)
}

/// Where the text ends with the beginning of `form`, the longest such. By the failure function of
/// Knuth, Morris and Pratt, in time of the form's length.
fn begun(text: &[u8], form: &[u8]) -> Option<usize> {
    let mut borders = Vec::with_capacity(form.len());
    borders.push(0);
    for byte in form.get(1..)? {
        let last = borders.last().copied().unwrap_or_default();
        borders.push(longer(form, &borders, last, *byte));
    }
    let tail = text.get(text.len().saturating_sub(form.len())..)?;
    let part = tail
        .iter()
        .fold(0, |part, byte| longer(form, &borders, part, *byte));
    (part >= SHORTEST).then(|| text.len() - part)
}

/// How many of the first bytes of `form` a text ends with that ended with `part` of them before
/// this byte.
fn longer(form: &[u8], borders: &[usize], mut part: usize, byte: u8) -> usize {
    loop {
        if form.get(part) == Some(&byte) {
            return part + 1;
        }
        match part.checked_sub(1).and_then(|last| borders.get(last)) {
            Some(border) => part = *border,
            None => return 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use webhook_model::{Headers, OAuth2, OwnerId};

    use super::*;

    fn credentials(authorization: Authorization, headers: &str) -> Credentials {
        let url = "https://example.com/".parse().unwrap();
        let webhook = Webhook::new(OwnerId(1), "w".parse().unwrap(), url);
        let headers = Headers::parse_lines(headers).unwrap();
        Credentials::of(&Webhook {
            authorization,
            headers,
            ..webhook
        })
    }

    fn hidden(credentials: &Credentials, text: &str, cut: bool) -> String {
        String::from_utf8(credentials.hide(text.as_bytes(), cut)).unwrap()
    }

    #[test]
    fn what_a_target_repeats_is_hidden() {
        let bearer = credentials(
            Authorization::bearer("abc123").unwrap(),
            "Cookie: sess=1\nX-Plain: open",
        );
        let echoed = r#"{"authorization":"Bearer abc123","token":"abc123","cookie":"sess=1","x-plain":"open"}"#;
        let expected = r#"{"authorization":"(hidden)","token":"(hidden)","cookie":"(hidden)","x-plain":"open"}"#;
        assert_eq!(hidden(&bearer, echoed, false), expected);
        let basic = credentials(Authorization::basic("ada", "pass\"word").unwrap(), "");
        let echoed = r#"Basic YWRhOnBhc3Mid29yZA== is ada:pass"word, as JSON "pass\"word""#;
        assert_eq!(
            hidden(&basic, echoed, false),
            r#"(hidden) is (hidden), as JSON "(hidden)""#
        );
    }

    #[test]
    fn access_tokens_and_the_secret_of_their_client_are_hidden() {
        let url = "https://example.com/".parse().unwrap();
        let client = OAuth2::new("https://id.example.com/", "me", "cl1ent-s3cret").unwrap();
        let webhook = Webhook {
            authorization: Authorization::OAuth2(Box::new(client)),
            ..Webhook::new(OwnerId(1), "w".parse().unwrap(), url)
        };
        let tokens = [Secret::new("t0ken-a"), Secret::new("t0ken-b")];
        let credentials = Credentials::of(&webhook);
        let credentials = credentials.with(&tokens);
        let echoed = "Bearer t0ken-a, t0ken-b of me: cl1ent-s3cret";
        let expected = "Bearer (hidden), (hidden) of me: (hidden)";
        assert_eq!(hidden(&credentials, echoed, false), expected);
    }

    #[test]
    fn a_long_part_of_the_url_is_hidden_and_a_short_one_is_not() {
        let url =
            "https://chat.example/services/T0000/abcdefghijklmnopqrst?key=0123456789abcdef&a=b";
        let webhook = Webhook::new(OwnerId(1), "w".parse().unwrap(), url.parse().unwrap());
        let echoed = "Cannot POST /services/T0000/abcdefghijklmnopqrst?key=0123456789abcdef&a=b";
        assert_eq!(
            hidden(&Credentials::of(&webhook), echoed, false),
            "Cannot POST /services/T0000/(hidden)?key=(hidden)&a=b"
        );
    }

    #[test]
    fn what_is_no_credential_stays_as_it_came() {
        let none = credentials(Authorization::None, "X-Plain: open");
        let bearer = credentials(Authorization::bearer("abc123").unwrap(), "");
        for text in ["", "ok", "abc12", "ABC123", "open", "ab abc1 abcabc12"] {
            assert_eq!(hidden(&none, text, true), text);
            assert_eq!(hidden(&bearer, text, false), text);
        }
        assert_eq!(bearer.hide(&[0xff, 0], false), [0xff, 0]);
    }

    #[test]
    fn a_credential_that_is_cut_off_is_hidden_too() {
        let bearer = credentials(Authorization::bearer("abc123def456").unwrap(), "");
        assert_eq!(
            hidden(&bearer, "you sent abc123d", true),
            "you sent (hidden)"
        );
        assert_eq!(
            hidden(&bearer, "you sent Bearer abc", true),
            "you sent (hidden)"
        );
        assert_eq!(
            hidden(&bearer, "you sent abc", true),
            "you sent abc",
            "three characters say little"
        );
        assert_eq!(
            hidden(&bearer, "aabcabc123def456 abc1", true),
            "aabc(hidden) (hidden)"
        );
    }

    /// Texts and credentials that agree for long before they differ: compared byte by byte at each
    /// place they took a second.
    #[test]
    fn a_target_that_knows_the_credentials_makes_hiding_them_no_longer() {
        let long = |end: &str| format!("{}{end}", "a".repeat(8_000));
        let headers = ["b", "c", "d", "e"].map(|end| format!("X-Token: {}\n", long(end)));
        let hostile = credentials(Authorization::None, &headers.concat());
        assert!(hostile.bytes() >= 4 * 8_001, "{}", hostile.bytes());
        let mut text = "a".repeat(16 * 1024 - 1);
        let start = tokio::time::Instant::now();
        assert_eq!(hidden(&hostile, &text, true).len(), text.len() - 8_000 + 8);
        text.push('x');
        for _ in 0..20 {
            assert_eq!(hidden(&hostile, &text, true), text);
        }
        assert!(start.elapsed() < std::time::Duration::from_secs(5));
    }

    proptest::proptest! {
        #[test]
        fn the_longest_beginning_at_the_end_is_found(text in "[ab]{0,40}", form in "[ab]{4,20}") {
            let slow = (SHORTEST..=form.len()).rev().find(|n| text.ends_with(&form[..*n]));
            let found = begun(text.as_bytes(), form.as_bytes());
            proptest::prop_assert_eq!(found, slow.map(|part| text.len() - part));
        }
    }
}
