//! What needs no store, in one run: a key that is checked, by `apikey-core`, `prefixed-api-key` and
//! `api-keys-simplified`; a message that is made, by `webhook-model`, `handlebars` and `minijinja`.
//!
//! `cargo run --release --manifest-path benches/peers/Cargo.toml --bin plain`

mod keys;
mod messages;
mod table;

fn main() {
    table::print("checks a key", &keys::contenders());
    table::print("makes a message of 1 KiB", &messages::contenders());
}
