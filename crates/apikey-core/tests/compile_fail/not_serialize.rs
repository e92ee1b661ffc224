//! No type that holds a key can be serialised.

fn serialize<T: serde::Serialize>() {}

fn main() {
    serialize::<apikey_core::KeyString>();
    serialize::<apikey_core::NewKey>();
    serialize::<apikey_core::RevealOnce>();
    serialize::<apikey_core::RevealedKey>();
    serialize::<apikey_core::PresentedKey<'static>>();
    serialize::<apikey_core::Pak>();
    serialize::<apikey_core::Digest>();
    serialize::<apikey_core::ApiKey>();
}
