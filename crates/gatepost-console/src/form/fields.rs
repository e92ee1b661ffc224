//! The fields of a form.

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
    /// The fields of a query, which is as short as an address is.
    pub(crate) fn parse(query: &[u8]) -> Self {
        Self(form_urlencoded::parse(query).into_owned().collect())
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

    /// The values of all fields of this name, such as ticked boxes.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let of_name = self.iter().filter(move |(field, _)| *field == name);
        of_name.map(|(_, value)| value)
    }

    /// All fields, in their order on the page.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let fields = self.0.iter();
        fields.map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Whether a checkbox is ticked.
    pub(crate) fn ticked(&self, name: &str) -> bool {
        self.given(name).is_some()
    }

    /// A row number.
    pub(crate) fn key(&self, name: &str) -> Option<i64> {
        trim_pasted(self.text(name))
            .parse()
            .ok()
            .filter(|key| *key > 0)
    }

    /// A text that names an object of the platform; a number is not below 1.
    pub(crate) fn object(text: &str) -> Option<ObjectId> {
        let text = trim_pasted(text);
        let is_row = text.parse().map_or(true, |number: i64| number > 0);
        text.parse().ok().filter(|_| is_row)
    }

    /// A field that names a user.
    pub(crate) fn owner(&self, name: &str) -> Option<OwnerId> {
        trim_pasted(self.text(name)).parse().ok()
    }

    /// A date field with the zone in which it was filled in, `2026-11-21T12:34+01:00`, as
    /// [`parse_field`](crate::time::parse_field) reads it.
    pub(crate) fn date(&self, name: &str) -> String {
        match self.text(name) {
            "" => String::new(),
            date => format!("{date}{}", self.text(&zone_field(name))),
        }
    }

    /// A text of several lines. Browsers send `\r\n`; what is stored has `\n`.
    pub(crate) fn lines(&self, name: &str) -> String {
        self.text(name).replace("\r\n", "\n")
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
    fn what_is_typed_is_not_logged() {
        let form = Form::parse(b"token=s3cret&name=x");
        assert_eq!(format!("{form:?}"), r#"["token", "name"]"#);
    }
}
