//! One connection, at the far end.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};

use super::network::{Came, Carried, Network};
use super::script::Mood;

/// Serves requests until the other side closes, or until the target's mood closes it.
pub(super) async fn connection(network: &Network, host: usize, mut stream: DuplexStream) {
    let (mut read, mut is_reused) = (Vec::new(), false);
    while let Some(came) = request(&mut stream, &mut read).await {
        let number = network.arrived(host, came);
        let mut ending = Ending {
            network,
            number,
            told: None,
        };
        let mood = network.mood(host);
        if is_reused && mood == Mood::Resetting {
            network.repeats(number);
        }
        is_reused = true;
        if answer(mood, &mut stream, &mut ending).await.is_none() {
            return;
        }
    }
}

/// Reports to the network how a request ended, also when the connection is cut.
struct Ending<'a> {
    network: &'a Network,
    number: usize,
    told: Option<(u16, Option<u64>)>,
}

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        let (status, leave_alone) = self.told.unzip();
        self.network
            .ended(self.number, status, leave_alone.flatten());
    }
}

/// Answers a request; `None` when the connection has ended.
async fn answer(mood: Mood, stream: &mut DuplexStream, ending: &mut Ending<'_>) -> Option<()> {
    let (wait, status, leave_alone) = match mood {
        Mood::Well | Mood::Refusing | Mood::Unreachable => (5, 200, None),
        Mood::Slow(milliseconds) => (milliseconds, 200, None),
        Mood::Status(status) => (5, status, None),
        Mood::Busy(seconds) => (5, 429, Some(seconds)),
        Mood::Hanging => {
            closed(stream).await;
            return None;
        }
        Mood::Resetting => return None,
        Mood::Stuttering => {
            stream.write_all(b"HTTP/1.1 2").await.ok()?;
            return None;
        }
    };
    tokio::select! {
        biased;
        () = closed(stream) => return None,
        () = tokio::time::sleep(Duration::from_millis(wait)) => {}
    }
    let retry_after = leave_alone.map_or_else(String::new, |s| format!("retry-after: {s}\r\n"));
    let head = format!("HTTP/1.1 {status} X\r\n{retry_after}content-length: 0\r\n\r\n");
    stream.write_all(head.as_bytes()).await.ok()?;
    ending.told = Some((status, leave_alone));
    Some(())
}

/// Waits until the other side has closed, which sends nothing before it has an answer.
async fn closed(stream: &mut DuplexStream) {
    let _ = stream.read_u8().await;
}

/// Reads the next request.
async fn request(stream: &mut DuplexStream, read: &mut Vec<u8>) -> Option<Came> {
    let head = loop {
        if let Some(end) = read.windows(4).position(|four| four == b"\r\n\r\n") {
            break String::from_utf8(read.drain(..end + 4).collect()).ok()?;
        }
        if stream.read_buf(read).await.ok()? == 0 {
            return None;
        }
    };
    let header = |name: &str| {
        let lines = head.lines().filter_map(|line| line.split_once(": "));
        let mut found = lines.filter(|(given, _)| given.eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value.to_owned())
    };
    let length: usize = header("content-length")?.parse().ok()?;
    while read.len() < length {
        if stream.read_buf(read).await.ok()? == 0 {
            return None;
        }
    }
    let body = String::from_utf8(read.drain(..length).collect()).ok()?;
    let carried = Carried {
        authorization: header("authorization").unwrap_or_default(),
        timestamp: header("webhook-timestamp").unwrap_or_default(),
        signatures: header("webhook-signature").unwrap_or_default(),
    };
    Some(Came {
        id: header("webhook-id")?,
        body,
        carried,
    })
}
