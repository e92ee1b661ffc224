//! What needs no store, in one run: a key that is checked, by `apikey-core`, `prefixed-api-key` and
//! `api-keys-simplified`; a message that is made, by `webhook-model`, `handlebars` and `minijinja`;
//! one that is sent until it is taken, by `delivery` and `reqwest-middleware` with `reqwest-retry`.
//!
//! `cargo run --release --manifest-path benches/peers/Cargo.toml --bin plain`

mod keys;
mod messages;
mod receiver;
mod retries;
mod table;

fn main() {
    if std::env::args().nth(1).as_deref() == Some(receiver::SERVE) {
        return receiver::serve();
    }
    table::print("checks a key", &keys::contenders());
    table::print("makes a message of 1 KiB", &messages::contenders());
    retries::print();
}
