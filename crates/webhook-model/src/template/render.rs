//! Rendering. The size is calculated first, so that the result is allocated once and a result that
//! is too large is never built.

use std::collections::HashMap;

use super::data::Found;
use super::escape::{self, Text};
use super::parsed::Template;
use super::segment::{Kind, Place, Variable};
use super::values::{EVENT, TYPE, Values};

/// The maximum size of a rendered message in bytes.
pub const MAX_RENDERED: usize = 1024 * 1024;

/// The maximum number of digits of `${RANDOM}`.
const RANDOM_DIGITS: usize = 10;
/// Up to this number, variables are searched linearly.
const FEW: usize = 16;

/// The variables whose values are looked up: the further ones, then the type and the event.
struct Others<'a> {
    further: Further<'a>,
    words: [(&'a str, &'a str); 2],
}

/// The further variables, indexed if there are many, since a message may contain a variable any
/// number of times.
enum Further<'a> {
    Few(&'a [(&'a str, &'a str)]),
    Many(HashMap<&'a str, &'a str>),
}

impl<'a> Others<'a> {
    fn of(values: &Values<'a>, further: &'a [(&'a str, &'a str)]) -> Self {
        Self {
            further: Further::of(further),
            words: [(TYPE, values.event_type), (EVENT, values.event)],
        }
    }

    fn get(&self, wanted: &str) -> Option<&'a str> {
        self.further
            .get(wanted)
            .or_else(|| first(&self.words, wanted))
    }
}

impl<'a> Further<'a> {
    /// Creates it; of several variables with one name, the first counts.
    fn of(variables: &'a [(&'a str, &'a str)]) -> Self {
        if variables.len() <= FEW {
            return Self::Few(variables);
        }
        Self::Many(variables.iter().rev().copied().collect())
    }

    fn get(&self, wanted: &str) -> Option<&'a str> {
        match self {
            Self::Few(variables) => first(variables, wanted),
            Self::Many(variables) => variables.get(wanted).copied(),
        }
    }
}

fn first<'a>(variables: &[(&'a str, &'a str)], wanted: &str) -> Option<&'a str> {
    let found = variables.iter().find(|(name, _)| *name == wanted);
    found.map(|(_, value)| *value)
}

/// The error for a message that cannot be rendered.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RenderError {
    /// The result would be larger than [`MAX_RENDERED`].
    #[error("the rendered message is larger than 1 MiB")]
    TooLarge,
}

impl Template {
    /// Renders the message. `random` is called once for each `${RANDOM}`; its top bit is dropped.
    /// It allocates only the result, an index if there are many variables, and each value of the
    /// data that is not a text.
    ///
    /// # Errors
    /// [`RenderError::TooLarge`], before the result is built.
    pub fn render(
        &self,
        values: &Values<'_>,
        mut random: impl FnMut() -> u32,
    ) -> Result<String, RenderError> {
        render(self, values, &mut random)
    }
}

/// Not generic, so that it is compiled once, in this crate, together with its helpers.
fn render(
    template: &Template,
    values: &Values<'_>,
    random: &mut dyn FnMut() -> u32,
) -> Result<String, RenderError> {
    let counts = template.counts;
    let json = template.json;
    let date = Text::new(values.date, json);
    let name = Text::new(values.name, json);
    let mut digits = itoa::Buffer::new();
    let timestamp = digits.format(values.timestamp);
    let further = if counts.others == 0 {
        &[]
    } else {
        values.extra
    };
    let others = Others::of(values, further);
    let others_len = others_len(template, values, &others)?;

    let least = [
        counts.fixed,
        counts.dates.saturating_mul(date.len()),
        counts.names.saturating_mul(name.len()),
        counts.timestamps * timestamp.len(),
        counts.randoms,
        others_len,
    ]
    .into_iter()
    .fold(0, usize::saturating_add);
    if least > MAX_RENDERED {
        return Err(RenderError::TooLarge);
    }

    let mut out = String::with_capacity(least + counts.randoms * (RANDOM_DIGITS - 1));
    for &segment in &template.segments {
        match segment.kind {
            Kind::Literal => out.push_str(template.text_of(segment)),
            Kind::Variable(Variable::Timestamp, _) => out.push_str(timestamp),
            Kind::Variable(Variable::Random, _) => {
                escape::push_number(&mut out, random() & 0x7fff_ffff);
            }
            Kind::Variable(Variable::Date, place) => date.push(&mut out, json, place),
            Kind::Variable(Variable::Name, place) => name.push(&mut out, json, place),
            Kind::Variable(Variable::Data | Variable::Context, place) => {
                let found = data(template.name_of(segment), values, &others);
                found.push(&mut out, json, place);
            }
            Kind::Variable(Variable::Other, place) => match others.get(template.name_of(segment)) {
                Some(value) => Text::new(value, json).push(&mut out, json, place),
                None => out.push_str(template.text_of(segment)),
            },
        }
    }
    if out.len() > MAX_RENDERED {
        return Err(RenderError::TooLarge);
    }
    Ok(out)
}

fn data<'a>(name: &str, values: &Values<'a>, others: &Others<'a>) -> Found<'a> {
    Found::of(values, name, others.get(name))
}

/// Returns the size of the variables that are not built in, in bytes, including quotes. It stops at
/// the limit: a value may be as long as a message, and occur many times.
fn others_len(
    template: &Template,
    values: &Values<'_>,
    others: &Others<'_>,
) -> Result<usize, RenderError> {
    let mut total = 0usize;
    if template.counts.others == 0 {
        return Ok(total);
    }
    for &segment in &template.segments {
        let name = template.name_of(segment);
        let len = match segment.kind {
            Kind::Variable(Variable::Data | Variable::Context, place) => {
                data(name, values, others).len(template.json, place)
            }
            Kind::Variable(Variable::Other, place) => {
                let quoted = template.json && place == Place::Bare;
                let quotes = if quoted { 2 } else { 0 };
                let value = others.get(name);
                value.map_or(segment.end - segment.start, |value| {
                    Text::new(value, template.json).len() + quotes
                })
            }
            _ => continue,
        };
        total = total.saturating_add(len);
        if total > MAX_RENDERED {
            return Err(RenderError::TooLarge);
        }
    }
    Ok(total)
}
