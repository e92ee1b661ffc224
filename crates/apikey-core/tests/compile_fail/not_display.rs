//! No type that holds a key can be printed by accident.

fn display<T: std::fmt::Display>() {}

fn main() {
    display::<apikey_core::KeyString>();
    display::<apikey_core::NewKey>();
    display::<apikey_core::RevealedKey>();
    display::<apikey_core::PresentedKey<'static>>();
    display::<apikey_core::Digest>();
}
