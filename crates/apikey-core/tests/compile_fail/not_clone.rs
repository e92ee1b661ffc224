//! No type that holds a key or a pepper can be cloned.

fn clone<T: Clone>() {}

fn main() {
    clone::<apikey_core::KeyString>();
    clone::<apikey_core::NewKey>();
    clone::<apikey_core::RevealOnce>();
    clone::<apikey_core::RevealedKey>();
    clone::<apikey_core::Pak>();
    clone::<apikey_core::Pepper>();
    clone::<apikey_core::Peppers>();
}
