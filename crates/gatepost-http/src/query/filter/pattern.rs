//! Patterns: the operator `rx`.

use std::borrow::Cow;

use regex::{Regex, RegexBuilder};

use super::pace::Pace;
use crate::error::Result;

/// The maximum memory of a compiled `rx`.
const REGEX_BYTES: usize = 256 * 1024;
/// The maximum memory of a compiled light pattern.
const LIGHT_BYTES: usize = 16 * 1024;
/// The longest text that is matched with a light pattern on the current thread.
const LIGHT_TEXT: usize = 1024;
/// The cost of matching a byte relative to reading it.
const MATCHING: usize = 16;
/// A longer text matches no pattern; only messages and responses in the delivery log are ever
/// longer.
const MATCHED_BYTES: usize = 16 * 1024;

/// The maximum number of patterns in one filter, and of their bytes.
const MOST: usize = 8;
const TEXT: usize = 1_024;
/// The maximum number of characters in them that begin character classes. Compiling a class that
/// ignores case iterates over all characters, which takes some milliseconds even if the result is
/// unused.
const MARKS: usize = 64;

/// An `rx` pattern. Matching is linear in the text, but the cost of each character may be
/// proportional to the pattern: work that may take milliseconds is done on another thread.
#[derive(Debug)]
pub(super) struct Pattern {
    regex: Regex,
    is_light: bool,
}

/// The remaining budget for patterns in a filter.
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
    /// Compiles a pattern; `None` if it is invalid or exceeds the budget.
    pub(super) fn take(&mut self, text: &str) -> Option<Pattern> {
        let marks = text.bytes().filter(|byte| br"[\.".contains(byte)).count();
        self.patterns = self.patterns.checked_sub(1)?;
        self.text = self.text.checked_sub(text.len())?;
        self.marks = self.marks.checked_sub(marks)?;
        Pattern::parse(text)
    }
}

impl Pattern {
    /// Compiles a pattern; `None` if it is invalid or too large.
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

    pub(super) async fn matches(&self, text: Cow<'_, str>, pace: &mut impl Pace) -> Result<bool> {
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
