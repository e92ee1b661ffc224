//! Fills in the variables. The size is reckoned first, so that the result is allocated once and one
//! that is too large is never built.

use super::escape::{self, Text};
use super::parsed::Template;
use super::segment::{Kind, Place, Segment, Variable};
use super::values::Values;

/// The most bytes of a rendered message.
pub const MAX_RENDERED: usize = 4 * 1024 * 1024;

/// The most digits of `${RANDOM}`.
const RANDOM_DIGITS: usize = 10;

/// A message that cannot be rendered.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RenderError {
    /// The values make it larger than [`MAX_RENDERED`].
    #[error("the rendered message is larger than 4 MiB")]
    TooLarge,
}

impl Template {
    /// Fills in the variables. `random` is asked once for each `${RANDOM}`; its top bit is dropped.
    /// The only allocation is that of the result.
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

/// Not generic, so that it is compiled once, here, together with its helpers.
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
    let others = if counts.others == 0 {
        0
    } else {
        others_len(template, values)
    };

    let least = [
        counts.fixed,
        counts.dates.saturating_mul(date.len()),
        counts.names.saturating_mul(name.len()),
        counts.timestamps * timestamp.len(),
        counts.randoms,
        others,
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
            Kind::Variable(Variable::Other, place) => match other(template, segment, values) {
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

/// The value of a variable that is not built in.
fn other<'a>(template: &Template, segment: Segment, values: &Values<'a>) -> Option<&'a str> {
    let wanted = template.name_of(segment);
    values
        .extra
        .iter()
        .find(|(name, _)| *name == wanted)
        .map(|(_, value)| *value)
}

/// The bytes that the variables that are not built in come to, quotes included.
fn others_len(template: &Template, values: &Values<'_>) -> usize {
    let mut total = 0usize;
    for &segment in &template.segments {
        let Kind::Variable(Variable::Other, place) = segment.kind else {
            continue;
        };
        total = total.saturating_add(match other(template, segment, values) {
            Some(value) => {
                let quotes = if template.json && place == Place::Bare {
                    2
                } else {
                    0
                };
                Text::new(value, template.json).len() + quotes
            }
            None => segment.end - segment.start,
        });
    }
    total
}
