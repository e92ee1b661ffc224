//! The fields of a form.

use std::convert::Infallible;
use std::fmt;

use axum::extract::FromRequestParts;
use http::StatusCode;
use http::request::Parts;
use url::form_urlencoded;
use webhook_model::{ObjectId, OwnerId, trim_pasted};

use crate::time::zone_field;

/// The fields of a form, in their order on the page.
#[derive(Clone, Default)]
pub(crate) struct Form(pub(super) Vec<(String, String)>);

impl Form {
    /// Parses the fields of a query, which is no longer than an address.
    pub(crate) fn parse(query: &[u8]) -> Self {
        Self(form_urlencoded::parse(query).into_owned().collect())
    }

    /// Sets the value of a field.
    pub(crate) fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.0.retain(|(field, _)| field != name);
        self.0.push((name.to_owned(), value.into()));
        self
    }

    /// Ticks a checkbox, or clears it.
    pub(crate) fn with_tick(self, name: &str, is_ticked: bool) -> Self {
        match is_ticked {
            true => self.with(name, "on"),
            false => self,
        }
    }

    /// Adds several values of one name, such as ticked boxes.
    pub(crate) fn with_all(mut self, name: &str, values: impl Iterator<Item = String>) -> Self {
        self.0.extend(values.map(|value| (name.to_owned(), value)));
        self
    }

    /// Adds these rows of a list, without empty values.
    pub(crate) fn with_rows<const N: usize>(
        mut self,
        list: &str,
        columns: [&str; N],
        rows: impl IntoIterator<Item = [String; N]>,
    ) -> Self {
        for (at, row) in rows.into_iter().enumerate() {
            let cells = columns
                .iter()
                .zip(row)
                .filter(|(_, value)| !value.is_empty());
            let cells = cells.map(|(column, value)| (format!("{list}.{at}.{column}"), value));
            self.0.extend(cells);
        }
        self
    }

    /// Keeps only the fields with these names.
    pub(crate) fn only(mut self, keep: impl Fn(&str) -> bool) -> Self {
        self.0.retain(|(name, _)| keep(name));
        self
    }

    /// Adds these fields after its own.
    pub(crate) fn and<'a>(mut self, fields: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let fields = fields.map(|(name, value)| (name.to_owned(), value.to_owned()));
        self.0.extend(fields);
        self
    }

    /// Returns the value of a field; empty if it is missing.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.given(name).unwrap_or_default()
    }

    /// Returns the value of a field, if it was sent.
    pub(crate) fn given(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(field, _)| field == name)
            .map(|(_, value)| value.as_str())
    }

    /// Returns the values of all fields of this name, such as ticked boxes.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let of_name = self.iter().filter(move |(field, _)| *field == name);
        of_name.map(|(_, value)| value)
    }

    /// Returns all fields, in their order on the page.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let fields = self.0.iter();
        fields.map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Whether a checkbox is ticked.
    pub(crate) fn ticked(&self, name: &str) -> bool {
        self.given(name).is_some()
    }

    /// Returns the value of a field without what was pasted around it.
    pub(crate) fn word(&self, name: &str) -> &str {
        trim_pasted(self.text(name))
    }

    /// Returns a row number.
    pub(crate) fn key(&self, name: &str) -> Option<i64> {
        self.word(name).parse().ok().filter(|key| *key > 0)
    }

    /// Parses the id of an object of the platform; a number must be at least 1.
    pub(crate) fn object(text: &str) -> Option<ObjectId> {
        let text = trim_pasted(text);
        let is_row = text.parse().map_or(true, |number: i64| number > 0);
        text.parse().ok().filter(|_| is_row)
    }

    /// Returns a field that names a user.
    pub(crate) fn owner(&self, name: &str) -> Option<OwnerId> {
        self.word(name).parse().ok()
    }

    /// Returns a date field with the zone in which it was filled in, `2026-11-21T12:34+01:00`, as
    /// [`parse_field`](crate::time::parse_field) reads it.
    pub(crate) fn date(&self, name: &str) -> String {
        match self.text(name) {
            "" => String::new(),
            date => format!("{date}{}", self.text(&zone_field(name))),
        }
    }

    /// Returns a text of several lines. Browsers send `\r\n`; the stored text has `\n`.
    pub(crate) fn lines(&self, name: &str) -> String {
        self.text(name).replace("\r\n", "\n")
    }
}

/// Shows no values: fields may hold passwords.
impl fmt::Debug for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.0.iter().map(|(name, _)| name))
            .finish()
    }
}

impl<S: Sync> FromRequestParts<S> for Form {
    /// Only for a page that is not behind the guard: a bug of the console.
    type Rejection = StatusCode;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, StatusCode> {
        parts
            .extensions
            .remove::<Self>()
            .ok_or(StatusCode::INTERNAL_SERVER_ERROR)
    }
}

/// The fields in the address of a page.
#[derive(Debug)]
pub(crate) struct Query(pub Form);

impl<S: Sync> FromRequestParts<S> for Query {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Infallible> {
        let query = parts.uri.query().unwrap_or_default();
        Ok(Self(Form::parse(query.as_bytes())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_comes_with_its_zone() {
        let form = Form::parse(
            b"at=2026-11-21T12:34&at_zone=%2B05:30&utc=2026-11-21T07:04&none_zone=%2B01:00",
        );
        assert_eq!(form.date("at"), "2026-11-21T12:34+05:30");
        assert_eq!(form.date("utc"), "2026-11-21T07:04");
        assert_eq!(form.date("none"), "");
    }

    #[test]
    fn form_debug_output_omits_typed_values() {
        let form = Form::parse(b"token=s3cret&name=x");
        assert_eq!(format!("{form:?}"), r#"["token", "name"]"#);
    }
}
