use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use gatepost_keys::OwnerId;

use super::*;

const UNKNOWN: Lane = Lane {
    caller: Caller::Unknown,
    credential: None,
    whole: true,
};

type Take<'a> = Pin<Box<dyn Future<Output = Option<Turn>> + 'a>>;

fn user(number: u128) -> Lane {
    Lane {
        caller: Caller::User(OwnerId(number)),
        credential: None,
        whole: true,
    }
}

/// A user has a quarter of them.
fn turns(most: usize, most_waiting: usize) -> Turns {
    Turns::new(&ServeLimits {
        requests_per_network: most,
        requests_per_user: most,
        waiting_per_network: most_waiting,
        ..ServeLimits::default()
    })
}

/// A request that waits or has its turn.
fn begun<'a>(turns: &'a Turns, lane: Lane) -> Take<'a> {
    let mut take: Take<'a> = Box::pin(turns.take(lane));
    // Which is in line from here on.
    match look(&mut take) {
        Poll::Pending => take,
        Poll::Ready(turn) => Box::pin(std::future::ready(turn)),
    }
}

fn look(take: &mut Take<'_>) -> Poll<Option<Turn>> {
    take.as_mut().poll(&mut Context::from_waker(Waker::noop()))
}

/// Its turn, which it has to have.
fn had(take: &mut Take<'_>) -> Turn {
    match look(take) {
        Poll::Ready(Some(turn)) => turn,
        other => panic!("{other:?}"),
    }
}

fn waits(take: &mut Take<'_>) -> bool {
    look(take).is_pending()
}

/// Whether or not the requests are here as a whole.
#[test]
fn one_caller_has_a_quarter_of_the_turns_and_others_find_one() {
    let turns = turns(8, 100);
    let mut his: Vec<_> = [true, false, true, false]
        .map(|whole| begun(&turns, Lane { whole, ..user(1) }))
        .into();
    let held: Vec<_> = his.iter_mut().take(2).map(had).collect();
    assert!(his[2..].iter_mut().all(waits), "a quarter of them");
    let others: Vec<_> = (2..6)
        .map(|other| had(&mut begun(&turns, user(other))))
        .collect();
    assert!(his[2..].iter_mut().all(waits));
    drop((held, others, his));
    assert!(turns.board().is_empty());
}

#[test]
fn a_user_has_no_more_than_one_user_may() {
    let turns = Turns::new(&ServeLimits {
        requests_per_network: 64,
        requests_per_user: 2,
        ..ServeLimits::default()
    });
    let mut his: Vec<_> = (0..3).map(|_| begun(&turns, user(1))).collect();
    let first = had(&mut his[0]);
    let _second = had(&mut his[1]);
    assert!(waits(&mut his[2]));
    let _hers = had(&mut begun(&turns, user(2)));
    drop(first);
    let _third = had(&mut his[2]);
}

/// One with sixty delays another by one.
#[test]
fn turns_go_round_among_callers_and_not_among_requests() {
    let turns = turns(1, 100);
    let mut turn = had(&mut begun(&turns, user(1)));
    let mut his: Vec<_> = (0..60).map(|_| begun(&turns, user(1))).collect();
    let mut other = begun(&turns, user(2));
    let mut third = begun(&turns, user(3));
    let mut hers = begun(&turns, user(2));
    for next in [&mut his[0], &mut other, &mut third] {
        assert!(waits(next));
        drop(turn);
        turn = had(next);
    }
    drop(turn);
    turn = had(&mut his[1]);
    assert!(waits(&mut hers));
    drop(turn);
    let _turn = had(&mut hers);
    assert!(waits(&mut his[2]));
}

/// Made-up credentials are all one caller's.
#[test]
fn who_is_known_does_not_stand_behind_those_who_are_not() {
    let turns = turns(1, 100);
    let turn = had(&mut begun(&turns, UNKNOWN));
    let mut made_up: Vec<_> = (0..60).map(|_| begun(&turns, UNKNOWN)).collect();
    let mut known = begun(&turns, user(1));
    drop(turn);
    let turn = had(&mut made_up[0]);
    drop(turn);
    let _turn = had(&mut known);
}

