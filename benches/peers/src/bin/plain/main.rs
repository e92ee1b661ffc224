//! Operations without a store, in one run: checking a key, by `apikey-core`, `prefixed-api-key` and
//! `api-keys-simplified`; rendering a message, by `webhook-model`, `handlebars` and `minijinja`;
//! sending one until it is accepted, by `delivery` and `reqwest-middleware` with `reqwest-retry`.
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
