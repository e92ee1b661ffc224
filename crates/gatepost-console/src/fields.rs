//! The fields of the forms of records (SPEC 2.1–2.4) as tables: the name and the accepted values of
//! each. Forms are rendered from them, with their values and problems.
//!
//! The storage has its own table of stored fields, `Record::FIELDS`: a column there may have
//! several fields here.

use maud::{Markup, html};

use crate::form::{Choices, Form};
use crate::layout::{self, InputKind};
use crate::problems::Problems;
use crate::texts::Texts;

/// A field of a form. Its texts are named after it: `webhooks-form-retry-schedule` is the label of
/// `retry_schedule`, the same with `-hint` its hint, and the same with a choice's word the text of
/// that choice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    pub name: &'static str,
    pub kind: Kind,
    /// The choice, such as `date`, with which the field is shown; empty for always.
    pub when: &'static str,
}

/// The values that a field accepts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Line(InputKind),
    /// Several lines; with the class of the field.
    Area(&'static str),
    /// Several lines that no page repeats.
    Secrets,
    Check,
    /// One of these words.
    Choice(&'static [&'static str]),
}

impl Field {
    pub(crate) const fn text(name: &'static str, max: usize) -> Self {
        Self::of(name, Kind::Line(InputKind::Text { max }))
    }

    /// Declares a text that must not be empty.
    pub(crate) const fn required(name: &'static str, max: usize) -> Self {
        Self::of(name, Kind::Line(InputKind::Required { max }))
    }

    pub(crate) const fn number(name: &'static str, min: i64, max: i64) -> Self {
        Self::of(name, Kind::Line(InputKind::Number { min, max }))
    }

    pub(crate) const fn date(name: &'static str) -> Self {
        Self::of(name, Kind::Line(InputKind::Date))
    }

    /// Declares a secret, which no page repeats.
    pub(crate) const fn secret(name: &'static str) -> Self {
        Self::of(name, Kind::Line(InputKind::Password))
    }

    pub(crate) const fn of(name: &'static str, kind: Kind) -> Self {
        Self {
            name,
            kind,
            when: "",
        }
    }

    pub(crate) const fn when(self, when: &'static str) -> Self {
        Self { when, ..self }
    }

    pub(crate) const fn is_secret(&self) -> bool {
        matches!(self.kind, Kind::Secrets | Kind::Line(InputKind::Password))
    }
}

/// The data to render a form.
#[derive(Clone, Copy)]
pub(crate) struct Sheet<'a> {
    pub texts: &'a Texts,
    /// The first part of the names of its texts: `webhooks`.
    pub area: &'static str,
    /// The values of its fields.
    pub form: &'a Form,
    pub problems: &'a Problems,
}

impl<'a> Sheet<'a> {
    pub(crate) fn new(
        texts: &'a Texts,
        area: &'static str,
        form: &'a Form,
        problems: &'a Problems,
    ) -> Self {
        Self {
            texts,
            area,
            form,
            problems,
        }
    }

    /// Renders the fields, one below the other.
    pub(crate) fn fields(&self, fields: &[Field]) -> Markup {
        html! { @for field in fields { (self.field(field, "")) } }
    }

    /// Renders a field; `more` follows its hint.
    pub(crate) fn field(&self, field: &Field, more: &str) -> Markup {
        let (name, label) = (field.name, self.text(field.name, ""));
        let hint = format!("{} {more}", self.text(name, "-hint"));
        let (hint, value) = (hint.trim(), self.form.text(name));
        let shown = match field.kind {
            Kind::Line(InputKind::Password) => {
                layout::input(self.problems, InputKind::Password, name, &label, "", hint)
            }
            Kind::Line(InputKind::Date) => {
                let date = self.form.date(name);
                layout::input(self.problems, InputKind::Date, name, &label, &date, hint)
            }
            Kind::Line(kind) => layout::input(self.problems, kind, name, &label, value, hint),
            Kind::Area(class) => {
                let lines = self.form.lines(name);
                layout::area(self.problems, name, &label, &lines, hint, class)
            }
            Kind::Secrets => layout::area(self.problems, name, &label, "", hint, "code"),
            Kind::Check => layout::check(name, &label, hint, self.form.ticked(name)),
            Kind::Choice(words) => self.choice(name, words),
        };
        html! { @if field.when.is_empty() { (shown) } @else { div class={ "when " (field.when) } { (shown) } } }
    }

    /// Renders a choice between words, each with its own text.
    pub(crate) fn choice(&self, name: &str, words: &[&str]) -> Markup {
        let texts = words
            .iter()
            .map(|word| self.text(name, &format!("-{word}")));
        let texts: Vec<_> = texts.collect();
        let choices: Vec<_> = words
            .iter()
            .zip(&texts)
            .map(|(word, text)| (*word, text.as_str()))
            .collect();
        let (legend, chosen) = (self.text(name, ""), self.form.text(name));
        layout::radios(self.problems, name, &legend, &choices, chosen)
    }

