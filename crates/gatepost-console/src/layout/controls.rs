//! Form fields, each with its label, its hint and its error, and lists of rows within a form: the
//! script adds, moves and removes rows in the page; without it, the same buttons send the form to
//! the server.

use maud::{Markup, html};
use webhook_model::ObjectId;

use crate::form::{Choices, MAX_TEXT};
use crate::problems::Problems;
use crate::texts::Texts;
use crate::time::{split_field, zone_field};

/// The values that a one-line field accepts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum InputKind {
    Text {
        max: usize,
    },
    /// The same, and not empty.
    Required {
        max: usize,
    },
    /// Always rendered empty.
    Password,
    /// A whole number.
    Number {
        min: i64,
        max: i64,
    },
    /// A date and time, as [`Form::date`](crate::form::Form::date) reads it. Its label names the
    /// zone.
    Date,
}

/// Renders a one-line field.
pub(crate) fn input(
    problems: &Problems,
    kind: InputKind,
    name: &str,
    label: &str,
    value: &str,
    hint: &str,
) -> Markup {
    let (id, wrong) = (name, problems.of(name).is_some());
    let invalid = wrong.then_some("true");
    let by = described(name);
    html! {
        div.field {
            label for=(id) { (label) @if matches!(kind, InputKind::Date) { " " span data-zone-of=(name) { "(UTC)" } } }
            @match kind {
                InputKind::Text { max } | InputKind::Required { max } => input type="text" id=(id) name=(name) value=(value) maxlength=(max) autocomplete="off" spellcheck="false" required[matches!(kind, InputKind::Required { .. })] aria-describedby=(by) aria-invalid=[invalid];,
                InputKind::Password => input type="password" id=(id) name=(name) autocomplete="new-password" aria-describedby=(by) aria-invalid=[invalid];,
                InputKind::Number { min, max } => input type="number" id=(id) name=(name) value=(value) min=(min) max=(max) step="1" aria-describedby=(by) aria-invalid=[invalid];,
                InputKind::Date => {
                    @let (date, zone) = split_field(value);
                    input type="datetime-local" id=(id) name=(name) value=(date) data-zone=(zone_field(name)) aria-describedby=(by) aria-invalid=[invalid];
                    input type="hidden" name=(zone_field(name)) value=(zone);
                },
            }
            (below(problems, name, hint))
        }
    }
}

/// Renders a field of several lines.
pub(crate) fn area(
    problems: &Problems,
    name: &str,
    label: &str,
    value: &str,
    hint: &str,
    class: &str,
) -> Markup {
    let invalid = problems.of(name).map(|_| "true");
    html! {
        div.field {
            label for=(name) { (label) }
            // A browser drops the first line break after the tag: this one.
            textarea id=(name) name=(name) class=(class) spellcheck="false" aria-describedby=(described(name)) aria-invalid=[invalid] { "\n" (value) }
            (below(problems, name, hint))
        }
    }
}

/// Renders a list to choose from; with `submit`, the script sends the form when the choice changes.
pub(crate) fn select(
    problems: &Problems,
    name: &str,
    label: &str,
    options: &[(String, String)],
    chosen: &str,
    hint: &str,
    submit: bool,
) -> Markup {
    let invalid = problems.of(name).map(|_| "true");
    html! {
        div.field {
            label for=(name) { (label) }
            select id=(name) name=(name) data-submit[submit] aria-describedby=(described(name)) aria-invalid=[invalid] {
                @for (value, text) in options { option value=(value) selected[value == chosen] { (text) } }
            }
            (below(problems, name, hint))
        }
    }
}

/// Renders a list to choose a row from, with a search if there are more, or a field for the id if
/// no rows are offered. `none` is the text of the choice of no row in a filter, which the script
/// sends when the choice changes.
pub(crate) fn picker(
    texts: &Texts,
    problems: &Problems,
    name: &str,
    [label, hint]: [&str; 2],
    choices: &Choices,
    chosen: &str,
    none: Option<&str>,
) -> Markup {
    if choices.rows.is_empty() {
        let kind = InputKind::Text {
            max: ObjectId::MAX_LENGTH,
        };
        return input(
            problems,
            kind,
            name,
            &texts.with("frame-picker-number", &[("label", label.into())]),
            chosen,
            hint,
        );
    }
    let nothing = none.map_or_else(|| texts.of("frame-picker-choose"), Into::into);
    let mut options = vec![(String::new(), nothing.into_owned())];
    options.extend(choices.rows.iter().cloned());
    html! {
        @if let Some(typed) = &choices.search { (finder(texts, name, label, typed, none.is_none())) }
        (select(problems, name, label, &options, chosen, hint, none.is_some()))
    }
}

/// Renders the search for the rows of a list; in a form that is posted with a button, which only
/// shows the form again.
pub(crate) fn finder(
    texts: &Texts,
    name: &str,
    label: &str,
    typed: &str,
    has_button: bool,
) -> Markup {
    let (id, of) = (find_field(name), [("label", label.into())]);
    html! {
        div.field {
            label for=(id) { (texts.with("frame-picker-find", &of)) }
            div.row {
                input type="search" id=(id) name=(id) value=(typed) maxlength=(MAX_TEXT) autocomplete="off" spellcheck="false";
                @if has_button { button.small name="do" value="find" formaction={ "#" (id) } { (texts.of("lists-search")) } }
            }
        }
    }
}

/// Returns the name of the field that searches the rows of another field.
pub(crate) fn find_field(name: &str) -> String {
    format!("find.{name}")
}

