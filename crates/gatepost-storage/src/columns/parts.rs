//! Parts of webhooks, events and lanes as words and numbers.

use webhook_model::{
    Activity, Channels, DeliveryMode, ObjectId, RateLimit, RetrySchedule, TagId, Target,
};

use crate::error::{ErrorKind, StoreError};
use crate::webhooks::LaneClass;

/// The word of a webhook that sends, and of no other: what a claim looks for.
pub const SENDS: &str = "active";

const ACTIVITIES: [Activity; 3] = [Activity::Active, Activity::Paused, Activity::Disabled];

/// The word under which a webhook's activity is stored, with its mode: `active`, `paused` or
/// `disabled`, and of one that is fetched `fetched`, `fetched paused` or `fetched disabled`. One
/// column, so that whatever looks for [`SENDS`] passes over what is fetched, as over what is
/// paused.
#[must_use]
pub fn activity_word(activity: Activity, mode: DeliveryMode) -> &'static str {
    match (mode, activity) {
        (DeliveryMode::Push, Activity::Active) => SENDS,
        (DeliveryMode::Push, Activity::Paused) => "paused",
        (DeliveryMode::Push, Activity::Disabled) => "disabled",
        (DeliveryMode::Fetch, Activity::Active) => "fetched",
        (DeliveryMode::Fetch, Activity::Paused) => "fetched paused",
        (DeliveryMode::Fetch, Activity::Disabled) => "fetched disabled",
    }
}

/// The activity and the mode that [`activity_word`] writes as `word`.
///
/// # Errors
/// `Corrupt` for any other word.
pub fn parse_activity(word: &str) -> Result<(Activity, DeliveryMode), StoreError> {
    let both = |mode| ACTIVITIES.map(|activity| (activity, mode));
    let found = DeliveryMode::ALL.into_iter().flat_map(both);
    found
        .into_iter()
        .find(|(activity, mode)| activity_word(*activity, *mode) == word)
        .ok_or_else(|| StoreError::corrupt("activity", "unknown word"))
}

/// The rate limit of a column that holds messages per second, or nothing for no limit.
///
/// # Errors
/// `Corrupt` for a number that [`RateLimit::per_second`] refuses.
pub fn parse_rate(stored: Option<i64>) -> Result<Option<RateLimit>, StoreError> {
    let Some(number) = stored else {
        return Ok(None);
    };
    let number = u32::try_from(number).map_err(|e| StoreError::corrupt("rate", e))?;
    RateLimit::per_second(number)
        .map(Some)
        .map_err(|e| StoreError::corrupt("rate", e))
}

/// The channels of a column that [`Channels`] wrote as text; empty for none.
///
/// # Errors
/// `Corrupt` for what [`Channels`] refuses.
pub fn parse_channels(stored: &str) -> Result<Channels, StoreError> {
    stored
        .parse()
        .map_err(|e| StoreError::corrupt("channels", e))
}

/// A webhook's own schedule as [`RetrySchedule::as_seconds`] gives it; empty for none.
#[must_use]
pub fn retry_schedule_text(schedule: Option<&RetrySchedule>) -> String {
    schedule.map(RetrySchedule::as_seconds).unwrap_or_default()
}

/// The schedule that [`retry_schedule_text`] writes as `stored`.
///
/// # Errors
/// `Corrupt` for what [`RetrySchedule`] refuses.
pub fn parse_retry_schedule(stored: &str) -> Result<Option<RetrySchedule>, StoreError> {
    if stored.is_empty() {
        return Ok(None);
    }
    let schedule = stored.parse().map(Some);
    schedule.map_err(|e| StoreError::corrupt("retry_schedule", e))
}

/// An event's target as the two columns `(instance, tag)`, of which at most one is set.
#[must_use]
pub fn target_ids(target: Target) -> (Option<ObjectId>, Option<i64>) {
    match target {
        Target::Instance(id) => (Some(id), None),
        Target::Tag(id) => (None, Some(id.0)),
        Target::Generic => (None, None),
    }
}

/// The target that [`target_ids`] writes as these two columns.
///
/// # Errors
/// `Corrupt` when both are set, or the instance is no id.
pub fn parse_target(instance: Option<&str>, tag: Option<i64>) -> Result<Target, StoreError> {
    match (instance, tag) {
        (Some(id), None) => {
            let id = id.parse();
            let id = id.map_err(|_| StoreError::new(ErrorKind::Corrupt, "event: instance"))?;
            Ok(Target::Instance(id))
        }
        (None, Some(id)) => Ok(Target::Tag(TagId(id))),
        (None, None) => Ok(Target::Generic),
        (Some(_), Some(_)) => Err(StoreError::new(
            ErrorKind::Corrupt,
            "event: both instance and tag are set",
        )),
    }
}

/// The number under which a lane's class is stored: 0 for first attempts, 1 for retries, 2
/// for what is to be claimed alone.
#[must_use]
pub fn class_number(class: LaneClass) -> i16 {
    match class {
        LaneClass::First => 0,
        LaneClass::Retry => 1,
        LaneClass::Alone => 2,
    }
}

/// The class that [`class_number`] writes as `number`.
#[must_use]
pub fn class_of(number: i16) -> LaneClass {
    match number {
        0 => LaneClass::First,
        1 => LaneClass::Retry,
        _ => LaneClass::Alone,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_reads_back_as_it_was_written() {
        for (activity, mode) in DeliveryMode::ALL
            .into_iter()
            .flat_map(|m| ACTIVITIES.map(|a| (a, m)))
        {
            let word = activity_word(activity, mode);
            assert_eq!(parse_activity(word).unwrap(), (activity, mode));
            let sends = (activity, mode) == (Activity::Active, DeliveryMode::Push);
            assert_eq!(word == SENDS, sends, "{word}");
        }
        for class in [LaneClass::First, LaneClass::Retry, LaneClass::Alone] {
            assert_eq!(class_of(class_number(class)), class);
        }
        let targets = [
            Target::Instance("i-7".parse().unwrap()),
            Target::Tag(TagId(i64::MAX)),
            Target::Generic,
        ];
        for target in targets {
            let (instance, tag) = target_ids(target);
            let instance = instance.as_ref().map(ObjectId::as_str);
            assert_eq!(parse_target(instance, tag).unwrap(), target);
        }
        let rate = RateLimit::per_second(12).unwrap();
        assert_eq!(parse_rate(Some(12)).unwrap(), Some(rate));
        assert_eq!(parse_rate(None).unwrap(), None);
        for text in ["", "a, b"] {
            assert_eq!(parse_channels(text).unwrap().to_string(), text);
        }
        for text in ["", "5,60"] {
            let schedule = parse_retry_schedule(text).unwrap();
            assert_eq!(retry_schedule_text(schedule.as_ref()), text);
        }
    }

    #[test]
    fn what_no_writer_wrote_is_corrupt() {
        let refused = [
            parse_activity("Active").err(),
            parse_rate(Some(-1)).err(),
            parse_rate(Some(0)).err(),
            parse_rate(Some(i64::MAX)).err(),
            parse_target(Some("1"), Some(2)).err(),
            parse_channels("a/b").err(),
            parse_retry_schedule("soon").err(),
        ];
        for (at, error) in refused.into_iter().enumerate() {
            assert_eq!(error.map(|e| e.kind()), Some(ErrorKind::Corrupt), "{at}");
        }
    }
}
