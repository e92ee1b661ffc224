//! Patterns: the operator `rx`.

use std::borrow::Cow;

use regex::{Regex, RegexBuilder};

use super::pace::Pace;
use crate::error::ApiError;

/// The most that a compiled `rx` may weigh.
const REGEX_BYTES: usize = 256 * 1024;
/// What a light one weighs at most.
const LIGHT_BYTES: usize = 16 * 1024;
/// The longest text that is matched with a light one at once.
const LIGHT_TEXT: usize = 1024;
/// How much more it takes to match a byte than to look at it.
const MATCHING: usize = 16;
/// A longer text matches no pattern; only messages and responses in the delivery log are ever
/// longer.
const MATCHED_BYTES: usize = 16 * 1024;

/// The most patterns in one filter, and their bytes.
const MOST: usize = 8;
const TEXT: usize = 1_024;
/// The most marks in them with which classes of characters begin. To compile a class that ignores
/// case takes a walk over all characters, some milliseconds, even where nothing comes of it.
const MARKS: usize = 64;

/// An `rx`. Matching is linear in the text whatever the pattern, but each character may cost as
/// much as the pattern is large: what may take milliseconds is done aside.
#[derive(Debug)]
pub(super) struct Pattern {
    regex: Regex,
    is_light: bool,
}

/// What patterns may still come in a filter.
#[derive(Debug)]
pub(super) struct Allowance {
    patterns: usize,
    text: usize,
    marks: usize,
}

impl Default for Allowance {
    fn default() -> Self {
        Self {
            patterns: MOST,
            text: TEXT,
            marks: MARKS,
        }
    }
}

impl Allowance {
    /// The pattern of a text; `None` for one that is broken, or too much.
    pub(super) fn take(&mut self, text: &str) -> Option<Pattern> {
        let marks = text.bytes().filter(|byte| br"[\.".contains(byte)).count();
        self.patterns = self.patterns.checked_sub(1)?;
        self.text = self.text.checked_sub(text.len())?;
        self.marks = self.marks.checked_sub(marks)?;
        Pattern::parse(text)
    }
}

impl Pattern {
    /// The pattern of a text; `None` for one that is broken or too large.
    fn parse(text: &str) -> Option<Self> {
        let compile = |bytes| {
            let mut builder = RegexBuilder::new(text);
            builder
                .size_limit(bytes)
                .dfa_size_limit(REGEX_BYTES)
                .build()
        };
        if let Ok(regex) = compile(LIGHT_BYTES) {
            let is_light = true;
            return Some(Self { regex, is_light });
        }
        let regex = compile(REGEX_BYTES).ok()?;
        let is_light = false;
        Some(Self { regex, is_light })
    }

    pub(super) async fn matches(
        &self,
        text: Cow<'_, str>,
        pace: &mut impl Pace,
    ) -> Result<bool, ApiError> {
        if text.len() > MATCHED_BYTES {
            return Ok(false);
        }
        if self.is_light && text.len() <= LIGHT_TEXT {
            pace.spend(MATCHING * text.len()).await?;
            return Ok(self.regex.is_match(&text));
        }
        let (regex, text) = (self.regex.clone(), text.into_owned());
        pace.aside(move || regex.is_match(&text)).await
    }
}
