//! The quick start, as somebody would try it.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use examples::receiver::Receiver;
use tempfile::tempdir;

fn text_of(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    std::fs::read_to_string(root.join(path)).unwrap()
}

/// Returns the first block of a page that begins with this fence.
fn block<'a>(page: &'a str, fence: &str) -> &'a str {
    let (_, block) = page.split_once(&format!("{fence}\n")).unwrap();
    block.split_once("```").unwrap().0
}

/// The lines of a page's snippets of Rust, without imports; `// …` stands for lines left out.
fn snippet_lines(page: &str) -> Vec<&str> {
    let snippets = page.split("```rust,").skip(1);
    let blocks = snippets.map(|snippet| snippet.split_once("```").unwrap().0);
    let lines = blocks.flat_map(|block| block.lines().skip(1).map(str::trim));
    lines
        .filter(|line| !line.is_empty() && *line != "// …" && !line.starts_with("use "))
        .collect()
}

#[test]
fn snippets_of_pages_are_lines_of_examples() {
    let pages = [
        ("README.md", "quick_start"),
        ("docs/quick-start.md", "quick_start"),
        ("crates/gatepost/README.md", "quick_start"),
        ("docs/guides/keys.md", "keys_only"),
    ];
    for (page, example) in pages {
        let text = text_of(page);
        let example = text_of(&format!("examples/{example}.rs"));
        let shown = snippet_lines(&text);
        assert!(shown.len() > 10, "{page} shows {} lines", shown.len());
        let mut rest = example.lines().map(str::trim);
        for line in shown {
            assert!(rest.any(|of| of == line), "{page}: {line}");
        }
    }
}

/// A program that is killed when this value is dropped.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Program {
    /// Starts the example in a folder, in which it also keeps what is temporary.
    fn start(folder: &Path) -> (Self, impl Iterator<Item = String>) {
        let mut program = Command::new(env!("CARGO_BIN_EXE_quick_start"));
        let program = program.current_dir(folder).env("TMPDIR", folder);
        let mut program = Self(program.stdout(Stdio::piped()).spawn().unwrap());
        let stdout = BufReader::new(program.0.stdout.take().unwrap());
        (program, stdout.lines().map(Result::unwrap))
    }
}

#[test]
fn repeated_quick_start_delivers_and_leaves_no_files() {
    let folder = tempdir().unwrap();
    for _ in 0..2 {
        let (mut program, mut said) = Program::start(folder.path());
        assert!(said.next().unwrap().starts_with("KEY=gp_"));
        assert!(said.any(|line| line.starts_with("webhook-id: msg_")));
        assert!(said.any(|line| line == r#"{"text":"web-1 is on"}"#));
        assert!(said.any(|line| line == "Serving until Ctrl-C."));
        let interrupt = ["-INT", &program.0.id().to_string()];
        let sent = Command::new("kill").args(interrupt).status().unwrap();
        assert!(sent.success());
        assert!(program.0.wait().unwrap().success());
        assert!(folder.path().read_dir().unwrap().next().is_none());
    }
}

#[tokio::test]
async fn quick_start_lines_deliver_webhook_when_pasted() {
    let folder = tempdir().unwrap();
    let (_program, mut lines) = Program::start(folder.path());
    let said = lines.next().unwrap();
    assert!(lines.any(|line| line.starts_with("Serving")));

    let receiver = Receiver::start(None).await.unwrap();
    let page = text_of("docs/quick-start.md");
    let (_, page) = page.split_once("## The same over REST").unwrap();
    let lines = block(page, "```sh");
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
