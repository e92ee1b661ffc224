//! References that a filter looks for by their row number alone, as clients may (WIRE 1).

use super::term::{Filter, Literal, Term, Test};
use crate::schema::{Kind, Table};

impl Filter {
    /// Reads it over this table: a number, or its digits, that a reference must or must not equal
    /// becomes what rows hold, so that a store can look it up.
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
                    if let (Some(Kind::Reference(of)), Some(key)) = (kind, literal.as_key()) {
                        *literal = referred(of, key);
                    }
                }
                Term::Compare { .. } => {}
            }
        }
    }
}

fn referred(table: Option<&str>, key: i64) -> Literal {
    match table {
        Some(table) => Literal::Text(format!("{table}/{key}")),
        None => Literal::InAnyTable(key),
    }
}
