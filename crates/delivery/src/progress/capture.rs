//! The captured first bytes of a body.

use bytes::{Bytes, BytesMut};

use crate::outcome::CapturedBody;

/// The captured bytes so far. Truncated until the body's end was read.
#[derive(Default)]
pub(crate) struct Capture {
    kept: Kept,
    begun: bool,
    complete: bool,
}

/// Most responses come in one piece, which is kept without a copy.
#[derive(Default)]
enum Kept {
    #[default]
    Nothing,
    Piece(Bytes),
    Joined(BytesMut),
}

impl Capture {
    /// Starts reading a body.
    pub(crate) fn begin(&mut self) {
        self.begun = true;
    }

    /// Adds a piece. Returns `false` if it did not fit and reading can end.
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

    /// Records the end of the body.
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
