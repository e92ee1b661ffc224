//! SPEC 5.1 rule 1 and SPEC 7: the header carries the key string only.

use apikey_core::bearer::{BearerError, MAX_TOKEN_LEN, token_of};
use proptest::prelude::*;

fn one(value: &[u8]) -> Result<&str, BearerError> {
    token_of([value])
}

#[test]
fn bearer_scheme_ignores_case_and_keeps_token_verbatim() {
    for scheme in ["Bearer", "bearer", "BEARER", "bEaReR"] {
        assert_eq!(one(format!("{scheme} aB_c").as_bytes()), Ok("aB_c"));
    }
}

#[test]
fn every_mistake_has_its_reason() {
    use BearerError::*;
    for (value, why) in [
        ("", OtherScheme),
        ("Bearer", NoToken),
        ("Bearer ", NoToken),
        ("Bearer  ", ExtraSpace),
        ("Bearer  abc", ExtraSpace),
        ("Bearer abc ", ExtraSpace),
        ("Bearer abc def", ExtraSpace),
        ("Bearer abc, Bearer def", ExtraSpace),
        (" Bearer abc", ExtraSpace),
        ("Bearer\tabc", Tab),
        ("Bearer \tabc", Tab),
        ("Bearer abc\t", Tab),
        ("\tBearer abc", Tab),
        ("Bearer\u{a0}abc", OtherScheme),
        ("Bearer abcé", NotAscii),
        ("Bearer abc\u{a0}", NotAscii),
        ("Bearer abc\0", Control),
        ("Bearer abc\r\n", Control),
        ("Bearer abc\x7f", Control),
        ("Bearerabc", OtherScheme),
        ("Bearer:abc", OtherScheme),
        ("abc", OtherScheme),
        ("Basic YTpi", OtherScheme),
        ("Token abc", OtherScheme),
        ("ApiKey abc", OtherScheme),
    ] {
        assert_eq!(one(value.as_bytes()), Err(why), "{value:?}");
    }
    assert_eq!(one(b"Bearer \xff\xfe"), Err(NotAscii));
}

#[test]
fn no_header_and_two_headers_are_refused() {
    let value = b"Bearer abc".as_slice();
    assert_eq!(token_of([]), Err(BearerError::Missing));
    assert_eq!(token_of([value, value]), Err(BearerError::Repeated));
    assert_eq!(
        token_of([b"Basic YTpi".as_slice(), value]),
        Err(BearerError::Repeated)
    );
    assert_eq!(
        token_of(std::iter::repeat(value)),
        Err(BearerError::Repeated)
    );
}

#[test]
fn an_oversized_header_is_refused_by_its_length() {
    let token = "x".repeat(MAX_TOKEN_LEN);
    assert_eq!(one(format!("Bearer {token}").as_bytes()), Ok(&*token));
    assert_eq!(
        one(format!("Bearer {token}x").as_bytes()),
        Err(BearerError::TooLong)
    );
    assert_eq!(one(&vec![b' '; 1 << 20]), Err(BearerError::TooLong));
}

proptest! {
    #[test]
    fn arbitrary_bytes_yield_token_only_in_bearer_form(value in prop::collection::vec(any::<u8>(), 0..40)) {
        if let Ok(token) = one(&value) {
            prop_assert_eq!(value.len(), "Bearer ".len() + token.len());
            prop_assert!(token.bytes().all(|b| b.is_ascii_graphic()));
        }
    }

    #[test]
    fn bearer_token_is_everything_after_the_scheme(token in "[!-~]{1,60}") {
        let value = format!("bearer {token}");
        prop_assert_eq!(one(value.as_bytes()), Ok(&*token));
    }
}
