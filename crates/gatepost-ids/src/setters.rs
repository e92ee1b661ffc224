//! Setters for structs that may gain fields, used from outside their crate.

/// Generates consuming setters, each of which changes one field of a struct that may gain others.
/// Only for the crates of this workspace.
#[doc(hidden)]
#[macro_export]
macro_rules! setters {
    ($target:ident { $($(#[$doc:meta])* $setter:ident($field:ident: $type:ty) => $value:expr,)* }) => {
        impl $target {
            $($(#[$doc])*
            #[must_use]
            pub fn $setter(mut self, $field: $type) -> Self {
                self.$field = $value;
                self
            })*
        }
    };
}
