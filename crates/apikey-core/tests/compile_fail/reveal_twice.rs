//! A new key is consumed when it is revealed.

fn show(key: apikey_core::NewKey) {
    let _popup = key.reveal();
    let _again = key.reveal();
}

fn main() {}
