//! `fields=`: the columns and their names.

use std::collections::HashSet;
use std::fmt;

use crate::error::{ApiError, Result};

/// The maximum number of entries: more columns than any table has.
const MOST: usize = 200;
/// The maximum length of client input in an error text.
const SHOWN: usize = 64;

/// The columns of a response.
#[derive(Debug, Default, PartialEq)]
pub(crate) enum Fields {
    /// Not given: the table's short set.
    #[default]
    Default,
    /// These, in this order.
    These(Vec<Field>),
}

/// One entry of the list.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub(crate) enum Field {
    /// `all`, `most`, `summary`: every column.
    Every,
    /// A column, a join or a count, and the name it has in the response.
    One { what: Column, name: String },
}

/// The kinds of an entry.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub(crate) enum Column {
    /// `name`
    Plain(String),
    /// `user#name`: a column of the row that `user` refers to.
    Join { through: String, column: String },
    /// `count(events)`: the number of rows of another table that refer to this one.
    Count(String),
}

impl Fields {
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let mut fields = Vec::new();
        let mut known = HashSet::new();
        for entry in split(text) {
            let field = entry_of(entry);
            if !known.insert(field.clone()) {
                continue;
            }
            if fields.len() == MOST {
                return Err(ApiError::field(
                    "fields",
                    "names more columns than there are",
                ));
            }
            fields.push(field);
        }
        no_column_twice(&fields)?;
        Ok(if fields.is_empty() {
            Self::Default
        } else {
            Self::These(fields)
        })
    }
}

/// Checks that each value is in the response once: with aliases, a small request could request a
/// large response. An entry that is repeated unchanged, as by clients that join two lists, has been
/// removed already. In addition to the words for every column, a column may be named by its own
/// name, as some clients do, which changes nothing.
fn no_column_twice(fields: &[Field]) -> Result<()> {
    let mut named = HashSet::new();
    let every = fields.contains(&Field::Every);
    for field in fields {
        let Field::One { what, name } = field else {
            continue;
        };
        let again = every && matches!(what, Column::Plain(column) if column != name);
        if !named.insert(what) || again {
            let column: String = what.to_string().chars().take(SHOWN).collect();
            let rule = format!("names the column '{column}' twice");
            return Err(ApiError::field("fields", rule));
        }
    }
    Ok(())
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(column) => f.write_str(column),
            Self::Join { through, column } => write!(f, "{through}#{column}"),
            Self::Count(table) => write!(f, "count({table})"),
        }
    }
}

/// Splits at commas outside of `(…)` and `[…]`.
fn split(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0u32;
    text.split(move |c| {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    })
    .map(str::trim)
    .filter(|entry| !entry.is_empty())
}

fn entry_of(entry: &str) -> Field {
    if ["all", "most", "summary"].contains(&entry) {
        return Field::Every;
    }
    let (what, alias) = match entry.split_once(" as ") {
        Some((what, alias)) => (what.trim(), alias.trim()),
        None => (entry, entry),
    };
    Field::One {
        what: column_of(what),
        name: alias.to_owned(),
    }
}

fn column_of(text: &str) -> Column {
    if let Some(table) = text
        .strip_prefix("count(")
        .and_then(|rest| rest.strip_suffix(')'))
    {
        return Column::Count(table.trim().to_owned());
    }
    match text.split_once('#') {
        Some((through, column)) => Column::Join {
            through: through.to_owned(),
            column: column.to_owned(),
        },
        None => Column::Plain(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(name: &str) -> Field {
        Field::One {
            what: Column::Plain(name.into()),
            name: name.into(),
        }
    }

    #[test]
    fn fields_query_distinguishes_columns_aliases_joins_and_counts() {
        let fields = Fields::parse(
            "$key,name, user#name as user_name ,count(events) as events_count,owner#$display",
        )
        .unwrap();
        let join = |t: &str, c: &str| Column::Join {
            through: t.into(),
            column: c.into(),
        };
        assert_eq!(
            fields,
            Fields::These(vec![
                plain("$key"),
                plain("name"),
                Field::One {
                    what: join("user", "name"),
                    name: "user_name".into()
                },
                Field::One {
                    what: Column::Count("events".into()),
                    name: "events_count".into()
                },
                Field::One {
                    what: join("owner", "$display"),
                    name: "owner#$display".into()
                },
            ])
        );
    }

    #[test]
    fn commas_in_brackets_do_not_split() {
        let Fields::These(fields) = Fields::parse("a,f(b,c)[d,e],g").unwrap() else {
            panic!()
        };
        assert_eq!(fields.len(), 3);
    }

    #[test]
    fn fields_query_reads_most_and_defaults_if_empty() {
        assert_eq!(
            Fields::parse("most").unwrap(),
            Fields::These(vec![Field::Every])
        );
        assert_eq!(Fields::parse(" , ").unwrap(), Fields::Default);
        let many: String = (0..500).map(|n| format!("a{n},")).collect();
        assert!(Fields::parse(&many).is_err());
    }

    #[test]
    fn a_column_is_named_once() {
        for twice in [
            "message as a,message as b",
            "name,$key,name as n",
            "name as n,name,name as n",
            "user#name as a,user#name as b",
            "count(events),count(events) as n",
            "most,message as m",
            "message as m,all",
        ] {
            assert!(Fields::parse(twice).is_err(), "{twice}");
        }
        let text = Fields::parse("message as a,message as b").unwrap_err();
        assert!(format!("{text:?}").contains("names the column 'message' twice"));
        for once in [
            "most,name",
            "all,most",
            "user,user#name as user_name",
            "owner#name,owner#$display",
            "count(events),count(triggers)",
        ] {
            assert!(Fields::parse(once).is_ok(), "{once}");
        }
    }

    #[test]
    fn an_entry_that_is_repeated_is_one_entry() {
        let many = "$key,name,".repeat(500);
        for (repeated, once) in [
            ("$key,name,$key", "$key,name"),
            (many.as_str(), "$key,name"),
            ("name as n, name as n,$key", "name as n,$key"),
            ("owner#$display,owner#$display", "owner#$display"),
            ("count(events),count(events)", "count(events)"),
            ("all,name,all", "all,name"),
        ] {
            let fields = |text| Fields::parse(text).unwrap();
            assert_eq!(fields(repeated), fields(once), "{repeated}");
        }
    }
}
