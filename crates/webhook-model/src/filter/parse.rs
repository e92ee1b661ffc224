//! The parser of filters, which reports the position and the reason of an error.

use gatepost_ids::mark_hidden;
use serde_json::{Map, Value};

use super::condition::{Bound, Order, Scalar, Term, Test};
use crate::data::MAX_DEPTH;
use crate::error::{Field, Invalid};

/// The maximum number of values to compare with, in the whole filter.
const MAX_VALUES: usize = 100;
/// The maximum number of nested objects.
const MAX_NESTED: usize = 8;
/// The maximum number of characters of a path or an operator in an error.
const MAX_SHOWN: usize = 60;
const OR: &str = "$or";
const SCALARS: &str = "a text, a number, true, false or null";

pub(super) fn terms(members: &Map<String, Value>) -> Result<Vec<Term>, Invalid> {
    let mut reading = Reading::default();
    let mut terms = Vec::new();
    reading.object(members, &mut terms)?;
    Ok(terms)
}

/// The position of the parser, and the counts so far.
#[derive(Default)]
struct Reading {
    path: Vec<Box<str>>,
    nested: usize,
    values: usize,
}

impl Reading {
    fn object(&mut self, members: &Map<String, Value>, out: &mut Vec<Term>) -> Result<(), Invalid> {
        self.nested += 1;
        if self.nested > MAX_NESTED {
            return Err(self.wrong("must have at most 8 objects in each other"));
        }
        if members.is_empty() {
            return Err(self.wrong("must hold a condition"));
        }
        for (name, value) in members {
            match name.as_str() {
                OR => self.or(value, out)?,
                operator if operator.starts_with('$') => self.operator(operator, value, out)?,
                path => self.below(path, value, out)?,
            }
        }
        self.nested -= 1;
        Ok(())
    }

    /// Parses the conditions further along a path.
    fn below(&mut self, path: &str, value: &Value, out: &mut Vec<Term>) -> Result<(), Invalid> {
        let above = self.path.len();
        self.path.extend(path.split('.').map(Into::into));
        if self.path.len() > MAX_DEPTH {
            return Err(self.wrong("must have at most 32 parts in a path"));
        }
        if self.path.iter().any(|part| part.is_empty()) {
            return Err(self.wrong("must have no empty part in a path"));
        }
        let mut terms = Vec::new();
        match value {
            Value::Object(members) => self.object(members, &mut terms)?,
            Value::Array(_) => {
                return Err(self.wrong("must not be a list; use $in for one of several values"));
            }
            value => terms.push(Term::Here(Test::In([self.scalar(value, "")?].into()))),
        }
        out.push(Term::Below(
            self.path.drain(above..).collect(),
            terms.into(),
        ));
        Ok(())
    }

    fn or(&mut self, value: &Value, out: &mut Vec<Term>) -> Result<(), Invalid> {
        let choices = value.as_array().filter(|choices| !choices.is_empty());
        let rule = "$or must be a list of one or more objects";
        let mut read = Vec::new();
        for choice in choices.ok_or_else(|| self.wrong(rule))? {
            let members = choice.as_object().ok_or_else(|| self.wrong(rule))?;
            let mut terms = Vec::new();
            self.object(members, &mut terms)?;
            read.push(terms.into());
        }
        out.push(Term::Or(read.into()));
        Ok(())
    }

    fn operator(&mut self, name: &str, value: &Value, out: &mut Vec<Term>) -> Result<(), Invalid> {
        if self.path.is_empty() {
            let rule = format!("{} must stand at a path", shown(name));
            return Err(self.wrong(rule));
        }
        let test = match name {
            "$eq" => Test::In([self.scalar(value, name)?].into()),
            "$ne" => Test::NotIn([self.scalar(value, name)?].into()),
            "$in" => Test::In(self.scalars(value, name)?),
            "$nin" => Test::NotIn(self.scalars(value, name)?),
            "$gt" => Test::Ordered(Order::More, self.bound(value, name)?),
            "$gte" => Test::Ordered(Order::MoreOrEqual, self.bound(value, name)?),
            "$lt" => Test::Ordered(Order::Less, self.bound(value, name)?),
            "$lte" => Test::Ordered(Order::LessOrEqual, self.bound(value, name)?),
            "$exists" => {
                let wanted = value.as_bool();
                self.count()?;
                Test::Exists(wanted.ok_or_else(|| self.wrong("$exists must be true or false"))?)
            }
            unknown => {
                let known = "use $eq, $ne, $in, $nin, $gt, $gte, $lt, $lte, $exists or $or";
                let rule = format!("{} is not known; {known}", shown(unknown));
                return Err(self.wrong(rule));
            }
        };
        out.push(Term::Here(test));
        Ok(())
    }

    fn scalars(&mut self, value: &Value, name: &str) -> Result<Box<[Scalar]>, Invalid> {
        let items = value.as_array().filter(|items| !items.is_empty());
        let none = || self.wrong(format!("{name} must be a list of one or more values"));
        let items = items.ok_or_else(none)?;
        items.iter().map(|item| self.scalar(item, name)).collect()
    }

    fn scalar(&mut self, value: &Value, name: &str) -> Result<Scalar, Invalid> {
        self.count()?;
        match value {
            Value::Null => Ok(Scalar::Null),
            Value::Bool(value) => Ok(Scalar::Bool(*value)),
            Value::Number(value) => Ok(Scalar::Number(value.clone())),
            Value::String(value) => Ok(Scalar::Text(value.as_str().into())),
            _ => Err(self.wrong(format!("{name} must be {SCALARS}"))),
        }
    }

    fn bound(&mut self, value: &Value, name: &str) -> Result<Bound, Invalid> {
        self.count()?;
        match value {
            Value::Number(value) => Ok(Bound::Number(value.clone())),
            Value::String(value) => Ok(Bound::Text(value.as_str().into())),
            _ => Err(self.wrong(format!("{name} must be a number or a text"))),
        }
    }

    fn count(&mut self) -> Result<(), Invalid> {
        self.values += 1;
        if self.values > MAX_VALUES {
            return Err(self.wrong("must compare with at most 100 values"));
        }
        Ok(())
    }

    fn wrong(&self, rule: impl AsRef<str>) -> Invalid {
        let rule = rule.as_ref();
        if self.path.is_empty() {
            return Invalid::new(Field::Filter, rule.to_owned());
        }
        let path = shown(&self.path.join("."));
        Invalid::new(Field::Filter, format!("at {path}: {rule}"))
    }
}

/// Shortens user input to the part that identifies it.
fn shown(text: &str) -> String {
    let printed: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    match printed.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", mark_hidden(printed.get(..end).unwrap_or_default())),
        None => mark_hidden(&printed).into_owned(),
    }
}
