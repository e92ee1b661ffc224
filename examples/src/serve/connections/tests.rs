use gatepost_keys::OwnerId;

use super::*;

fn connections(all: usize, of_network: usize) -> Connections {
    Connections::new(Arc::new(ServeLimits {
        connections: all,
        connections_per_network: of_network,
        ..ServeLimits::default()
    }))
}

fn network(address: &str) -> Network {
    Network::from(address.parse::<IpAddr>().unwrap())
}

/// Returns whether the connection was asked to end.
fn evicted(place: &Place) -> bool {
    let mut leave = std::pin::pin!(place.must_leave());
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    leave.as_mut().poll(&mut context).is_ready()
}

#[test]
fn a_network_is_an_ipv4_address_or_a_64_of_ipv6() {
    assert_eq!(network("::ffff:192.0.2.1"), network("192.0.2.1"));
    assert_ne!(network("192.0.2.2"), network("192.0.2.1"));
    assert_eq!(network("2001:db8:1:2::3"), network("2001:db8:1:2:ffff::9"));
    assert_ne!(network("2001:db8:1:2::3"), network("2001:db8:1:3::3"));
}

#[test]
fn the_longest_idle_makes_room() {
    let all = connections(3, 3);
    let places: Vec<_> = ["192.0.2.1", "192.0.2.2", "192.0.2.3"]
        .map(|a| all.admit(network(a)).unwrap())
        .into();
    places[0].busy();
    places[1].busy();
    places[1].idle();
    let new = all.admit(network("192.0.2.4")).unwrap();
    assert_eq!(
        places.iter().map(evicted).collect::<Vec<_>>(),
        [false, false, true],
        "the first works, the second was idle for less long"
    );
    places[1].busy();
    new.busy();
    assert!(all.admit(network("192.0.2.5")).is_none(), "all work");
    drop(new);
    assert!(all.admit(network("192.0.2.5")).is_some());
}

#[test]
fn who_is_over_the_limit_makes_room_in_the_own_network_alone() {
    let all = connections(10, 2);
    let other = all.admit(network("192.0.2.9")).unwrap();
    let first = all.admit(network("192.0.2.1")).unwrap();
    let second = all.admit(network("192.0.2.1")).unwrap();
    first.busy();
    let third = all.admit(network("192.0.2.1")).unwrap();
    assert!(evicted(&second) && !evicted(&first) && !evicted(&other));
    third.busy();
    assert!(all.admit(network("192.0.2.1")).is_none());
    assert!(all.admit(network("192.0.2.9")).is_some());
}

/// Other users behind the same address keep their connections, also those that wait for the rest of
/// a body.
#[test]
fn in_a_network_who_has_most_makes_room() {
    let all = connections(10, 5);
    let of = |user: u128| {
        let place = all.admit(network("192.0.2.1")).unwrap();
        place.is_of(Caller::User(OwnerId(user)));
        place
    };
    let hers = [of(1), of(2)];
    let mut his = vec![of(3), of(3), of(3)];
    his[0].busy();
    his[0].receiving();
    for _ in 0..20 {
        his.push(of(3));
        let left: Vec<_> = his.extract_if(.., |place| evicted(place)).collect();
        assert_eq!((left.len(), his.len()), (1, 3));
        assert!(!hers.iter().any(evicted));
    }
    let new = all.admit(network("192.0.2.1")).unwrap();
    assert!(!hers.iter().any(evicted));
    drop(new);
}

#[test]
fn who_waits_for_a_body_makes_no_room_for_other_networks() {
    let all = connections(1, 1);
    let first = all.admit(network("192.0.2.1")).unwrap();
    first.receiving();
    assert!(all.admit(network("192.0.2.2")).is_none());
    assert!(all.admit(network("192.0.2.1")).is_some() && evicted(&first));
}

/// The counts equal the open connections after any sequence of changes.
#[test]
fn nothing_is_left_behind() {
    let all = connections(5, 3);
    let mut places = Vec::new();
    for step in 0_u8..200 {
        let address = IpAddr::from([192, 0, 2, step % 7]);
        if let Some(place) = all.admit(address.into()) {
            places.push(place);
        }
        if let Some(place) = places.get(usize::from(step) % 3) {
            place.busy();
            place.busy();
        }
        if let Some(place) = places.get(usize::from(step) % 4) {
            place.receiving();
            place.idle();
            place.idle();
        }
        if let Some(place) = places.get(usize::from(step) % 5) {
            place.is_of(Caller::User(OwnerId(u128::from(step % 2))));
        }
        if step.is_multiple_of(5) {
            places.swap_remove(0);
        }
        places.retain(|place| !evicted(place));
        assert_eq!(all.lock().len(), places.len());
    }
    drop(places);
    assert!(all.lock().is_empty());
}
