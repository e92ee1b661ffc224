//! The order in which callers take turns.

use std::collections::VecDeque;

#[derive(Debug)]
pub(super) struct Rotation<T>(VecDeque<T>);

impl<T: Copy + Eq> Rotation<T> {
    /// Adds it at the end, if it is not there.
    pub(super) fn enter(&mut self, one: T) {
        if !self.0.contains(&one) {
            self.0.push_back(one);
        }
    }

    pub(super) fn leave(&mut self, one: &T) {
        self.0.retain(|other| other != one);
    }

    /// Moves it to the end after its turn.
    pub(super) fn had(&mut self, one: &T) {
        self.leave(one);
        self.0.push_back(*one);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter()
    }
}

impl<T> Default for Rotation<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}
