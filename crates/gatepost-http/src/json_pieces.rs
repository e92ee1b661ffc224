//! JSON that is written in pieces of bounded size and sent unchanged.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Body;
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use serde_json::Value;

use crate::turn::Turn;

/// The size of a piece: a long response is never one block of memory, and is sent piece by piece.
const PIECE: usize = 64 * 1024;
/// The number of bytes of a text that are written at a time: escaped, they may be six times as
/// many.
const STEP: usize = 32 * 1024;

/// JSON in pieces. As a response it is streamed, with a known length.
#[derive(Debug, Default)]
pub(crate) struct JsonPieces {
    full: VecDeque<Bytes>,
    open: Vec<u8>,
    bytes: usize,
}

impl JsonPieces {
    /// Returns the number of bytes so far.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Appends JSON unchanged.
    pub(crate) fn raw(&mut self, mut json: &[u8]) {
        self.bytes += json.len();
        while !json.is_empty() {
            if self.open.capacity() == 0 {
                self.open.reserve_exact(PIECE);
            }
            let (now, later) = json.split_at(json.len().min(PIECE - self.open.len()));
            self.open.extend_from_slice(now);
            json = later;
            if self.open.len() == PIECE {
                self.full.push_back(std::mem::take(&mut self.open).into());
            }
        }
    }

    /// Appends a short value without yielding.
    pub(crate) fn short(&mut self, value: &Value) {
        // Writing to memory does not fail, and no value has keys that are not text.
        let written = serde_json::to_writer(&mut *self, value);
        debug_assert!(written.is_ok(), "a value can be written");
    }

    /// Appends a text as a JSON string without yielding, including quotes.
    pub(crate) fn name(&mut self, text: &str) {
        let written = serde_json::to_writer(&mut *self, text);
        debug_assert!(written.is_ok(), "a text can be written");
    }

    /// Appends a value of any size. It stops early at `most` bytes.
    pub(crate) async fn value(&mut self, value: &Value, most: usize, turn: &mut Turn) {
        match value {
            Value::String(text) if text.len() > STEP => self.long_text(text, most, turn).await,
            Value::Object(members) => {
                self.raw(b"{");
                for (at, (name, member)) in members.iter().enumerate() {
                    self.raw(if at > 0 { b"," } else { b"" });
                    self.name(name);
                    self.raw(b":");
                    turn.spend(name.len()).await;
                    Box::pin(self.value(member, most, turn)).await;
                }
                self.raw(b"}");
            }
            value => {
                let before = self.bytes;
                self.short(value);
                turn.spend(self.bytes - before).await;
            }
        }
    }

    async fn long_text(&mut self, text: &str, most: usize, turn: &mut Turn) {
        self.raw(b"\"");
        let mut rest = text;
        while !rest.is_empty() && self.bytes <= most {
            let (now, later) = rest.split_at(floor(rest, STEP));
            let quoted = serde_json::to_vec(now).unwrap_or_default();
            self.raw(
                quoted
                    .get(1..quoted.len().saturating_sub(1))
                    .unwrap_or_default(),
            );
            turn.spend(quoted.len()).await;
            rest = later;
        }
        self.raw(b"\"");
    }
}

/// Returns the last character boundary at or before `at`, or the first one beyond it if that would
/// be 0.
fn floor(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (1..=at)
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(text.len())
}

impl io::Write for JsonPieces {
    fn write(&mut self, json: &[u8]) -> io::Result<usize> {
        self.raw(json);
        Ok(json.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl http_body::Body for JsonPieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let piece = match self.full.pop_front() {
            None if self.open.is_empty() => return Poll::Ready(None),
            None => std::mem::take(&mut self.open).into(),
            Some(piece) => piece,
        };
        self.bytes -= piece.len();
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.bytes == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes as u64)
    }
}

impl IntoResponse for JsonPieces {
    fn into_response(self) -> Response {
        let json = HeaderValue::from_static("application/json");
        let mut response = Response::new(Body::new(self));
        response.headers_mut().insert(CONTENT_TYPE, json);
        response
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::Waker;

    use http_body::Body as _;
    use serde_json::json;

    use super::*;

    /// Returns the written text, and how often the task yielded.
    fn written(value: &Value) -> (String, usize) {
        let (mut pieces, mut turn, mut turns) = (JsonPieces::default(), Turn::default(), 0);
        {
            let mut write = pin!(pieces.value(value, usize::MAX, &mut turn));
            let mut cx = Context::from_waker(Waker::noop());
            while write.as_mut().poll(&mut cx).is_pending() {
                turns += 1;
            }
        }
        assert_eq!(pieces.size_hint().exact(), Some(pieces.bytes as u64));
        let (mut text, mut cx) = (Vec::new(), Context::from_waker(Waker::noop()));
        let mut pieces = pin!(pieces);
        while let Poll::Ready(Some(Ok(piece))) = pieces.as_mut().poll_frame(&mut cx) {
            let piece = piece.into_data().unwrap();
            assert!(piece.len() <= PIECE);
            text.extend_from_slice(&piece);
        }
        (String::from_utf8(text).unwrap(), turns)
    }

    #[test]
    fn json_written_in_pieces_equals_direct_output() {
        let long = "a\"é\n\u{0}𝄞".repeat(STEP / 4);
        for value in [
            json!(null),
            json!([1, {"a": "b"}]),
            json!({}),
            json!(long),
            json!({"message": long, "b": {"c": [&long]}, "d": -1.5}),
        ] {
            assert_eq!(written(&value).0, value.to_string());
        }
    }

    #[test]
    fn json_writer_yields_during_long_text() {
        let escaped = json!({"message": "\u{1}".repeat(1024 * 1024)});
        // Six bytes for each: two steps between two yields.
        assert!(written(&escaped).1 >= 16);
        assert_eq!(written(&json!({"name": "short"})).1, 0);
    }
}
