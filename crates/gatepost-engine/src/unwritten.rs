//! What was counted in memory and is being written. What the store refuses is not lost, nor what it
//! panics at.

use std::fmt;

/// Rows that go back to where they were taken from, but for those that are written.
pub(crate) struct Unwritten<T, B: FnMut(T)> {
    rows: Vec<T>,
    back: B,
}

impl<T, B: FnMut(T)> Unwritten<T, B> {
    pub(crate) fn new(rows: Vec<T>, back: B) -> Self {
        Self { rows, back }
    }

    /// The next to be written, at most this number; `None` when all are.
    pub(crate) fn bite(&self, most: usize) -> Option<&[T]> {
        self.rows.rchunks(most).next()
    }

    /// That number of them is written.
    pub(crate) fn written(&mut self, count: usize) -> Vec<T> {
        let left = self.rows.len().saturating_sub(count);
        self.rows.split_off(left)
    }
}

impl<T, B: FnMut(T)> Drop for Unwritten<T, B> {
    fn drop(&mut self) {
        self.rows.drain(..).for_each(&mut self.back);
    }
}

impl<T, B: FnMut(T)> fmt::Debug for Unwritten<T, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unwritten")
            .field("rows", &self.rows.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn what_is_not_written_goes_back_also_after_a_panic() {
        let mut back = Vec::new();
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let mut unwritten = Unwritten::new((0..5).collect(), |row| back.push(row));
            assert_eq!(unwritten.bite(2), Some(&[3, 4][..]));
            assert_eq!(unwritten.written(2), [3, 4]);
            panic!("as told");
        }));
        assert!(panicked.is_err());
        assert_eq!(back, [0, 1, 2]);
    }
}
