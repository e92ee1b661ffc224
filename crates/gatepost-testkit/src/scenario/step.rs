//! A step of a scenario, taken apart.

use std::fmt::Debug;
use std::str::FromStr;

use chrono::{DateTime, Utc};
use gatepost_ids::Realm;
use gatepost_storage::{Page, Scope};

use crate::fixtures::at;

/// A line: `[time] verb words… key=value… [| answer]`.
pub(super) struct Step<'a> {
    pub(super) now: Option<i64>,
    pub(super) verb: &'a str,
    pub(super) words: Vec<&'a str>,
    pub(super) options: Vec<(&'a str, &'a str)>,
    pub(super) wanted: Option<&'a str>,
    /// The line behind the verb and the first word.
    pub(super) rest: &'a str,
}

impl<'a> Step<'a> {
    pub(super) fn parse(line: &'a str) -> Self {
        let line = line.trim();
        let (call, wanted) = match line.split_once(" | ") {
            Some((call, wanted)) => (call.trim(), Some(wanted.trim())),
            None => (line, None),
        };
        let first = call.split(' ').next().unwrap_or_default();
        let now: Option<i64> = first.parse().ok();
        let call = if now.is_some() {
            call[first.len()..].trim()
        } else {
            call
        };
        let mut parts = call.splitn(3, ' ');
        let verb = parts.next().unwrap_or_default();
        let rest = parts.nth(1).unwrap_or_default();
        let (options, words): (Vec<_>, Vec<_>) = call
            .split_whitespace()
            .skip(1)
            .partition(|word| word.contains('='));
        let options = options.iter().filter_map(|word| word.split_once('='));
        Self {
            now,
            verb,
            words,
            options: options.collect(),
            wanted,
            rest,
        }
    }

    /// Returns a word, or an empty one.
    pub(super) fn word(&self, n: usize) -> &'a str {
        self.words.get(n).copied().unwrap_or_default()
    }

    /// Returns a word that is a number.
    pub(super) fn number<T: FromStr<Err: Debug>>(&self, n: usize) -> T {
        parsed(self.word(n))
    }

    pub(super) fn option(&self, key: &str) -> Option<&'a str> {
        let found = self.options.iter().find(|(known, _)| *known == key);
        found.map(|(_, value)| *value)
    }

    /// Returns an option that is a number, or else this one.
    pub(super) fn number_of<T: FromStr<Err: Debug>>(&self, key: &str, default: T) -> T {
        self.option(key).map_or(default, parsed)
    }

    /// Returns an option that is a time.
    pub(super) fn time(&self, key: &str) -> Option<DateTime<Utc>> {
        self.option(key).map(|value| at(parsed(value)))
    }

    /// Returns the option `scope`: `owner:1`, `tenant:1`, or all.
    pub(super) fn scope(&self) -> Scope {
        match self.option("scope").map(realm) {
            Some(Realm::Solo(owner)) => Scope::Owner(owner),
            Some(Realm::Tenant(tenant)) => Scope::Tenant(tenant),
            _ => Scope::All,
        }
    }

    /// Returns the page of the options `limit` and `after`; the newest first with the word
    /// `newest`.
    pub(super) fn page<I>(&self, id: impl FnOnce(&str) -> I) -> Page<I> {
        let limit = self.number_of("limit", 99);
        let newest = self.words.contains(&"newest");
        let page = if newest {
            Page::newest(limit)
        } else {
            Page::first(limit)
        };
        Page {
            after: self.option("after").map(id),
            ..page
        }
    }
}

/// Returns what a word says.
pub(super) fn parsed<T: FromStr<Err: Debug>>(word: &str) -> T {
    word.parse()
        .unwrap_or_else(|error| panic!("{word}: {error:?}"))
}

/// Returns the realm of this name, as it is stored.
pub(super) fn realm(word: &str) -> Realm {
    Realm::from_word(word).unwrap_or_else(|| panic!("{word} is no realm"))
}

/// Returns how many seconds a time is after the start of the tests' time.
pub(super) fn seconds(time: DateTime<Utc>) -> i64 {
    (time - at(0)).num_seconds()
}
