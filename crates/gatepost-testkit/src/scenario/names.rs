//! Names of rows.

/// The names that a scenario gives to rows of one kind.
#[derive(Clone, Debug)]
pub(super) struct Names<I>(Vec<(String, I)>);

impl<I> Default for Names<I> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<I: Copy + PartialEq> Names<I> {
    pub(super) fn add(&mut self, name: &str, id: I) {
        self.extend(Self(vec![(name.to_owned(), id)]));
    }

    /// Adds names: a name is that of its last row, and a row is shown by its first name.
    pub(super) fn extend(&mut self, other: Self) {
        for named in other.0 {
            if !self.0.contains(&named) {
                self.0.push(named);
            }
        }
    }

    /// Returns the row of this name.
    pub(super) fn id(&self, name: &str) -> I {
        let found = self.0.iter().rev().find(|(known, _)| known == name);
        found
            .unwrap_or_else(|| panic!("nothing is called {name}"))
            .1
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = I> {
        self.0.iter().map(|(_, id)| *id)
    }

    /// Returns the names of these rows, in this order; `-` if there is none.
    pub(super) fn of(&self, ids: impl IntoIterator<Item = I>) -> String {
        let name = |id| {
            let found = self.0.iter().find(|(_, known)| *known == id);
            found.map_or("?", |(name, _)| name)
        };
        joined(ids.into_iter().map(name))
    }
}

/// Joins words by blanks; `-` if there is none.
pub(super) fn joined<T: ToString>(words: impl IntoIterator<Item = T>) -> String {
    let words: Vec<_> = words.into_iter().map(|word| word.to_string()).collect();
    if words.is_empty() {
        return "-".to_owned();
    }
    words.join(" ")
}
