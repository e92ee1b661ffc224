//! Traits left out on purpose, checked when this file is compiled: a type that holds a secret is
//! not cloned, printed or serialised, and a key string is revealed by a move.

use std::fmt::Display;

use apikey_core::{
    ApiKey, Digest, KeyEdit, KeyString, NewKey, Pak, Pepper, Peppers, PresentedKey, RevealOnce,
    RevealedKey,
};
use serde::Serialize;

/// Does not compile if one of the types has the trait: two implementations of `Ambiguous` would fit
/// then, and nothing chooses between them.
macro_rules! assert_none_is {
    ($bound:path: $($holder:ty),+) => {$(
        const _: fn() = || {
            trait Ambiguous<Which> {
                fn check() {}
            }
            struct WithTrait;
            impl<T: ?Sized> Ambiguous<()> for T {}
            impl<T: ?Sized + $bound> Ambiguous<WithTrait> for T {}
            <$holder as Ambiguous<_>>::check();
        };
    )+};
}

assert_none_is!(Clone: KeyString, NewKey, RevealOnce, RevealedKey, Pak, Pepper, Peppers);
assert_none_is!(Display: KeyString, NewKey, RevealedKey, PresentedKey<'static>, Digest);
assert_none_is!(
    Serialize: KeyString, NewKey, RevealOnce, RevealedKey, PresentedKey<'static>, Pak, Digest,
    ApiKey
);

#[test]
fn a_key_is_revealed_by_a_move() {
    let _: fn(NewKey) -> RevealedKey = NewKey::reveal;
    let _: fn(RevealOnce) -> RevealedKey = RevealOnce::reveal;
}

/// SPEC 2.1 rule 3: neither the key string nor the owner nor the lookup id.
#[test]
fn key_edit_has_no_field_for_immutable_values() {
    let fields = "name: None, description: None, expiration: None, ip_allow: None, ip_deny: None, \
                  read_only: None, tables: None, scopes: None, limit: None, enabled: None";
    let nothing = format!("{:?}", KeyEdit::default());
    assert_eq!(nothing, format!("KeyEdit {{ {fields} }}"));
}
