//! An editable list of rows within a form. The script adds, moves and removes rows in the page;
//! without it, the same buttons ask the server to.

use maud::{Markup, html};

use super::controls::{below, described};
use crate::problems::Problems;
use crate::texts::Texts;

/// One field of each row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column<'a> {
    pub name: &'static str,
    /// Its label, with `%` for the number of the row: `Header % name`.
    pub label: &'a str,
    /// The text beside a checkbox; `None` for a text field.
    pub tick: Option<&'a str>,
    pub placeholder: &'a str,
}

/// The editor. A row is its values in the order of the columns; any text ticks a checkbox.
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
    // The script and `button` put the number there.
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
