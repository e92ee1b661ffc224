//! An editable list of a form, as it was sent.

use std::collections::HashMap;

use super::fields::Form;
use crate::problems::Problems;
use crate::texts::Texts;

/// The rows of a list, each with its values in the order of the list's columns.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Rows {
    pub rows: Vec<Vec<String>>,
    /// The maximum number of rows, if more were sent; the others were not read.
    beyond: Option<usize>,
}

impl Rows {
    /// Returns these rows, or one blank row to type into.
    pub(crate) fn of<const N: usize>(rows: Vec<Vec<String>>, blank: [&str; N]) -> Self {
        let mut rows = Self { rows, beyond: None };
        if rows.rows.is_empty() {
            rows.rows.push(row(blank));
        }
        rows
    }

    /// Notes that there are too many rows, and returns whether there are.
    pub(crate) fn is_too_long(&self, texts: &Texts, list: &str, problems: &mut Problems) -> bool {
        if let Some(most) = self.beyond {
            let count = [("count", most.into())];
            problems.add(list, texts.with("forms-too-many-rows", &count));
        }
        self.beyond.is_some()
    }
}

impl Form {
    /// Returns the first `most` rows of a list, in their order on the page, changed as the pressed
    /// button says. Fields are named `list.NUMBER.column`; the number only distinguishes rows.
    pub(crate) fn rows<const N: usize>(
        &self,
        list: &str,
        columns: [&str; N],
        blank: [&str; N],
        most: usize,
    ) -> Rows {
        let (mut rows, mut beyond) = (Vec::new(), None);
        let mut known: HashMap<&str, usize> = HashMap::new();
        for (number, column, value) in self.cells(list) {
            let at = match known.get(number) {
                Some(at) => *at,
                None if rows.len() == most => {
                    beyond = Some(most);
                    continue;
                }
                None => {
                    known.insert(number, rows.len());
                    rows.push(row([""; N]));
                    rows.len() - 1
                }
            };
            let place = columns.iter().position(|known| *known == column);
            if let Some(cell) = place.and_then(|place| rows.get_mut(at)?.get_mut(place)) {
                value.clone_into(cell);
            }
        }
        match self.asks(list) {
            Some(("add", _)) if rows.len() >= most => {}
            Some((what, at)) => reorder(&mut rows, what, at, row(blank)),
            None => {}
        }
        Rows {
            beyond,
            ..Rows::of(rows, blank)
        }
    }

    /// Returns the fields of a list: the number of the row, the column, the value.
    fn cells<'a>(&'a self, list: &'a str) -> impl Iterator<Item = (&'a str, &'a str, &'a str)> {
        self.0.iter().filter_map(move |(field, value)| {
            let rest = field.strip_prefix(list)?.strip_prefix('.')?;
            let (number, column) = rest.split_once('.')?;
            Some((number, column, value.as_str()))
        })
    }

    /// Returns the operation of the pressed button on a list: `header.up.2` is `("up", 2)`, counted
    /// from 0.
    fn asks(&self, list: &str) -> Option<(&str, usize)> {
        let rest = self.given("do")?.strip_prefix(list)?.strip_prefix('.')?;
        let (what, at) = rest.split_once('.')?;
        Some((what, at.parse().ok()?))
    }
}

fn row<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(str::to_owned).into()
}

/// Moves, removes or adds a row, as the pressed button says.
fn reorder<T>(rows: &mut Vec<T>, what: &str, at: usize, blank: T) {
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

    fn headers(form: &str, most: usize) -> Rows {
        let form = Form::parse(form.as_bytes());
        form.rows("header", ["name", "value"], ["", "-"], most)
    }

    #[test]
    fn form_rows_keep_page_order_regardless_of_numbers() {
        let sent = "header.7.name=B&header.7.value=2&name=x&header.2.name=A&header.2.value=1&header.7.other=y&headers=z&header.x";
        assert_eq!(headers(sent, 9).rows, [["B", "2"], ["A", "1"]]);
        assert_eq!(headers("header.0.value=1", 9).rows, [["", "1"]]);
        assert_eq!(headers("", 9).rows, [["", "-"]], "one to type into");
    }

    #[test]
    fn form_rows_beyond_the_limit_are_not_read() {
        let sent = "header.a.name=1&header.b.name=2&header.c.name=3&header.a.value=4";
        let (three, two) = (headers(sent, 3), headers(sent, 2));
        let texts = Texts::english();
        let mut problems = Problems::new(&texts);
        assert!(!three.is_too_long(&texts, "header", &mut problems) && problems.is_empty());
        assert!(two.is_too_long(&texts, "header", &mut problems));
        assert_eq!(problems.of("header"), Some("Must have at most 2 rows."));
        assert_eq!(two.rows, [["1", "4"], ["2", ""]]);
    }

    #[test]
    fn buttons_of_rows_change_their_order() {
        let pressed = |what: &str, at: usize, most| {
            let rows = ["a", "b", "c"].map(|name| format!("header.{name}.name={name}&"));
            let rows = headers(&format!("{}do=header.{what}.{at}", rows.concat()), most);
            let cells = rows.rows.concat();
            cells.concat()
        };
        for (what, at, after) in [
            ("up", 2, "acb"),
            ("up", 0, "abc"),
            ("down", 0, "bac"),
            ("down", 2, "abc"),
            ("remove", 1, "ac"),
            ("remove", 9, "abc"),
            ("up", 9, "abc"),
            ("add", 0, "abc-"),
            ("other", 0, "abc"),
        ] {
            assert_eq!(pressed(what, at, 4), after, "{what} {at}");
        }
        assert_eq!(pressed("add", 0, 3), "abc", "no more than there may be");
        let other = Form::parse(b"do=header.up.2");
        assert_eq!(
            (other.asks("header"), other.asks("allow")),
            (Some(("up", 2)), None)
        );
    }
}
