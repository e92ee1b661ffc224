use super::*;
use crate::serve::connection::OpenRequest;

fn limits(connections: usize, connections_per_network: usize) -> ServeLimits {
    ServeLimits {
        connections,
        connections_per_network,
        ..ServeLimits::default()
    }
}

fn network(address: &str) -> Network {
    Network::from(address.parse::<IpAddr>().unwrap())
}

fn begin(place: &Place) -> OpenRequest {
    OpenRequest::new(place.connection.clone(), false)
}

fn work(place: &Place) -> OpenRequest {
    let mut request = begin(place);
    request.works();
    request
}

/// Returns whether the connection was removed.
fn evicted(place: &Place) -> bool {
    let table = place.connections.lock();
    let mut open = table.networks.values().flatten();
    !open.any(|one| Arc::ptr_eq(one, &place.connection))
}

#[test]
fn network_is_ipv4_address_or_ipv6_slash_64() {
    assert_eq!(network("::ffff:192.0.2.1"), network("192.0.2.1"));
    assert_ne!(network("192.0.2.2"), network("192.0.2.1"));
    assert_eq!(network("2001:db8:1:2::3"), network("2001:db8:1:2:ffff::9"));
    assert_ne!(network("2001:db8:1:2::3"), network("2001:db8:1:3::3"));
}

#[tokio::test]
async fn longest_idle_connection_is_closed_first() {
    let (all, limits) = (Connections::default(), limits(3, 3));
    let admit = |address: &str| all.admit(network(address), &limits);
    let [first, second, third] =
        ["192.0.2.1", "192.0.2.2", "192.0.2.3"].map(|address| admit(address).unwrap());
    let _working = work(&first);
    drop(work(&second));
    let new = admit("192.0.2.4").unwrap();
    assert_eq!(
        [&first, &second, &third].map(evicted),
        [false, false, true],
        "the first works, the second was served"
    );
    let _others = [work(&second), work(&new)];
    assert!(admit("192.0.2.5").is_none(), "all work");
    drop(new);
    assert!(admit("192.0.2.5").is_some());
}

#[tokio::test(start_paused = true)]
async fn network_over_its_limit_closes_only_its_own() {
    let (all, limits) = (Connections::default(), limits(10, 2));
    let admit = |address: &str| all.admit(network(address), &limits);
    let other = admit("192.0.2.9").unwrap();
    let [first, second] = ["192.0.2.1"; 2].map(|address| admit(address).unwrap());
    let _working = work(&first);
    let third = admit("192.0.2.1").unwrap();
    assert!(evicted(&second) && !evicted(&first) && !evicted(&other));
    drop(work(&third));
    assert!(admit("192.0.2.1").is_none(), "the third was just served");
    assert!(admit("192.0.2.9").is_some());
    tokio::time::advance(KEPT).await;
    assert!(admit("192.0.2.1").is_some() && evicted(&third));
}

#[tokio::test]
async fn slow_first_request_evicted_between_silent_and_served() {
    let (all, limits) = (Connections::default(), limits(3, 3));
    let admit = || all.admit(network("192.0.2.1"), &limits);
    let [slow, served, silent] = [(); 3].map(|()| admit().unwrap());
    let _slow = begin(&slow);
    drop(work(&served));
    let new = admit().unwrap();
    assert_eq!([&slow, &served, &silent].map(evicted), [false, false, true]);
    let _new = work(&new);
    let _newer = admit().unwrap();
    assert_eq!([&slow, &served, &new].map(evicted), [true, false, false]);
}

/// The counts equal the open connections after any sequence of changes.
#[tokio::test]
async fn nothing_is_left_behind() {
    let (all, limits) = (Connections::default(), limits(5, 3));
    let (mut places, mut requests) = (Vec::new(), Vec::new());
    for step in 0_u8..200 {
        let address = IpAddr::from([192, 0, 2, step % 7]);
        places.extend(all.admit(address.into(), &limits));
        requests.extend(places.get(usize::from(step) % 3).map(work));
        requests.truncate(2);
        if step.is_multiple_of(5) {
            places.swap_remove(0);
        }
        places.retain(|place| !evicted(place));
        assert_eq!(all.lock().open, places.len());
    }
    drop(places);
    assert!(all.lock().open == 0 && all.lock().networks.is_empty());
}
