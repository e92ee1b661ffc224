//! The bytes that a page sends over the network.

use std::io::Write as _;
use std::process::{Command, Stdio};

/// Returns the size of a text once a server has compressed it, in bytes.
///
/// # Panics
/// Without the program `gzip`.
#[must_use]
pub fn gzipped(text: &str) -> usize {
    let mut gzip = Command::new("gzip")
        .arg("-6c")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = gzip.stdin.take().unwrap();
    let text = text.to_owned();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()).unwrap());
    let output = gzip.wait_with_output().unwrap();
    writer.join().unwrap();
    output.stdout.len()
}
