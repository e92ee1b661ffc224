//! Addresses of a list: the same search and order, at another place or in another order.

use url::form_urlencoded::Serializer;

use super::asked::{AFTER, Asked, BEFORE, OWNER, PAGE, Place, SEARCH, SORT, STATE};

impl Asked {
    /// The address of a place in this list.
    pub(super) fn at(&self, place: Place) -> String {
        self.address(&self.sort.to_text(), place)
    }

    /// The address of this list in another order.
    pub(super) fn sorted(&self, sort: &str) -> String {
        self.address(sort, Place::First)
    }

    fn address(&self, sort: &str, place: Place) -> String {
        let mut query = Serializer::new(String::new());
        for (name, value) in self.narrowed() {
            query.append_pair(name, &value);
        }
        if !sort.is_empty() {
            query.append_pair(SORT, sort);
        }
        match place {
            Place::First => {}
            Place::After(row) => {
                query.append_pair(AFTER, &row.to_string());
            }
            Place::Before(row) => {
                query.append_pair(BEFORE, &row.to_string());
            }
            Place::Page(before) => {
                query.append_pair(PAGE, &(before + 1).to_string());
            }
        }
        let query = query.finish();
        if query.is_empty() {
            self.path.clone()
        } else {
            format!("{}?{query}", self.path)
        }
    }

    fn narrowed(&self) -> Vec<(&'static str, String)> {
        let mut all = Vec::new();
        if !self.search.is_empty() {
            all.push((SEARCH, self.search.text().to_owned()));
        }
        all.extend(self.state.map(|state| (STATE, state.to_owned())));
        let owner = self.owner.filter(|_| !self.is_owners);
        all.extend(owner.map(|owner| (OWNER, owner.to_string())));
        all.extend(self.kept.iter().cloned());
        all
    }
}
