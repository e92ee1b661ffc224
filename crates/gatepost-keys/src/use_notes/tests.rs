use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

const KEY: KeyId = KeyId(7);
/// In seconds.
const DAY: i64 = 86_400;

fn at(second: i64) -> DateTime<Utc> {
    let first: DateTime<Utc> = "2026-01-01T00:00:00Z".parse().unwrap();
    first + chrono::TimeDelta::seconds(second)
}

fn login(second: i64) -> Outcome {
    Outcome::LoggedIn(LastLogin {
        at: at(second),
        from: "10.0.0.1".parse().unwrap(),
    })
}

#[test]
fn a_day_ends_at_midnight_in_utc() {
    let mut noted = Noted::default();
    assert!(noted.add(KEY, login(DAY - 1)).is_none());
    assert!(noted.add(KEY, Outcome::Refused(at(DAY - 1))).is_none());
    let ended = noted.add(KEY, login(DAY)).unwrap();
    assert_eq!(
        (ended.day, ended.used, ended.refused),
        (at(0).date_naive(), 1, 1)
    );
    let mut notes = Notes::default();
    notes.take(KEY, noted);
    assert_eq!(notes.uses[0].day, at(DAY).date_naive());
    assert_eq!(notes.uses[0].used, 1);
}

#[test]
fn clock_set_back_reopens_no_day() {
    let mut noted = Noted::default();
    noted.add(KEY, login(DAY));
    for _ in 0..1_000 {
        assert!(noted.add(KEY, login(0)).is_none());
        assert!(noted.add(KEY, login(DAY)).is_none());
    }
}

proptest! {
    /// Whenever notes are taken and however often a day ends, they add up.
    #[test]
    fn uses_taken_at_any_time_add_up(
        steps in proptest::collection::vec((0..6 * DAY, any::<bool>(), 0..4_u8), 0..200)
    ) {
        let mut wanted: BTreeMap<NaiveDate, (u64, u64)> = BTreeMap::new();
        let (mut noted, mut notes, mut now) = (Noted::default(), Notes::default(), 0);
        for (step, is_login, take) in steps {
            now += step / 40;
            let outcome = if is_login { login(now) } else { Outcome::Refused(at(now)) };
            let day = wanted.entry(at(now).date_naive()).or_default();
            day.0 += u64::from(is_login);
            day.1 += u64::from(!is_login);
            notes.uses.extend(noted.add(KEY, outcome));
            if take == 0 {
                notes.take(KEY, std::mem::take(&mut noted));
            }
        }
        notes.take(KEY, noted);
        let mut found: BTreeMap<NaiveDate, (u64, u64)> = BTreeMap::new();
        for uses in KeyUse::merged(&notes.uses) {
            let before = found.insert(uses.day, (uses.used, uses.refused));
            prop_assert!(before.is_none(), "one row of each day");
        }
        prop_assert_eq!(found, wanted);
    }
}
