//! A set of texts, all found in one pass by the automaton of Aho and Corasick.
//!
//! The crate `aho-corasick` cannot replace it: to find matches that overlap it keeps at each state
//! all patterns that end there, so an owner's hundred headers (`aaaa`, `aaaaa`, …) take 10 MB and
//! 0.3 s. This automaton keeps only the longest at each state, which covers the others.

use std::fmt;
use std::ops::Range;

use webhook_model::Secret;
use zeroize::Zeroizing;

/// The size of a state: its byte, and one number in each of three lists.
const STATE: usize = 1 + 3 * size_of::<u32>();

/// A trie of the patterns. Its states are numbered by level, and the children of a state follow
/// one another in the order of their bytes. State 0 is the root.
pub(super) struct PatternSet {
    /// The byte that leads to each state.
    bytes: Zeroizing<Vec<u8>>,
    /// The first child of each state; the children end where those of the next state begin.
    children: Vec<u32>,
    /// The state for the longest proper suffix of each state's text that begins a pattern.
    suffixes: Vec<u32>,
    /// The length of the longest pattern with which each state's text ends, or 0.
    longest: Vec<u32>,
    /// The first state of each level.
    levels: Vec<usize>,
}

impl PatternSet {
    /// Creates the set. No pattern may be empty.
    pub(super) fn new(mut patterns: Vec<Secret>) -> Self {
        patterns.sort_unstable_by(|a, b| a.expose().cmp(b.expose()));
        patterns.dedup_by(|a, b| a.expose() == b.expose());
        // A buffer that grows would leave copies of the patterns behind.
        let most = 1 + patterns.iter().map(|one| one.expose().len()).sum::<usize>();
        let mut set = Self {
            bytes: Zeroizing::new(Vec::with_capacity(most)),
            children: Vec::new(),
            suffixes: vec![0],
            longest: vec![0],
            levels: Vec::new(),
        };
        set.bytes.push(0);
        // The patterns that begin with the text of each state of a level.
        let mut level = vec![patterns.as_slice()];
        while !level.is_empty() {
            level = set.add_level(&level);
        }
        set.children.push(number(set.bytes.len()));
        set.children.shrink_to_fit();
        set.suffixes.shrink_to_fit();
        set.longest.shrink_to_fit();
        set
    }

    /// The approximate memory that it takes.
    pub(super) fn bytes(&self) -> usize {
        STATE * self.bytes.capacity() + size_of::<usize>() * self.levels.capacity()
    }

    /// Returns the parts of the text that patterns cover. With `begun`, also the beginning of a
    /// pattern at the end of the text, if it is at least that long.
    pub(super) fn spans(&self, text: &[u8], begun: Option<usize>) -> Vec<Range<usize>> {
        let (mut spans, mut state) = (Vec::new(), 0);
        for (end, byte) in (1..).zip(text) {
            state = self.next(state, *byte);
            let length = self.longest.get(state).map_or(0, |length| *length as usize);
            if length > 0 {
                cover(&mut spans, end - length..end);
            }
        }
        let length = self.levels.partition_point(|first| *first <= state) - 1;
        if begun.is_some_and(|least| length >= least) {
            cover(&mut spans, text.len() - length..text.len());
        }
        spans
    }

    /// Adds the children of the last level, and returns the patterns that begin with each.
    fn add_level<'a>(&mut self, level: &[&'a [Secret]]) -> Vec<&'a [Secret]> {
        let depth = self.levels.len();
        let byte_of = |pattern: &Secret| pattern.expose().as_bytes().get(depth).copied();
        let first = self.bytes.len() - level.len();
        self.levels.push(first);
        let mut next = Vec::new();
        for (state, patterns) in (first..).zip(level) {
            self.children.push(number(self.bytes.len()));
            for group in patterns.chunk_by(|a, b| byte_of(a) == byte_of(b)) {
                // A pattern without a next byte ends here.
                let Some(byte) = group.first().and_then(byte_of) else {
                    continue;
                };
                let suffix = match state {
                    0 => 0,
                    _ => self.next(self.suffix(state), byte),
                };
                let is_end = group
                    .first()
                    .is_some_and(|one| one.expose().len() == depth + 1);
                let shorter = self.longest.get(suffix).copied().unwrap_or_default();
                self.bytes.push(byte);
                self.suffixes.push(number(suffix));
                self.longest
                    .push(if is_end { number(depth + 1) } else { shorter });
                next.push(group);
            }
        }
        next
    }

    /// Returns the state after one more byte. Each byte goes down at most one level and each suffix
    /// goes up at least one, so a text makes at most twice as many moves as it has bytes.
    fn next(&self, mut state: usize, byte: u8) -> usize {
        loop {
            match self.child(state, byte) {
                Some(child) => return child,
                None if state == 0 => return 0,
                None => state = self.suffix(state),
            }
        }
    }

    fn child(&self, state: usize, byte: u8) -> Option<usize> {
        let first = *self.children.get(state)? as usize;
        let end = *self.children.get(state + 1)? as usize;
        let at = self.bytes.get(first..end)?.binary_search(&byte).ok()?;
        Some(first + at)
    }

    fn suffix(&self, state: usize) -> usize {
        self.suffixes
            .get(state)
            .map_or(0, |suffix| *suffix as usize)
    }
}

