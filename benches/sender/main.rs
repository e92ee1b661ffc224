//! Requests per CPU second of the sender with everything switched on, against bare clients, in one
//! run: plain, and over TLS with HTTP/1.1 and HTTP/2.
//!
//! `cargo bench -p benches --bench sender`
//!
//! `-- one NAME REQUESTS` makes one client work by itself and send one request at a time, for a
//! profiler: `-- one "hyper-util pooled client" 2000`.
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a measurement, not a library"
)]

mod clients;
mod load;
mod receiver;
mod tls;

use benches::spread;
use tokio::runtime::Runtime;

use crate::clients::{Bare, Client, Target};
use crate::load::Load;
use crate::receiver::Speaks;

const ROUNDS: usize = 7;

/// The tables of compared clients; the first is compared with the others.
const TABLES: [(Speaks, &[Client]); 3] = [
    (
        Speaks::Http1,
        &[
            Client::Sender,
            Client::Bare(Bare::Pooled),
            Client::Bare(Bare::Handles),
            Client::Bare(Bare::Reqwest),
        ],
    ),
    (
        Speaks::Http1OverTls,
        &[Client::Sender, Client::Bare(Bare::HyperRustls)],
    ),
    (
        Speaks::Http2OverTls,
        &[Client::Sender, Client::Bare(Bare::HyperRustls)],
    ),
];

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args.as_slice() {
        ["--receiver", speaks, folder] => runtime.block_on(receiver::serve(speaks, folder)),
        ["one", name, requests, ..] => one(&runtime, name, requests.parse().unwrap()),
        _ => TABLES
            .iter()
            .for_each(|(speaks, clients)| compare(&runtime, *speaks, clients)),
    }
}

fn compare(runtime: &Runtime, speaks: Speaks, clients: &[Client]) {
    let target = Target::start(speaks);
    let mut figures = vec![Vec::new(); clients.len()];
    for _ in 0..ROUNDS {
        for (client, figures) in clients.iter().zip(&mut figures) {
            figures.push(runtime.block_on(client.run(&target, Load::FULL)));
        }
    }
    println!("{speaks}: {}, {ROUNDS} rounds", Load::FULL);
    let own = figures[0].clone();
    for (client, micros) in clients.iter().zip(figures) {
        let ratios: Vec<f64> = micros
            .iter()
            .zip(&own)
            .map(|(other, own)| other / own)
            .collect();
        if !matches!(client, Client::Sender) {
            let name = format!("{speaks}: {client} / the sender");
            benches::keep(&name, &ratios, benches::Better::More);
        }
        let ((median, min, max), (ratio, low, high)) = (spread(micros), spread(ratios));
        println!(
            "{client:28} {median:6.2} ({min:.2} to {max:.2})   sender is {ratio:.2} x as fast ({low:.2} to {high:.2})"
        );
    }
}

fn one(runtime: &Runtime, name: &str, requests: usize) {
    let (speaks, client) = TABLES
        .iter()
        .flat_map(|(speaks, clients)| clients.iter().map(move |client| (*speaks, *client)))
        .find(|(speaks, client)| {
            name == format!("{client}") || name == format!("{client}, {speaks}")
        })
        .expect("a name that the tables show, alone or with `, HTTP/2 over TLS`");
    let load = Load {
        in_flight: 1,
        requests,
    };
    let micros = runtime.block_on(client.run(&Target::start(speaks), load));
    println!("{client}, {speaks}: {micros:.2} microseconds of CPU a request");
}