/// Renders a group of radio buttons.
pub(crate) fn radios(
    problems: &Problems,
    name: &str,
    legend: &str,
    options: &[(&str, &str)],
    chosen: &str,
) -> Markup {
    html! {
        div.field role="radiogroup" aria-labelledby={ (name) "-label" } aria-describedby={ (name) "-error" } {
            div.label id={ (name) "-label" } { (legend) }
            div.choices {
                @for (value, text) in options {
                    label.check { input type="radio" name=(name) value=(value) checked[*value == chosen]; span { (text) } }
                }
            }
            (below(problems, name, ""))
        }
    }
}

/// Renders a group of checkboxes for names that the API uses.
pub(crate) fn checks(
    problems: &Problems,
    name: &str,
    legend: &str,
    options: &[&str],
    ticked: &[&str],
    hint: &str,
) -> Markup {
    html! {
        div.field id=(name) role="group" aria-labelledby={ (name) "-label" } aria-describedby=(described(name)) {
            div.label id={ (name) "-label" } { (legend) }
            div.choices {
                @for option in options {
                    label.check {
                        input type="checkbox" name=(name) value=(option) checked[ticked.contains(option)];
                        code { (option) }
                    }
                }
            }
            (below(problems, name, hint))
        }
    }
}

/// Renders a checkbox.
pub(crate) fn check(name: &str, label: &str, hint: &str, ticked: bool) -> Markup {
    html! {
        label.check {
            input type="checkbox" name=(name) value="on" checked[ticked];
            span { (label) @if !hint.is_empty() { span.hint { (hint) } } }
        }
    }
}

/// Renders a summary of the form's errors, with links to the fields, which are named as in the form
/// of `area`; `nothing` is the name of the text for what was not done.
pub(crate) fn errors(texts: &Texts, area: &str, problems: &Problems, nothing: &str) -> Markup {
    html! {
        @if !problems.is_empty() {
            div.note.bad role="alert" {
                strong { (texts.of(nothing)) }
                @for why in problems.refusals() { " " (why) }
                @if problems.of_fields().next().is_some() {
                    " " (texts.of("frame-correct"))
                    ul { @for (field, rule) in problems.of_fields() { li { a href={ "#" (field) } { (label(texts, area, field)) } ": " (rule) } } }
                }
            }
        }
    }
}

/// Renders the hint and the error of a field; the script fills in the error as well.
pub(super) fn below(problems: &Problems, name: &str, hint: &str) -> Markup {
    html! {
        p.hint id={ (name) "-hint" } hidden[hint.is_empty()] { (hint) }
        p.error id={ (name) "-error" } data-error=(name) { (problems.of(name).unwrap_or_default()) }
    }
}

pub(super) fn described(name: &str) -> String {
    format!("{name}-hint {name}-error")
}

/// Returns the name of a field: for `retry_schedule` its label `webhooks-form-retry-schedule`, or
/// the text `frame-field-retry-schedule`, for a variable its syntax, or else the field's own name.
pub(crate) fn label(texts: &Texts, area: &str, field: &str) -> String {
    let part = field.replace('_', "-");
    for name in [format!("{area}-form-{part}"), format!("frame-field-{part}")] {
        if let Some(text) = texts.find(&name) {
            return text.into_owned();
        }
    }
    if let Some(variable) = field.strip_prefix("var.") {
        return format!("${{{variable}}}");
    }
    let mut words = field.to_owned();
    if let Some(first) = words.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    words
}

/// A column: one field of each row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column<'a> {
    pub name: &'static str,
    /// Its label, with `%` for the number of the row: `Header % name`.
    pub label: &'a str,
    /// The text next to a checkbox; `None` for a text field.
    pub tick: Option<&'a str>,
    pub placeholder: &'a str,
}

/// Renders the editor. A row has its values in the order of the columns; any text ticks a checkbox.
pub(crate) fn editor(
    texts: &Texts,
    problems: &Problems,
    list: &str,
    legend: &str,
    columns: &[Column<'_>],
    rows: &[Vec<String>],
    movable: bool,
) -> Markup {
    let invalid = problems.of(list).map(|_| "true");
    // The script and `button` insert the number here.
    let number = [("number", "%".into())];
    html! {
        fieldset data-rows=(list) id=(list) {
            legend { (legend) }
            @for (at, row) in rows.iter().enumerate() {
                div.row {
                    @for (column, value) in columns.iter().zip(row) {
                        @let label = column.label.replace('%', &(at + 1).to_string());
                        @let name = format!("{list}.{at}.{}", column.name);
                        @match column.tick {
                            Some(tick) => label.check {
                                input type="checkbox" name=(name) value="on" checked[!value.is_empty()] aria-label=(label) data-label=(column.label);
                                span aria-hidden="true" { (tick) }
                            },
                            None => input.code type="text" name=(name) value=(value) placeholder=(column.placeholder) aria-label=(label) data-label=(column.label) autocomplete="off" spellcheck="false" aria-describedby=(described(list)) aria-invalid=[invalid];,
                        }
                    }
                    div.tools {
                        @if movable {
                            (button(list, "up", at, "↑", &texts.with("frame-row-up", &number)))
                            (button(list, "down", at, "↓", &texts.with("frame-row-down", &number)))
                        }
                        (button(list, "remove", at, "✕", &texts.with("frame-row-remove", &number)))
                    }
                }
            }
            button.small name="do" value={ (list) ".add.0" } formaction={ "#" (list) } { (texts.of("frame-row-add")) }
            span.unseen role="status" {}
            (below(problems, list, ""))
        }
    }
}

fn button(list: &str, what: &str, at: usize, sign: &str, label: &str) -> Markup {
    let said = label.replace('%', &(at + 1).to_string());
    html! {
        button.small name="do" value={ (list) "." (what) "." (at) } formaction={ "#" (list) } aria-label=(said) data-label=(label) { (sign) }
    }
}
