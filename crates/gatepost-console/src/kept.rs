//! The typed values of a form whose session had ended or been replaced, for a page that restores
//! them. The browser keeps them in a form whose button opens the page again; the server keeps
//! nothing, and no secret is repeated.

use std::collections::HashSet;
use std::fmt;

use maud::{Markup, html};
use webhook_model::Header;

use crate::context::ConsoleState;
use crate::fields::is_secret;
use crate::form::Form;

/// The end of the addresses that open a form with the values that are sent to them. They change
/// nothing, so they need no token; the form must still come from this site.
pub(crate) const AGAIN: &str = "/again";
/// The maximum size of a form that is returned to a user who is not logged in, in bytes.
pub(crate) const MAX_KEPT: usize = 256 * 1024;

/// The fields that only the old page needs.
const OF_THE_PAGE: [&str; 3] = ["csrf", "do", "ticket"];
/// The fields of a form, and the address that opens its page again.
pub(crate) struct Kept {
    again: String,
    fields: Vec<(String, String)>,
}

impl Kept {
    /// Keeps the fields of a form that was sent to this path, below the console's own; `None` if no
    /// page can be opened with it.
    pub(crate) fn of(path: &str, form: &Form) -> Option<Self> {
        let page = path.strip_suffix(AGAIN).unwrap_or(path);
        let is_record = ["/keys/", "/webhooks/", "/tasks/", "/events/"]
            .iter()
            .any(|area| page.starts_with(area));
        let is_form = ["/new", "/edit", "/subscribe"]
            .iter()
            .any(|end| page.ends_with(end));
        (is_record && is_form).then(|| Self {
            again: format!("{page}{AGAIN}"),
            fields: without_secrets(form),
        })
    }

    /// Renders the form with its button.
    pub(crate) fn form(&self, console: &ConsoleState) -> Markup {
        html! {
            form method="post" action=(console.at(&self.again)) {
                @for (name, value) in &self.fields { input type="hidden" name=(name) value=(value); }
                button.primary { (console.texts.of("forms-continue")) }
            }
        }
    }
}

/// Shows no values: fields may hold private data.
impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kept")
            .field("again", &self.again)
            .finish_non_exhaustive()
    }
}

/// Returns the fields, without the values of headers whose names mark them as credentials.
fn without_secrets(form: &Form) -> Vec<(String, String)> {
    let named = form.iter().filter(|(_, header)| !header.is_empty());
    let credentials = named.filter_map(|(name, header)| {
        let row = row(name, ".name")?;
        (!is_plain(header)).then_some(row)
    });
    let credentials: HashSet<&str> = credentials.collect();
    let is_credential = |name| row(name, ".value").is_some_and(|row| credentials.contains(row));
    let dropped = |name: &str| OF_THE_PAGE.contains(&name) || is_secret(name);
    let fields = form.iter().filter(|(name, _)| !dropped(name));
    fields
        .map(|(name, value)| {
            let value = match name {
                "headers_text" => without_values(value),
                name if is_credential(name) => String::new(),
                _ => value.to_owned(),
            };
            (name.to_owned(), value)
        })
        .collect()
}

/// Returns the row of a field in the list of headers.
fn row<'a>(field: &'a str, column: &str) -> Option<&'a str> {
    field.strip_prefix("header.")?.strip_suffix(column)
}

/// Removes the values of headers, one per line, that may be credentials.
fn without_values(lines: &str) -> String {
    let lines = lines.lines().map(|line| match line.split_once(':') {
        Some((name, _)) if !is_plain(name) => format!("{name}:\n"),
        _ => format!("{line}\n"),
    });
    lines.collect()
}

/// Whether a header of this name is known to hold no credential.
fn is_plain(name: &str) -> bool {
    Header::new(name.trim(), "").is_ok_and(|header| !header.is_sensitive())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_form_contains_typed_values_but_no_secrets() {
        let sent = b"csrf=c&ticket=t&name=chat&password=s3cret&token=s3cret&key=s3cret&client_key=s3cret&client_certificate=s3cret&user=bot&header.0.name=X-Api-Token&header.0.value=s3cret&header.1.name=X-Route&header.1.value=ops&headers_text=Authorization%3A+s3cret%0D%0AX-Route%3A+ops&message=hello";
        let kept = Kept::of("/webhooks/new", &Form::parse(sent)).unwrap();
        assert_eq!(kept.again, "/webhooks/new/again");
        let fields: Vec<_> = kept
            .fields
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        assert_eq!(
            fields,
            [
                "name=chat",
                "user=bot",
                "header.0.name=X-Api-Token",
                "header.0.value=",
                "header.1.name=X-Route",
                "header.1.value=ops",
                "headers_text=Authorization:\nX-Route: ops\n",
                "message=hello",
            ]
        );
        assert!(!format!("{kept:?}").contains("hello"));
    }

    #[test]
    fn only_forms_of_records_can_be_opened_again() {
        let again = |path: &str| Kept::of(path, &Form::default()).map(|kept| kept.again);
        for path in ["/tasks/7/edit", "/tasks/7/edit/again"] {
            assert_eq!(again(path).as_deref(), Some("/tasks/7/edit/again"));
        }
        for path in [
            "/tasks/7/delete",
            "/tasks/7/do/run",
            "/new",
            "/webhooks/1/test",
        ] {
            assert_eq!(again(path), None, "{path}");
        }
    }

    /// The rows of names and values are read separately and in any order.
    #[test]
    fn kept_form_omits_credentials_among_thousands_of_headers() {
        let field = |n: usize| match n % 2 {
            0 => format!("header.{n}.value=secret&header.{n}.name=X-Api-Token"),
            _ => format!("header.{n}.name=Accept&header.{n}.value=plain"),
        };
        let fields: Vec<_> = (0..4_000).map(field).collect();
        let kept = Kept::of("/webhooks/new", &Form::parse(fields.join("&").as_bytes())).unwrap();
        let values = kept
            .fields
            .iter()
            .filter(|(name, _)| name.ends_with(".value"));
        let (empty, shown): (Vec<_>, Vec<_>) = values.partition(|(_, value)| value.is_empty());
        assert_eq!((empty.len(), shown.len()), (2_000, 2_000));
        assert!(shown.iter().all(|(_, value)| value == "plain"));
    }
}
