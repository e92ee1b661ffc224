//! How a value that may gain fields is filled in from outside its crate.

/// Consuming setters: the way to change one field of a struct that may gain others. For the crates
/// of this workspace.
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
