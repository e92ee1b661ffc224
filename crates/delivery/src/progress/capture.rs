//! Keeps the first bytes of a body and counts nothing else.

use bytes::{Bytes, BytesMut};

use crate::outcome::CapturedBody;

/// What was kept so far. Truncated until the body's end was seen.
#[derive(Default)]
pub(crate) struct Capture {
    kept: Kept,
    begun: bool,
    complete: bool,
}

/// Most responses come in one piece, which is kept as it is.
#[derive(Default)]
enum Kept {
    #[default]
    Nothing,
    Piece(Bytes),
    Joined(BytesMut),
}

impl Capture {
    /// A body is to be read.
    pub(crate) fn begin(&mut self) {
        self.begun = true;
    }

    /// Takes a piece; `false` when it did not fit and reading can end.
    pub(crate) fn push(&mut self, mut piece: Bytes, limit: usize) -> bool {
        let room = limit.saturating_sub(self.len());
        let fits = piece.len() <= room;
        piece.truncate(room);
        if !piece.is_empty() {
            self.kept = match std::mem::take(&mut self.kept) {
                Kept::Nothing => Kept::Piece(piece),
                Kept::Piece(first) => {
                    let mut joined = BytesMut::with_capacity(first.len() + piece.len());
                    joined.extend_from_slice(&first);
                    joined.extend_from_slice(&piece);
                    Kept::Joined(joined)
                }
                Kept::Joined(mut joined) => {
                    joined.extend_from_slice(&piece);
                    Kept::Joined(joined)
                }
            };
        }
        fits
    }

    /// The body's end was seen.
    pub(crate) fn complete(&mut self) {
        self.complete = true;
    }

    pub(crate) fn finish(self) -> CapturedBody {
        let bytes = match self.kept {
            Kept::Nothing => Bytes::new(),
            Kept::Piece(piece) => piece,
            Kept::Joined(joined) => joined.freeze(),
        };
        CapturedBody {
            bytes,
            truncated: self.begun && !self.complete,
        }
    }

    fn len(&self) -> usize {
        match &self.kept {
            Kept::Nothing => 0,
            Kept::Piece(piece) => piece.len(),
            Kept::Joined(joined) => joined.len(),
        }
    }
}
