//! A field of a record, for contract tests and mutants that go through all of them.

use std::fmt;

/// The effect of an insert and an edit on a field.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Rule {
    /// Inserts and edits store it.
    Edited,
    /// An insert stores it; an edit keeps it, whatever the caller passes.
    Kept,
    /// The store sets it; a caller's value is never stored.
    Own,
    /// It names the row, and its revision.
    Shown,
}

/// A field of the record `R`, with values to try.
pub struct Field<R> {
    pub(super) name: &'static str,
    pub(super) rule: Rule,
    pub(super) values: Vec<R>,
    pub(super) copy: fn(&R, &mut R),
    pub(super) same: fn(&R, &R) -> bool,
    pub(super) show: fn(&R) -> String,
}

impl<R> fmt::Debug for Field<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl<R> Field<R> {
    /// Returns the path of the field in the record: `row.key.ip.allow`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the rule of the field.
    #[must_use]
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// Returns records that differ in it from the record that the table was made for, and from each
    /// other: at least two.
    #[must_use]
    pub fn values(&self) -> &[R] {
        &self.values
    }

    /// Copies the field from one record to another.
    pub fn copy(&self, from: &R, to: &mut R) {
        (self.copy)(from, to);
    }

    /// Returns whether two records have the same value of it.
    #[must_use]
    pub fn is_same(&self, a: &R, b: &R) -> bool {
        (self.same)(a, b)
    }

    /// Returns the field's `Debug` form, which contains no secret.
    #[must_use]
    pub fn show(&self, record: &R) -> String {
        (self.show)(record)
    }

    /// Returns the index of its value in this record, if it is one of them.
    #[must_use]
    pub fn position(&self, record: &R) -> Option<usize> {
        self.values.iter().position(|v| self.is_same(v, record))
    }

    /// Sets the value after the current one: a close value that is wrong.
    pub fn nudge(&self, record: &mut R) {
        let next = self.position(record).map_or(0, |at| at + 1);
        let next = self.values.get(next).or(self.values.first());
        if let Some(next) = next {
            self.copy(next, record);
        }
    }
}

/// Returns a description of the first field in which the records differ.
#[must_use]
pub fn difference<R: PartialEq>(fields: &[Field<R>], expected: &R, found: &R) -> Option<String> {
    if expected == found {
        return None;
    }
    let Some(field) = fields.iter().find(|f| !f.is_same(expected, found)) else {
        return Some("the rows differ".to_owned());
    };
    let (wanted, seen) = (field.show(expected), field.show(found));
    let hidden = if wanted == seen {
        " (hidden parts differ)"
    } else {
        ""
    };
    let name = field.name();
    Some(format!("{name}: expected {wanted}, found {seen}{hidden}"))
}

/// Makes the fields of records, a group for each struct: its path in the row, its name, and each of
/// its fields with its rule and values. A missing field does not compile. A field without values
/// has its own group for its parts.
macro_rules! fields {
    ($base:expr, $row:ident => $(
        $part:expr, $record:ident {
            $($field:ident: $rule:ident [$($value:expr),* $(,)?]),* $(,)?
        }
    );+ $(;)?) => {{
        let base = $base;
        let mut fields = Vec::new();
        $(
            {
                let $row = &base;
                // Without `..`: a new field must be named here.
                let $record { $($field: _),* } = &$part;
            }
            $(fields.push($crate::fields::Field {
                name: concat!(stringify!($part), ".", stringify!($field)),
                rule: $crate::fields::Rule::$rule,
                values: vec![$({
                    #[allow(unused_mut, reason = "some fields have no values")]
                    let mut with = base.clone();
                    {
                        let $row = &mut with;
                        $part.$field = $value;
                    }
                    with
                }),*],
                copy: |from, to| {
                    let value = {
                        let $row = from;
                        $part.$field.clone()
                    };
                    let $row = to;
                    $part.$field = value;
                },
                same: |a, b| {
                    let value = {
                        let $row = a;
                        &$part.$field
                    };
                    let $row = b;
                    *value == $part.$field
                },
                show: |record| {
                    let $row = record;
                    format!("{:?}", $part.$field)
                },
            });)*
        )+
        // A field without values consists of parts, which are in the list by themselves.
        fields.retain(|field| !field.values.is_empty());
        fields
    }};
}
pub(super) use fields;
