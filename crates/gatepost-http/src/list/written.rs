//! The response of a list, written row by row.

use std::borrow::Cow;

use super::projection::{Content, Shown};
use crate::error::{ApiError, Result};
use crate::json_pieces::JsonPieces;
use crate::schema::RowMap;
use crate::turn::Turn;

/// A JSON array with a maximum size.
#[derive(Debug)]
pub(crate) struct Written {
    pieces: JsonPieces,
    rows: usize,
    most: usize,
    turn: Turn,
}

impl Written {
    /// Creates an empty array of at most `most` bytes, or of one row.
    pub(crate) fn new(most: usize) -> Self {
        let mut pieces = JsonPieces::default();
        pieces.raw(b"[");
        Self {
            pieces,
            rows: 0,
            most,
            turn: Turn::default(),
        }
    }

    /// Adds a row unchanged.
    ///
    /// # Errors
    /// The errors of [`shown`](Self::shown).
    pub(crate) async fn whole(&mut self, row: &RowMap) -> Result<()> {
        let shown = row.iter();
        let shown = shown.map(|(name, value)| (name, Content::Value(Cow::Borrowed(value))));
        self.shown(shown.collect()).await
    }

    /// Adds a row of these columns.
    ///
    /// # Errors
    /// 413 if the response becomes too large with it; the rows before it would fit.
    pub(super) async fn shown(&mut self, row: Shown<'_>) -> Result<()> {
        let most = if self.rows == 0 {
            usize::MAX
        } else {
            self.most
        };
        self.pieces.raw(if self.rows == 0 { b"{" } else { b",{" });
        for (at, (name, content)) in row.iter().enumerate() {
            self.pieces.raw(if at > 0 { b"," } else { b"" });
            self.pieces.name(name);
            self.pieces.raw(b":");
            match content {
                Content::Value(value) => self.pieces.value(value, most, &mut self.turn).await,
                Content::Json(text) => {
                    self.pieces.raw(text.as_bytes());
                    self.turn.spend(text.len()).await;
                }
            }
            if self.pieces.bytes() > most {
                break;
            }
        }
        self.pieces.raw(b"}");
        if self.pieces.bytes() >= most {
            return Err(ApiError::response_too_large(self.rows));
        }
        self.rows += 1;
        Ok(())
    }

    /// Returns the response.
    pub(crate) fn end(mut self) -> JsonPieces {
        self.pieces.raw(b"]");
        self.pieces
    }
}

/// Returns a single row, whatever its size.
pub(super) async fn one(row: Shown<'_>) -> JsonPieces {
    let mut written = Written {
        pieces: JsonPieces::default(),
        rows: 0,
        most: usize::MAX,
        turn: Turn::default(),
    };
    // The first row is never too large.
    let added = written.shown(row).await;
    debug_assert!(added.is_ok(), "one row always fits");
    written.pieces
}
