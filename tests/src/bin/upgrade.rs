//! Opens stores of earlier versions, and says what that takes:
//! `cargo run --release -p tests --bin upgrade -- postgres --from 1 --rows 1000000`.
//!
//! `upgrade open-postgres URL SCHEMA` only opens what is there, for a test that kills it in the
//! middle of it.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a program that is run by hand tells what it found, and stops at the first surprise"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use lexopt::prelude::*;
use tests::postgres::{FreshSchema, TestPostgres, fresh_schema};
use tests::upgrade::{Contents, Noticed, OldDatabase};
use tokio::time::Instant;

/// How long it is written before and after.
const AROUND: Duration = Duration::from_secs(2);

#[tokio::main]
async fn main() -> Result<(), lexopt::Error> {
    let (mut from, mut rows, mut words) = (1, 1_000_000, Vec::new());
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("from") => from = arguments.value()?.parse()?,
            Long("rows") => rows = arguments.value()?.parse()?,
            Value(word) => words.push(word.string()?),
            _ => return Err(argument.unexpected()),
        }
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match *words {
        ["postgres"] => postgres(from, rows).await,
        ["open-postgres", url, schema] => {
            println!("opening");
            let (url, schema) = (url.to_owned(), schema.to_owned());
            let database = OldDatabase::at(FreshSchema { url, schema });
            database.open().await.unwrap();
        }
        _ => return Err("postgres".into()),
    }
    Ok(())
}

async fn postgres(from: usize, rows: u32) {
    let server = TestPostgres::start();
    let (url, schema) = (server.url().to_owned(), fresh_schema());
    let database = OldDatabase::at(FreshSchema { url, schema });
    database.write(from, rows).await;
    let (before, stop) = (database.contents().await, Arc::new(AtomicBool::new(false)));
    let (beside, stopped) = (database.clone(), stop.clone());
    let writer = tokio::spawn(async move { beside.write_beside(&stopped).await });
    tokio::time::sleep(AROUND).await;
    let began = Instant::now();
    database.open().await.unwrap();
    let took = began.elapsed();
    tokio::time::sleep(AROUND).await;
    stop.store(true, Ordering::Relaxed);
    tell("PostgreSQL", from, took, writer.await.unwrap());
    same(before, database.contents().await);
}

fn tell(store: &str, from: usize, took: Duration, noticed: Noticed) {
    println!("{store}, version {from}: opened in {took:.1?}; beside it {noticed:.1?}");
}

fn same(before: Contents, after: Contents) {
    assert_eq!(before, after, "something was lost");
    println!("{after:?}, as before");
}