/// Shows no pattern.
impl fmt::Debug for PatternSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PatternSet").finish_non_exhaustive()
    }
}

/// Adds a span that ends where the last does or later. Spans that touch become one.
fn cover(spans: &mut Vec<Range<usize>>, mut span: Range<usize>) {
    while let Some(last) = spans.pop_if(|last| last.end >= span.start) {
        span.start = span.start.min(last.start);
    }
    spans.push(span);
}

/// Returns the parts that any of these spans covers, in order.
pub(super) fn union(mut spans: Vec<Range<usize>>) -> Vec<Range<usize>> {
    spans.sort_by_key(|span| span.end);
    let mut united = Vec::new();
    for span in spans {
        cover(&mut united, span);
    }
    united
}

/// The number of a state; a webhook's texts are much shorter than the maximum.
fn number(state: usize) -> u32 {
    u32::try_from(state).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;

    use super::*;

    fn set(patterns: &[String]) -> PatternSet {
        PatternSet::new(patterns.iter().map(Secret::new).collect())
    }

    /// Counts how many states are asked for the next one, with each byte of the text counted once.
    fn moves(set: &PatternSet, text: &[u8]) -> usize {
        let (mut state, mut moves) = (0, 0);
        for byte in text {
            let next = set.next(state, *byte);
            while set.child(state, *byte).is_none() && state != 0 {
                (state, moves) = (set.suffix(state), moves + 1);
            }
            (state, moves) = (next, moves + 1);
        }
        moves
    }

    #[test]
    fn nested_patterns_take_memory_by_their_length() {
        let mut patterns: Vec<_> = (4..101).map(|length| "a".repeat(length)).collect();
        patterns.extend(["b", "c", "d"].map(|first| format!("{first}{}", "a".repeat(8_100))));
        let total: usize = patterns.iter().map(String::len).sum();
        let set = set(&patterns);
        assert!(
            set.bytes() <= 21 * (total + 1),
            "{} for {total}",
            set.bytes()
        );
        let text = ["a".repeat(8_000).as_str(), "e"].concat().repeat(2);
        assert_eq!(set.spans(text.as_bytes(), None), [0..8_000, 8_001..16_001]);
    }

    #[test]
    fn hostile_patterns_cost_two_moves_a_byte() {
        let long = "a".repeat(8_000);
        let hostile: Vec<_> = ["b", "c", "d", "e"]
            .map(|end| format!("{long}{end}"))
            .into();
        for patterns in [hostile, vec!["abc123".to_owned()]] {
            let set = set(&patterns);
            for text in [
                format!("{long}x{long}"),
                "ab".repeat(8_000),
                "abc12".repeat(3_000),
            ] {
                let moves = moves(&set, text.as_bytes());
                assert!(moves <= 2 * text.len(), "{moves} for {}", text.len());
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn spans_cover_each_byte_of_each_pattern(
            patterns in vec("[ab]{1,6}", 0..8),
            text in "[abc]{0,40}",
        ) {
            let mut covered = vec![false; text.len()];
            for pattern in &patterns {
                for at in 0..text.len() {
                    if text.get(at..).is_some_and(|rest| rest.starts_with(pattern.as_str())) {
                        covered[at..at + pattern.len()].fill(true);
                    }
                }
            }
            let spans = set(&patterns).spans(text.as_bytes(), None);
            let mut found = vec![false; text.len()];
            spans.iter().for_each(|span| found[span.clone()].fill(true));
            proptest::prop_assert_eq!(found, covered);
            proptest::prop_assert!(spans.windows(2).all(|two| two[0].end < two[1].start));
            proptest::prop_assert!(moves(&set(&patterns), text.as_bytes()) <= 2 * text.len());
        }

        #[test]
        fn longest_beginning_at_the_end_is_covered(
            patterns in vec("[ab]{4,20}", 1..6),
            text in "[ab]{0,40}",
        ) {
            let ends = |length: &usize| {
                patterns.iter().any(|one| one.get(..*length).is_some_and(|part| text.ends_with(part)))
            };
            let length = (4..=20).rev().find(ends);
            let set = set(&patterns);
            let mut spans = set.spans(text.as_bytes(), None);
            spans.extend(length.map(|length| text.len() - length..text.len()));
            proptest::prop_assert_eq!(set.spans(text.as_bytes(), Some(4)), union(spans));
        }
    }
}
