//! A case-insensitive text search. Texts may have several MiB: they are searched in steps, and the
//! task yields in between.

use tokio::task::yield_now;

/// The number of bytes that are searched before the task yields.
const STEP: usize = 128 * 1024;

/// A text to search for.
#[derive(Debug)]
pub(super) struct Needle {
    folded: String,
    /// The number of bytes searched since the task last yielded.
    since: usize,
}

impl Needle {
    pub(super) fn new(text: &str) -> Self {
        let mut folded = String::new();
        fold(text, &mut folded);
        Self { folded, since: 0 }
    }

    /// Returns whether this text contains it.
    pub(super) async fn is_in(&mut self, text: &str) -> bool {
        let (mut window, mut rest) = (String::new(), text);
        loop {
            let (step, behind) = rest.split_at(boundary(rest, STEP));
            fold(step, &mut window);
            if window.contains(&self.folded) {
                return true;
            }
            if behind.is_empty() {
                self.spend(step.len()).await;
                return false;
            }
            // A match may begin in this step and end in the next.
            let last = window.len().saturating_sub(self.folded.len());
            window.drain(..boundary(&window, last));
            rest = behind;
            self.spend(step.len()).await;
        }
    }

    async fn spend(&mut self, bytes: usize) {
        self.since += bytes;
        if self.since >= STEP {
            self.since = 0;
            yield_now().await;
        }
    }
}

/// Appends a text in a case-insensitive form. The two forms of the Greek small sigma become one:
/// which of them a capital becomes depends on the next character, which may be in another step.
fn fold(text: &str, out: &mut String) {
    if text.is_ascii() {
        let from = out.len();
        out.push_str(text);
        out[from..].make_ascii_lowercase();
        return;
    }
    let lower = |c: char| match c {
        'Σ' | 'ς' => 'σ'.to_lowercase(),
        c => c.to_lowercase(),
    };
    out.extend(text.chars().flat_map(lower));
}

/// Returns the last character boundary at or before `at`.
fn boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::pin::pin;

    use super::*;

    /// Returns whether it is found, and how often the task yielded.
    async fn found(needle: &str, text: &str) -> (bool, usize) {
        let (mut needle, mut turns) = (Needle::new(needle), 0);
        let mut is_in = pin!(needle.is_in(text));
        let found = poll_fn(|cx| {
            let polled = is_in.as_mut().poll(cx);
            turns += usize::from(polled.is_pending());
            polled
        });
        (found.await, turns)
    }

    #[tokio::test]
    async fn a_text_is_found_wherever_steps_meet() {
        for filler in ["a", "é", "𝄞", "İ"] {
            for before in [STEP - 9, STEP - 4, STEP - 1, STEP, STEP + 1, 2 * STEP - 2] {
                let before = filler.repeat(before / filler.len());
                let text = format!("{before}NeedlΣ{}", filler.repeat(STEP / filler.len()));
                assert!(found("nEEdlς", &text).await.0, "{filler}");
                assert!(!found("needlσs", &text).await.0, "{filler}");
            }
        }
    }

    #[tokio::test]
    async fn text_search_yields_while_scanning_large_text() {
        assert_eq!(found("x", &"a".repeat(8 * STEP)).await, (false, 8));
        assert_eq!(found("x", "a").await, (false, 0));
        assert_eq!(found("x", "").await, (false, 0));
    }
}
