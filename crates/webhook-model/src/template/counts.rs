//! What a template consists of.

use super::segment::{Kind, Place, Segment, Variable};

/// What a template consists of, counted once.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    /// Bytes that stay as they are, and the quotes around text that stands outside of strings.
    pub(super) fixed: usize,
    pub(super) dates: usize,
    pub(super) names: usize,
    pub(super) timestamps: usize,
    pub(super) randoms: usize,
    /// Those whose values are looked up, data among them.
    pub(super) others: usize,
    /// Those of them that are of the event's context.
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
