//! The chance to reveal is consumed too, after the record went its own way.

fn show(key: apikey_core::NewKey) {
    let (_record, once) = key.into_parts();
    let _popup = once.reveal();
    let _again = once.reveal();
}

fn main() {}
