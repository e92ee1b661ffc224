use super::*;
use crate::ConnectFault;

const REFUSED: AttemptOutcome = Err(ErrorClass::Connect(ConnectFault::Refused));

fn at(secs: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(secs, 0).unwrap()
}

/// Times at which a dead host is tried within an hour, when someone asks every second.
fn tries(gate: &mut HostGate) -> Vec<i64> {
    (0..3600)
        .filter(|secs| {
            let entered = gate.enter(at(*secs)).is_ok();
            if entered {
                gate.leave(&REFUSED, at(*secs));
            }
            entered
        })
        .collect()
}

#[test]
fn a_dead_host_is_asked_less_and_less_but_never_given_up() {
    let tries = tries(&mut HostGate::new(32));
    assert_eq!(tries[..10], [0, 1, 2, 3, 5, 9, 17, 33, 65, 125]);
    assert!(tries.windows(2).skip(8).all(|pair| pair[1] - pair[0] == 60));
}

#[test]
fn one_probe_at_a_time_and_an_answer_opens_the_gate() {
    let mut gate = HostGate::new(32);
    tries(&mut gate);
    assert_eq!(gate.enter(at(4000)), Ok(()));
    assert_eq!(gate.enter(at(4000)), Err(GateClosed::Full));
    gate.leave(&Err(ErrorClass::Status(500)), at(4000));
    assert_eq!((0..40).filter(|_| gate.enter(at(4000)).is_ok()).count(), 32);
}

#[test]
fn strain_halves_the_limit_and_successes_raise_it_one_a_round() {
    let mut gate = HostGate::new(32);
    for expected in [16, 8, 4, 2, 1, 1] {
        gate.enter(at(0)).unwrap();
        gate.leave(&Err(ErrorClass::Status(429)), at(0));
        assert_eq!(gate.limit(), expected);
    }
    let mut successes = 0;
    while gate.limit() < 32 {
        gate.enter(at(0)).unwrap();
        gate.leave(&Ok(200), at(0));
        successes += 1;
    }
    assert!(
        (400..700).contains(&successes),
        "about 1 + 2 + … + 31: {successes}"
    );
    gate.leave(&Ok(200), at(0));
    assert_eq!(gate.limit(), 32, "never above the ceiling");
}

#[test]
fn a_clock_set_back_closes_the_gate_for_a_minute_at_most() {
    let mut gate = HostGate::new(1);
    for _ in 0..20 {
        gate.leave(&REFUSED, at(1_000_000));
    }
    assert_eq!(gate.enter(at(0)), Err(GateClosed::Until(at(60))));
    assert_eq!(gate.enter(at(60)), Ok(()));
}

#[test]
fn what_never_left_this_machine_says_nothing_about_the_host() {
    let mut gate = HostGate::new(4);
    gate.leave(&REFUSED, at(0));
    gate.leave(&REFUSED, at(0));
    gate.leave(&Err(ErrorClass::Build(crate::BuildError::Url)), at(0));
    gate.leave(&REFUSED, at(0));
    assert!(gate.enter(at(0)).is_err(), "the third failure counts");
    gate.abandon();
    assert_eq!(gate.in_flight(), 0);
}