/// At first nobody is known.
#[test]
fn who_is_new_does_not_stand_behind_the_queue_of_another_who_is() {
    let turns = turns(1, 100);
    let headers = |key: &str| {
        let value = format!("Bearer {key}").parse().unwrap();
        [(axum::http::header::AUTHORIZATION, value)]
            .into_iter()
            .collect()
    };
    let callers = crate::serve::callers::Callers::default();
    let new = |key: &str| Lane {
        credential: callers.credential(&headers(key)),
        ..UNKNOWN
    };
    let turn = had(&mut begun(&turns, new("his")));
    let mut his: Vec<_> = (0..60).map(|_| begun(&turns, new("his"))).collect();
    let mut hers = begun(&turns, new("hers"));
    drop(turn);
    let turn = had(&mut his[0]);
    drop(turn);
    let _turn = had(&mut hers);
}

#[test]
fn who_has_sent_everything_does_not_stand_behind_those_who_have_not() {
    let turns = turns(1, 100);
    let slow = Lane {
        whole: false,
        ..UNKNOWN
    };
    let turn = had(&mut begun(&turns, slow));
    let mut slow: Vec<_> = (0..60).map(|_| begun(&turns, slow)).collect();
    let mut whole = begun(&turns, UNKNOWN);
    drop(turn);
    let turn = had(&mut slow[0]);
    drop(turn);
    let _turn = had(&mut whole);
}

#[test]
fn when_too_many_wait_the_last_of_the_longest_lane_leaves() {
    let turns = turns(1, 5);
    let _turn = had(&mut begun(&turns, user(1)));
    let mut his: Vec<_> = (0..4).map(|_| begun(&turns, user(1))).collect();
    let mut others: Vec<_> = (2..5).map(|other| begun(&turns, user(other))).collect();
    let refused = |take: &mut Take<'_>| matches!(look(take), Poll::Ready(None));
    assert!(refused(&mut his[3]) && refused(&mut his[2]));
    assert!(his[..2].iter_mut().all(waits) && others.iter_mut().all(waits));
    let mut own = begun(&turns, user(1));
    assert!(refused(&mut own), "it is the last of the longest itself");
}

/// A turn is wanted where giving it up helps another: never to one who has as many.
#[test]
fn a_turn_is_wanted_by_the_same_caller_or_by_one_who_has_fewer() {
    let turns = turns(2, 100);
    let his = had(&mut begun(&turns, user(1)));
    assert!(!his.claim().is_wanted(), "nobody waits");
    let mut again = begun(&turns, user(1));
    assert!(waits(&mut again));
    assert!(his.claim().is_wanted(), "by the own next one");
    let hers = had(&mut begun(&turns, user(2)));
    assert!(!hers.claim().is_wanted(), "he has one");
    let third = begun(&turns, user(3));
    assert!(hers.claim().is_wanted() && his.claim().is_wanted());
    drop(third);
    assert!(!hers.claim().is_wanted());
}

/// However requests end, turns come back and nothing is kept.
#[test]
fn nothing_is_left_behind() {
    let turns = turns(3, 8);
    let (mut taken, mut waiting) = (Vec::new(), Vec::new());
    for step in 0_usize..500 {
        let number = (step % 5) as u128;
        let mut take: Take<'_> = Box::pin(turns.take(user(number)));
        match look(&mut take) {
            Poll::Ready(turn) => taken.extend(turn),
            Poll::Pending => waiting.push(take),
        }
        if step.is_multiple_of(3) && !taken.is_empty() {
            taken.swap_remove(step % taken.len());
        }
        // Some of these have been given a turn that they never took.
        if step.is_multiple_of(2) && !waiting.is_empty() {
            drop(waiting.swap_remove(step % waiting.len()));
        }
    }
    drop((taken, waiting));
    assert!(turns.board().is_empty());
    let all: Vec<_> = (1..4).map(|n| had(&mut begun(&turns, user(n)))).collect();
    assert_eq!(all.len(), 3, "all are free again");
}
