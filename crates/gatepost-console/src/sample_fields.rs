//! Fields for the variables that an event brings, filled in with the samples of the catalogue.

use std::collections::BTreeMap;

use maud::{Markup, html};
use webhook_model::SampleVariable;

use crate::form::Form;
use crate::layout::{self, InputKind};
use crate::problems::Problems;
use crate::texts::Texts;

/// In front of the name of a variable, as the name of its field.
const VARIABLE: &str = "var.";
/// The longest value, in bytes.
pub(crate) const MAX_VALUE: usize = 1_000;

/// What is in the fields, by the names of the variables.
pub(crate) type Values = BTreeMap<String, String>;

/// The samples.
pub(crate) fn samples(variables: &[SampleVariable]) -> Values {
    let samples = variables.iter();
    samples
        .map(|one| (one.name().to_owned(), one.sample().to_owned()))
        .collect()
}

/// What was sent.
pub(crate) fn sent(form: &Form, variables: &[SampleVariable]) -> Values {
    let names = variables.iter().map(SampleVariable::name);
    names
        .map(|name| (name.to_owned(), form.text(&field(name)).to_owned()))
        .collect()
}

/// The name of the field of a variable.
pub(crate) fn field(variable: &str) -> String {
    format!("{VARIABLE}{variable}")
}

/// Notes which are too long.
pub(crate) fn check(t: &Texts, values: &Values, problems: &mut Problems) {
    for (name, value) in values {
        check_one(t, &field(name), value, problems);
    }
}

/// Notes a value of this field that is too long.
pub(crate) fn check_one(t: &Texts, field: &str, value: &str, problems: &mut Problems) {
    if value.len() > MAX_VALUE {
        let most = [("count", MAX_VALUE.into())];
        problems.add(field, t.with("tasks-value-too-long", &most));
    }
}

/// The fields.
pub(crate) fn inputs(problems: &Problems, variables: &[SampleVariable], values: &Values) -> Markup {
    let kind = InputKind::Text { max: MAX_VALUE };
    html! {
        @for variable in variables {
            @let (name, label) = (field(variable.name()), format!("${{{}}}", variable.name()));
            @let value = values.get(variable.name()).map_or("", String::as_str);
            (layout::input(problems, kind, &name, &label, value, variable.description()))
        }
    }
}