    /// Renders a list from which one is chosen; with `submit`, the script sends the form then.
    pub(crate) fn select(&self, name: &str, options: &[(String, String)], submit: bool) -> Markup {
        let (label, hint) = (self.text(name, ""), self.text(name, "-hint"));
        let chosen = self.form.text(name);
        layout::select(self.problems, name, &label, options, chosen, &hint, submit)
    }

    /// Renders a choice of rows that must be made, or a field for the id if none are offered.
    pub(crate) fn picker(&self, name: &str, options: &Choices) -> Markup {
        let (label, hint) = (self.text(name, ""), self.text(name, "-hint"));
        let (texts, chosen) = (self.texts, self.form.text(name));
        let picker = layout::picker(
            texts,
            self.problems,
            name,
            [&label, &hint],
            options,
            chosen,
            None,
        );
        html! { div.required { (picker) } }
    }

    /// Returns a text of a field; empty if there is none.
    pub(crate) fn text(&self, name: &str, what: &str) -> String {
        let name = format!("{}-form-{}{what}", self.area, name.replace('_', "-"));
        self.texts.find(&name).unwrap_or_default().into_owned()
    }
}

/// The fields of API keys; addresses and permissions are lists.
pub(crate) mod key {
    use super::{Field, Kind};

    pub(crate) const WHAT: &[Field] = &[
        Field::required("name", 128),
        Field::of("description", Kind::Area("")),
    ];
    pub(crate) const EXPIRES: Field = Field::date("expires").when("date");
    pub(crate) const READ_ONLY: Field = Field::of("read_only", Kind::Check);
}

/// The fields of webhooks; headers are also a list.
pub(crate) mod webhook {
    use super::{Field, Kind};

    pub(crate) const TARGET: &[Field] =
        &[Field::required("name", 128), Field::required("url", 2048)];
    pub(crate) const MODE: Field = Field::of("delivery_mode", Kind::Choice(&["push", "fetch"]));
    /// The kinds of authorization, and the fields of each.
    pub(crate) const AUTH: [(&str, &[Field]); 5] = [
        ("none", &[]),
        ("bearer", &[Field::secret("token")]),
        ("apikey", &[Field::secret("key")]),
        (
            "basic",
            &[Field::required("user", 4096), Field::secret("password")],
        ),
        (
            "oauth2",
            &[
                Field::required("oauth_token_url", 2048),
                Field::required("oauth_client_id", 1024),
                Field::secret("oauth_secret"),
                Field::text("oauth_scope", 2048),
                Field::of("oauth_client_auth", Kind::Choice(&["basic", "body"])),
            ],
        ),
    ];
    pub(crate) const HEADER_MODE: Field = Field::of("header_mode", Kind::Choice(&["rows", "text"]));
    pub(crate) const HEADERS_TEXT: Field =
        Field::of("headers_text", Kind::Area("code")).when("text");
    pub(crate) const DELIVERY: &[Field] = &[
        Field::number("timeout", 3, 120),
        Field::number("retries", 0, 100),
        Field::text("retry_schedule", 1024),
        Field::text("channels", 1024),
        Field::number("rate", 1, 10_000),
        Field::of("enabled", Kind::Check),
        Field::of("in_order", Kind::Check),
        Field::of("insecure", Kind::Check),
    ];
    pub(crate) const UNSIGN: Field = Field::of("unsign", Kind::Check);
    pub(crate) const SIGN: Field = Field::of("sign", Kind::Check);
    pub(crate) const CERTIFICATE: Field = Field::of("client_certificate", Kind::Secrets);
    pub(crate) const CLIENT_KEY: Field = Field::of("client_key", Kind::Secrets);
    pub(crate) const CLIENT_REMOVE: Field = Field::of("client_remove", Kind::Check);
}

/// The fields of tasks; the webhook is chosen from a list.
pub(crate) mod task {
    use super::{Field, Kind};

    pub(crate) const NAME: Field = Field::required("name", 64);
    pub(crate) const WHAT: &[Field] = &[NAME, Field::of("description", Kind::Area(""))];
    pub(crate) const RUNS: &[Field] = &[
        Field::of("enabled", Kind::Check),
        Field::of("once", Kind::Check),
    ];
    pub(crate) const MESSAGE: Field = Field::of("message", Kind::Area("code tall"));
}

/// The fields of events; event, object, tag and task are chosen from lists.
pub(crate) mod event {
    use super::{Field, Kind};

    pub(crate) const FILTER: Field = Field::of("filter", Kind::Area("code"));
    pub(crate) const MORE: &[Field] = &[
        Field::of("context", Kind::Area("code")),
        Field::text("label", 128),
        Field::of("enabled", Kind::Check),
    ];
}

/// Whether a field holds a secret, or may by mistake: no page repeats its value.
pub(crate) fn is_secret(name: &str) -> bool {
    let of_auth = webhook::AUTH.iter().flat_map(|(_, fields)| *fields);
    let of_client = [&webhook::CERTIFICATE, &webhook::CLIENT_KEY];
    let mut secrets = of_auth.chain(of_client).filter(|field| field.is_secret());
    secrets.any(|field| field.name == name)
}
