//! Traits left out on purpose, checked when this file is compiled: a secret is neither printed nor
//! serialised.

use std::fmt::Display;

use serde::Serialize;
use webhook_model::{Secret, SigningSecret};

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

assert_none_is!(Display: Secret, SigningSecret);
assert_none_is!(Serialize: Secret, SigningSecret);
