//! The composition of a template.

use super::segment::{Kind, Place, Segment, Variable};

/// The composition of a template, counted once.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    /// The bytes that stay unchanged, and the quotes around text outside of strings.
    pub(super) fixed: usize,
    pub(super) dates: usize,
    pub(super) names: usize,
    pub(super) timestamps: usize,
    pub(super) randoms: usize,
    /// Variables whose values are looked up, including data.
    pub(super) others: usize,
    /// The number of them in the event's context.
    pub(super) contexts: usize,
}

impl Counts {
    pub(super) fn of(segments: &[Segment], json: bool) -> Self {
        let mut counts = Self::default();
        for segment in segments {
            let quotes = |place| if json && place == Place::Bare { 2 } else { 0 };
            match segment.kind {
                Kind::Literal => counts.fixed += segment.end - segment.start,
                Kind::Variable(Variable::Date, place) => {
                    counts.dates += 1;
                    counts.fixed += quotes(place);
                }
                Kind::Variable(Variable::Name, place) => {
                    counts.names += 1;
                    counts.fixed += quotes(place);
                }
                Kind::Variable(Variable::Timestamp, _) => counts.timestamps += 1,
                Kind::Variable(Variable::Random, _) => counts.randoms += 1,
                Kind::Variable(Variable::Data | Variable::Other, _) => counts.others += 1,
                Kind::Variable(Variable::Context, _) => {
                    counts.others += 1;
                    counts.contexts += 1;
                }
            }
        }
        counts
    }
}
