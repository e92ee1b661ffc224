//! A form as it was sent.

use std::collections::BTreeMap;
use std::fmt;

use axum::extract::FromRequestParts;
use http::StatusCode;
use http::request::Parts;
use url::form_urlencoded;

/// The fields of a form, in their order on the page.
#[derive(Clone, Default)]
pub(crate) struct Form(Vec<(String, String)>);

impl Form {
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        Self(form_urlencoded::parse(bytes).into_owned().collect())
    }

    /// The value of a field; empty if it is missing.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.given(name).unwrap_or_default()
    }

    /// The value of a field, if it was sent.
    pub(crate) fn given(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(field, _)| field == name)
            .map(|(_, value)| value.as_str())
    }

    /// Whether a checkbox is ticked.
    pub(crate) fn ticked(&self, name: &str) -> bool {
        self.given(name).is_some()
    }

    /// A row number.
    pub(crate) fn key(&self, name: &str) -> Option<i64> {
        self.text(name).trim().parse().ok().filter(|key| *key > 0)
    }

    /// A text of several lines. Browsers send `\r\n`; what is stored has `\n`.
    pub(crate) fn lines(&self, name: &str) -> String {
        self.text(name).replace("\r\n", "\n")
    }

    /// The rows of a list, in their order on the page: fields are named `list.NUMBER.column`, where
    /// the number only tells rows apart. Returns each row's number and columns.
    pub(crate) fn rows(&self, list: &str) -> Vec<(&str, BTreeMap<&str, &str>)> {
        let mut rows: Vec<(&str, BTreeMap<&str, &str>)> = Vec::new();
        let fields = self.0.iter().filter_map(|(field, value)| {
            let rest = field.strip_prefix(list)?.strip_prefix('.')?;
            let (number, column) = rest.split_once('.')?;
            Some((number, column, value.as_str()))
        });
        for (number, column, value) in fields {
            match rows.iter_mut().find(|(known, _)| *known == number) {
                Some((_, row)) => drop(row.insert(column, value)),
                None => rows.push((number, BTreeMap::from([(column, value)]))),
            }
        }
        rows
    }

    /// What the pressed button asks of a list: `header.up.2` is `("up", 2)`, counted from 0.
    pub(crate) fn asks(&self, list: &str) -> Option<(&str, usize)> {
        let rest = self.given("do")?.strip_prefix(list)?.strip_prefix('.')?;
        let (what, at) = rest.split_once('.')?;
        Some((what, at.parse().ok()?))
    }
}

/// Fields may hold passwords.
impl fmt::Debug for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.0.iter().map(|(name, _)| name))
            .finish()
    }
}

impl<S: Sync> FromRequestParts<S> for Form {
    /// Only where a page is not behind the guard: a fault of ours.
    type Rejection = StatusCode;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, StatusCode> {
        parts
            .extensions
            .remove::<Self>()
            .ok_or(StatusCode::INTERNAL_SERVER_ERROR)
    }
}

/// Moves, removes or adds a row, as the pressed button asks.
pub(crate) fn reorder<T>(rows: &mut Vec<T>, what: &str, at: usize, blank: T) {
    match what {
        "add" => rows.push(blank),
        "remove" if at < rows.len() => drop(rows.remove(at)),
        "up" if at > 0 && at < rows.len() => rows.swap(at, at - 1),
        "down" if at + 1 < rows.len() => rows.swap(at, at + 1),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_in_the_order_of_the_page_whatever_their_numbers() {
        let form = Form::parse(b"header.7.name=B&header.7.value=2&name=x&header.2.name=A&header.2.value=1&headers=z&header.x");
        let rows = form.rows("header");
        assert_eq!(
            rows.iter().map(|(number, _)| *number).collect::<Vec<_>>(),
            ["7", "2"]
        );
        assert_eq!(rows[0].1["name"], "B");
        assert_eq!(rows[1].1["value"], "1");
    }

    #[test]
    fn buttons_of_rows_change_their_order() {
        let form = Form::parse(b"do=header.up.2");
        assert_eq!(form.asks("header"), Some(("up", 2)));
        assert_eq!(form.asks("allow"), None);
        for (what, at, after) in [
            ("up", 2, "acb"),
            ("up", 0, "abc"),
            ("down", 0, "bac"),
            ("down", 2, "abc"),
            ("remove", 1, "ac"),
            ("remove", 9, "abc"),
            ("up", 9, "abc"),
            ("add", 0, "abc-"),
        ] {
            let mut rows = vec!['a', 'b', 'c'];
            reorder(&mut rows, what, at, '-');
            assert_eq!(rows.iter().collect::<String>(), after, "{what} {at}");
        }
    }

    #[test]
    fn what_is_typed_is_not_logged() {
        let form = Form::parse(b"token=s3cret&name=x");
        assert_eq!(format!("{form:?}"), r#"["token", "name"]"#);
    }
}
