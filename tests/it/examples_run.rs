//! The examples do what they say: each runs as a separate process, and each ends with success only
//! if all of its claims held.

use std::process::{Command, Output};

const OUTBOX: &str = env!("CARGO_BIN_EXE_outbox");
const WORKERS: &str = env!("CARGO_BIN_EXE_workers");

fn run(program: &str, args: &[&str]) -> Output {
    Command::new(program).args(args).output().unwrap()
}

fn expect_success(program: &str, args: &[&str]) {
    let output = run(program, args);
    let said = String::from_utf8_lossy(&output.stdout);
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program}: {said}{complained}");
    assert!(said.contains("claims held"), "{program}: {said}");
    assert!(!said.contains("FAIL"), "{program}: {said}");
}

#[test]
fn the_outbox_sends_what_was_committed_on_sqlite() {
    expect_success(OUTBOX, &[]);
}

#[test]
fn the_outbox_and_three_workers_work_on_postgres() {
    // One after the other: each has a schema of a fixed name.
    let server = tests::postgres::TestPostgres::start();
    expect_success(OUTBOX, &[server.url()]);
    expect_success(WORKERS, &[server.url()]);
}

#[test]
fn the_custom_backend_keeps_what_it_was_given() {
    expect_success(env!("CARGO_BIN_EXE_custom_backend"), &[]);
}

#[test]
fn a_tenant_moves_between_databases_and_loses_nothing() {
    expect_success(env!("CARGO_BIN_EXE_move_tenant"), &[]);
}

#[test]
fn receiver_example_accepts_signatures_and_acts_once() {
    expect_success(env!("CARGO_BIN_EXE_receive"), &[]);
}

#[test]
fn other_frameworks_embed_it() {
    expect_success(env!("CARGO_BIN_EXE_embed_axum"), &[]);
    expect_success(env!("CARGO_BIN_EXE_embed_others"), &[]);
    expect_success(env!("CARGO_BIN_EXE_embed_tonic"), &[]);
}

/// With a real nginx, which `./test` installs.
#[test]
fn forward_auth_example_authenticates_before_forwarding() {
    expect_success(env!("CARGO_BIN_EXE_forward_auth"), &[]);
}

#[test]
fn workers_say_what_they_need() {
    let output = run(WORKERS, &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stdout).contains("needs a PostgreSQL database"));
}
