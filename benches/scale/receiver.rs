//! The receiver, in a separate process: counts the messages that arrive, each once, and reports
//! when an expected number is reached.

use std::cell::RefCell;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::rc::Rc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::watch;

const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
/// A time limit longer than any run.
const TOO_LONG: Duration = Duration::from_secs(900);

struct Seen {
    numbers: RefCell<Vec<bool>>,
    count: watch::Sender<u64>,
}

/// Prints its address and serves until it is killed.
pub(crate) fn run() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let seen = Rc::new(Seen {
        numbers: RefCell::default(),
        count: watch::Sender::new(0),
    });
    tokio::task::LocalSet::new().block_on(&runtime, async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        println!("{}", listener.local_addr().unwrap());
        while let Ok((stream, _)) = listener.accept().await {
            tokio::task::spawn_local(serve(stream, seen.clone()));
        }
    });
}

/// Waits until this number of different messages have arrived.
pub(crate) fn until(addr: SocketAddr, count: u64) {
    let mut stream = TcpStream::connect(addr).unwrap();
    stream.set_read_timeout(Some(TOO_LONG)).unwrap();
    writeln!(stream, "until {count}").unwrap();
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).unwrap();
    assert_eq!(line, "ok\n", "the receiver is gone");
}

async fn serve(mut stream: tokio::net::TcpStream, seen: Rc<Seen>) {
    let mut buffer = Vec::with_capacity(8192);
    loop {
        match stream.read_buf(&mut buffer).await {
            Ok(1..) => {}
            _ => return,
        }
        if let Some(count) = asked(&buffer) {
            let mut counted = seen.count.subscribe();
            drop(counted.wait_for(|now| *now >= count).await);
            drop(stream.write_all(b"ok\n").await);
            return;
        }
        while let Some(length) = request(&buffer) {
            note(&buffer[..length], &seen);
            buffer.drain(..length);
            if stream.write_all(ANSWER).await.is_err() {
                return;
            }
        }
    }
}

fn asked(buffer: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(buffer).ok()?;
    text.strip_prefix("until ")?.trim().parse().ok()
}

/// Returns the length of the first request, once all of it is there.
fn request(buffer: &[u8]) -> Option<usize> {
    let head = find(buffer, b"\r\n\r\n")? + 4;
    let text = std::str::from_utf8(&buffer[..head]).ok()?;
    let mut lines = text.lines().filter_map(|line| line.split_once(':'));
    let length = lines.find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    let length: usize = length.map_or(Some(0), |(_, value)| value.trim().parse().ok())?;
    (buffer.len() >= head + length).then_some(head + length)
}

/// Records the number of a message: `"n":"123"`.
fn note(request: &[u8], seen: &Seen) {
    let Some(at) = find(request, br#""n":""#) else {
        return;
    };
    let digits = request[at + 5..].iter().take_while(|b| b.is_ascii_digit());
    let number = digits.fold(0, |n, digit| n * 10 + usize::from(digit - b'0'));
    let mut numbers = seen.numbers.borrow_mut();
    if numbers.len() <= number {
        numbers.resize(number + 100_000, false);
    }
    if !std::mem::replace(&mut numbers[number], true) {
        seen.count.send_modify(|count| *count += 1);
    }
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|part| part == what)
}
