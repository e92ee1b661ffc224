//! The quick start of the README, as a reader would try it.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use examples::receiver::Receiver;
use tempfile::tempdir;

/// The most lines that a quick start may have.
const LINES: usize = 40;
/// The beginning of its visible code.
const USERS: &str = "#[derive(Debug)]\nstruct Users;";

fn text_of(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    std::fs::read_to_string(root.join(path)).unwrap()
}

/// Returns the first block of a page that begins with this fence.
fn block<'a>(page: &'a str, fence: &str) -> &'a str {
    let (_, block) = page.split_once(&format!("{fence}\n")).unwrap();
    block.split_once("```").unwrap().0
}

/// Returns a text without the white space and commas that `cargo fmt` changes.
fn shapeless(code: &str) -> String {
    let (_, code) = code.split_once(USERS).unwrap();
    let code: String = code.split_whitespace().collect();
    code.replace(",)", ")").replace(['{', '}'], "")
}

#[test]
fn the_front_page_and_the_facade_show_the_example_in_forty_lines() {
    let front = text_of("README.md");
    let (_, front) = front.split_once("## Forty lines").unwrap();
    let front = block(front, "```rust,no_run");
    let facade = text_of("crates/gatepost/README.md");
    assert_eq!(front, block(&facade, "```rust,no_run"));
    assert!(front.lines().count() <= LINES, "{}", front.lines().count());
    let example = text_of("examples/quick_start.rs");
    assert_eq!(shapeless(front), shapeless(&example));
}

/// A program that is killed when this value is dropped.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test]
async fn the_pasted_lines_deliver_a_webhook() {
    let folder = tempdir().unwrap();
    let mut program = Command::new(env!("CARGO_BIN_EXE_quick_start"));
    let program = program.current_dir(&folder).stdout(Stdio::piped());
    let mut program = Program(program.spawn().unwrap());
    let mut said = String::new();
    let stdout = program.0.stdout.take().unwrap();
    BufReader::new(stdout).read_line(&mut said).unwrap();

    let receiver = Receiver::start(None).await.unwrap();
    let front = text_of("README.md");
    let (_, front) = front.split_once("## Forty lines").unwrap();
    let lines = block(front, "```sh");
    assert!(lines.contains("127.0.0.1:9000"), "{lines}");
    let lines = lines.replace("127.0.0.1:9000", &receiver.addr.to_string());
    let mut shell = tokio::process::Command::new("sh");
    let pasted = shell.arg("-ec").arg(format!("{said}\n{lines}"));
    let output = pasted.output().await.unwrap();
    assert!(output.status.success(), "{output:?}");
    let received = receiver.wait_for("/hook", 1).await.unwrap();
    assert_eq!(received.body, r#"{"text":"a machine is on"}"#);
    assert!(received.header("webhook-id").is_some());
}
