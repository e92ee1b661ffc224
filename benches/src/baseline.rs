//! A measurement as it is stored in the repository, and whether a new one is worse by more than
//! chance.

use serde_json::Value;

/// The rounds of a ratio in one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// The bench, then the measurement's own name.
    pub name: String,
    /// The round in the middle.
    pub median: f64,
    /// The smallest round.
    pub low: f64,
    /// The largest round.
    pub high: f64,
    /// Whether a smaller one would be better.
    pub less_is_better: bool,
}

/// The comparison of a measurement with the stored one.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Verdict {
    /// Within the tolerance of either, or better by less than that.
    Same,
    /// Better by more than the larger tolerance of both.
    Better,
    /// Worse by more than the larger tolerance of both.
    Worse,
}

impl Figure {
    /// Reads what [`keep`](crate::keep) or [`Figure::to_json`] wrote.
    #[must_use]
    pub fn from_json(value: &Value) -> Option<Self> {
        let number = |name: &str| value.get(name)?.as_f64();
        Some(Self {
            name: value.get("name")?.as_str()?.to_owned(),
            median: number("median")?,
            low: number("low")?,
            high: number("high")?,
            less_is_better: value.get("less_is_better")?.as_bool()?,
        })
    }

    /// Returns it with three decimals, more than the machines can distinguish.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let short = |figure: f64| (figure * 1e3).round() / 1e3;
        serde_json::json!({
            "name": self.name, "median": short(self.median), "low": short(self.low),
            "high": short(self.high), "less_is_better": self.less_is_better,
        })
    }

    /// Compares this new measurement with `kept`.
    #[must_use]
    pub fn against(&self, kept: &Self) -> Verdict {
        let span = (self.high - self.low).max(kept.high - kept.low);
        let more = self.median - kept.median;
        let worse = if kept.less_is_better { more } else { -more };
        match worse {
            by if by > span => Verdict::Worse,
            by if -by > span => Verdict::Better,
            _ => Verdict::Same,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Figure, Verdict};

    fn figure(rounds: [f64; 3], less_is_better: bool) -> Figure {
        let [low, median, high] = rounds;
        Figure {
            name: "a / b".to_owned(),
            median,
            low,
            high,
            less_is_better,
        }
    }

    #[test]
    fn metric_comparison_respects_wider_spread_and_direction() {
        let kept = [1.9, 2.0, 2.1];
        for (now, less, verdict) in [
            ([1.9, 2.0, 2.1], true, Verdict::Same),
            ([2.1, 2.15, 2.2], true, Verdict::Same),
            ([2.3, 2.4, 2.5], true, Verdict::Worse),
            ([2.3, 2.4, 2.5], false, Verdict::Better),
            ([1.4, 1.5, 1.6], true, Verdict::Better),
            ([1.4, 1.5, 1.6], false, Verdict::Worse),
            ([1.0, 2.6, 3.0], true, Verdict::Same),
        ] {
            let said = figure(now, less).against(&figure(kept, less));
            assert_eq!(said, verdict, "{now:?} beside {kept:?}");
        }
    }

    #[test]
    fn metric_round_trips_through_json() {
        let figure = figure([1.25, 1.5, 2.0], true);
        assert_eq!(Figure::from_json(&figure.to_json()), Some(figure));
        assert_eq!(Figure::from_json(&serde_json::json!({"name": "x"})), None);
    }
}
