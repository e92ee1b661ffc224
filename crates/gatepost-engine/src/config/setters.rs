//! The setters of options.

/// Consuming setters, which change one value of a struct that may gain others.
macro_rules! setters {
    ($config:ident { $($(#[$doc:meta])* $setter:ident: $field:ident: $type:ty,)* }) => {
        impl $config {
            $($(#[$doc])*
            #[must_use]
            pub fn $setter(mut self, $field: $type) -> Self {
                self.$field = $field;
                self
            })*
        }
    };
}
pub(super) use setters;
