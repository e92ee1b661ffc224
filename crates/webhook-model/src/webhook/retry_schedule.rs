//! The retry schedule of a webhook.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use gatepost_ids::trim_pasted;

use crate::error::{Field, Invalid};

/// The maximum number of delays in a schedule. A platform may allow fewer.
pub const MAX_RETRY_DELAYS: usize = 100;
/// The maximum delay: a day.
const LONGEST: u32 = 24 * 60 * 60;
const UNITS: [(&str, u32); 4] = [("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)];

/// The delay before each further attempt, in whole seconds: 1 to [`MAX_RETRY_DELAYS`] delays, each
/// of a second to a day. Clones share them. There are as many further attempts as delays.
///
/// As text, each is a number with `s`, `m`, `h` or `d`, or a number of seconds, separated by commas
/// or spaces:
///
/// ```
/// use webhook_model::RetrySchedule;
/// let schedule: RetrySchedule = "5s, 90, 10m, 1h".parse()?;
/// assert_eq!(schedule.to_string(), "5s, 90s, 10m, 1h");
/// assert_eq!(schedule.delays().count(), 4);
/// # Ok::<(), webhook_model::Invalid>(())
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct RetrySchedule(Arc<[u32]>);

impl RetrySchedule {
    /// Returns the delays.
    pub fn delays(&self) -> impl Iterator<Item = Duration> {
        self.0
            .iter()
            .map(|delay| Duration::from_secs((*delay).into()))
    }

    /// Returns the number of further attempts: 1 to [`MAX_RETRY_DELAYS`].
    #[must_use]
    pub fn retries(&self) -> u32 {
        u32::try_from(self.0.len()).unwrap_or(u32::MAX)
    }

    /// Returns the delays in seconds, separated by commas, as a store keeps them.
    #[must_use]
    pub fn as_seconds(&self) -> String {
        let delays: Vec<_> = self.0.iter().map(ToString::to_string).collect();
        delays.join(",")
    }
}

impl FromStr for RetrySchedule {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let mut delays = Vec::new();
        let words = trim_pasted(text).split(|c: char| c == ',' || c.is_whitespace());
        for word in words.filter(|word| !word.is_empty()) {
            if delays.len() == MAX_RETRY_DELAYS {
                return Err(wrong(format!("must be at most {MAX_RETRY_DELAYS} delays")));
            }
            delays.push(delay(word)?);
        }
        match delays.is_empty() {
            true => Err(wrong("must be at least one delay".to_owned())),
            false => Ok(Self(delays.into())),
        }
    }
}

impl fmt::Display for RetrySchedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, delay) in self.0.iter().enumerate() {
            let mut units = UNITS.iter().filter(|(_, unit)| delay % unit == 0);
            let (name, unit) = units.next().copied().unwrap_or(("s", 1));
            let between = if n == 0 { "" } else { ", " };
            write!(f, "{between}{}{name}", delay / unit)?;
        }
        Ok(())
    }
}

/// Parses one delay. An error repeats the input, so that it can be found among many.
fn delay(word: &str) -> Result<u32, Invalid> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let name = word.get(digits.len()..).unwrap_or_default();
    let unit = match name {
        "" => Some(1),
        name => UNITS
            .iter()
            .find(|(unit, _)| *unit == name)
            .map(|(_, unit)| *unit),
    };
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    let number: Option<u32> = plain.then(|| digits.parse().ok()).flatten();
    let shown: String = word.chars().take(20).collect();
    match (unit, number.or(plain.then_some(u32::MAX))) {
        (Some(unit), Some(number)) => match number.saturating_mul(unit) {
            seconds @ 1..=LONGEST => Ok(seconds),
            _ => Err(wrong(format!("each delay must be 1s to 1d, not {shown}"))),
        },
        _ => Err(wrong(format!(
            "each delay must be a number with s, m, h or d, such as 30s, not {shown}"
        ))),
    }
}

fn wrong(rule: String) -> Invalid {
    Invalid::new(Field::RetrySchedule, rule)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<RetrySchedule, Invalid> {
        text.parse()
    }

    #[test]
    fn retry_schedule_parses_units_and_round_trips() {
        let schedule = read(" 5s,1m  10m, 1h 120 90,1d").unwrap();
        assert_eq!(schedule.as_seconds(), "5,60,600,3600,120,90,86400");
        assert_eq!(schedule.to_string(), "5s, 1m, 10m, 1h, 2m, 90s, 1d");
        assert_eq!(schedule.retries(), 7);
        assert_eq!(schedule.delays().nth(1), Some(Duration::from_secs(60)));
        assert_eq!(read(&schedule.to_string()).unwrap(), schedule);
        assert_eq!(read(&schedule.as_seconds()).unwrap(), schedule);
    }

    #[test]
    fn invalid_retry_delay_is_refused_quoting_input() {
        let rule = |text: &str| read(text).unwrap_err().rule().to_owned();
        for (typed, said) in [
            ("", "must be at least one delay"),
            (
                "5s, soon",
                "each delay must be a number with s, m, h or d, such as 30s, not soon",
            ),
            (
                "5 s",
                "each delay must be a number with s, m, h or d, such as 30s, not s",
            ),
            (
                "-5",
                "each delay must be a number with s, m, h or d, such as 30s, not -5",
            ),
            (
                "1.5h",
                "each delay must be a number with s, m, h or d, such as 30s, not 1.5h",
            ),
            (
                "5ms",
                "each delay must be a number with s, m, h or d, such as 30s, not 5ms",
            ),
            ("0", "each delay must be 1s to 1d, not 0"),
            ("25h", "each delay must be 1s to 1d, not 25h"),
            (
                "99999999999999d",
                "each delay must be 1s to 1d, not 99999999999999d",
            ),
        ] {
            assert_eq!(rule(typed), said, "{typed}");
        }
        assert!(rule(&"é".repeat(1_000)).len() < 200);
        assert!(read(&"1 ".repeat(100)).is_ok());
        assert_eq!(rule(&"1 ".repeat(101)), "must be at most 100 delays");
    }
}
