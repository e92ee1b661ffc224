//! References that a filter compares by id only, as clients may (WIRE 1).

use webhook_model::ObjectId;

use super::term::{Filter, Literal, Term, Test};
use crate::schema::{Kind, Table};

impl Filter {
    /// Resolves the filter for this table: an id that a reference must or must not equal becomes
    /// the stored form, so that a store can look it up.
    pub(crate) fn read_over(&mut self, table: &Table) {
        let rest = self.rest.iter_mut().map(|(_, term)| term);
        for term in std::iter::once(&mut self.first).chain(rest) {
            match term {
                Term::Group(group) => group.read_over(table),
                Term::Compare {
                    field,
                    test: Test::Equal(literal) | Test::NotEqual(literal),
                } => {
                    let kind = table.readable(field).map(|column| column.kind);
                    match (kind, literal.as_id()) {
                        (Some(Kind::Reference(of)), Some(id)) => *literal = referred(of, id),
                        (Some(Kind::User), Some(id)) => *literal = alone(id),
                        _ => {}
                    }
                }
                Term::Compare { .. } => {}
            }
        }
    }
}

fn referred(table: Option<&str>, id: ObjectId) -> Literal {
    match table {
        Some(table) => Literal::Text(format!("{table}/{id}")),
        None => Literal::InAnyTable(id),
    }
}

/// Converts an id to the form of a column.
fn alone(id: ObjectId) -> Literal {
    let text = || Literal::Text(id.to_string());
    id.as_number().map_or_else(text, Literal::Int)
}
