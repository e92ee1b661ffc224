//! The name server that the operating system asks in the namespace: RFC 1035 messages, answers by a
//! script.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use tokio::net::UdpSocket;

const A: u16 = 1;
const CNAME: u16 = 5;
const AAAA: u16 = 28;

/// Serves the names of the test on the address that `/etc/resolv.conf` names (here every address is
/// this machine).
pub(crate) async fn serve() {
    let resolv = std::fs::read_to_string("/etc/resolv.conf").unwrap_or_default();
    let server = resolv
        .lines()
        .find_map(|line| line.strip_prefix("nameserver ")?.trim().parse().ok())
        .unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
    let socket = UdpSocket::bind(SocketAddr::new(server, 53)).await.unwrap();
    tokio::spawn(async move {
        let mut asked = HashMap::new();
        let mut packet = [0; 1500];
        loop {
            let (length, from) = socket.recv_from(&mut packet).await.unwrap();
            if let Some(answer) = answer(&packet[..length], &mut asked) {
                socket.send_to(&answer, from).await.unwrap();
            }
        }
    });
}

/// Returns the answer for a name: the aliases in a row, and the addresses at the end.
fn script(name: &str, times: usize) -> Option<(Vec<String>, Vec<IpAddr>)> {
    let addrs = |all: &[&str]| all.iter().map(|a| a.parse().unwrap()).collect();
    // The system resolver sends `localhost.` like any other name.
    let (labels, zone) = name.split_once('.').unwrap_or((name, ""));
    Some(match (labels, zone) {
        ("public", "test") => (vec![], addrs(&["93.184.216.34"])),
        ("six-public", "test") => (vec![], addrs(&["2606:4700::1111"])),
        ("alias-public", "test") => (vec!["public.test".into()], addrs(&["93.184.216.34"])),
        ("localhost", "") => (vec![], addrs(&["127.0.0.1", "::1"])),
        ("six", "test") => (vec![], addrs(&["fd00::1"])),
        ("six-local", "test") => (vec![], addrs(&["::1"])),
        ("six-mapped", "test") => (vec![], addrs(&["::ffff:127.0.0.1"])),
        ("six-nat", "test") => (vec![], addrs(&["64:ff9b::a9fe:a9fe"])),
        ("both", "test") => (vec![], addrs(&["93.184.216.34", "::1"])),
        ("alias", "test") => (vec!["localhost".into()], addrs(&["127.0.0.1"])),
        ("alias-chain", "test") => (
            vec!["a.test".into(), "b.test".into(), "metadata.internal".into()],
            addrs(&["169.254.169.254"]),
        ),
        ("rebind", "test") if times == 0 => (vec![], addrs(&["93.184.216.34"])),
        ("rebind", "test") => (vec![], addrs(&["127.0.0.1"])),
        // `10-0-0-1.in.test`, several joined by `--`.
        (spelled, "in.test") => {
            let all = spelled.split("--").map(|a| a.replace('-', ".").parse());
            (vec![], all.collect::<Result<_, _>>().ok()?)
        }
        _ => return None,
    })
}

fn answer(question: &[u8], asked: &mut HashMap<(String, u16), usize>) -> Option<Vec<u8>> {
    let (name, end) = read_name(question, 12)?;
    let kind = u16::from_be_bytes([*question.get(end)?, *question.get(end + 1)?]);
    let times = asked.entry((name.clone(), kind)).or_default();
    let found = script(&name, *times);
    *times += 1;
    let mut records = Vec::new();
    let mut count: u16 = 0;
    if let Some((aliases, addrs)) = &found {
        let mut owner = name;
        for alias in aliases {
            record(&mut records, &owner, CNAME, &encode(alias));
            count += 1;
            owner.clone_from(alias);
        }
        for addr in addrs {
            match (addr, kind) {
                (IpAddr::V4(v4), A) => record(&mut records, &owner, A, &v4.octets()),
                (IpAddr::V6(v6), AAAA) => record(&mut records, &owner, AAAA, &v6.octets()),
                _ => continue,
            }
            count += 1;
        }
    }
    let mut message = question[..2].to_vec();
    // A response, authoritative, recursion available; NXDOMAIN for names that are not in the
    // script.
    message.extend_from_slice(&[0x85, if found.is_some() { 0x80 } else { 0x83 }]);
    message.extend_from_slice(&[0, 1]);
    message.extend_from_slice(&count.to_be_bytes());
    message.extend_from_slice(&[0, 0, 0, 0]);
    message.extend_from_slice(&question[12..end + 4]);
    message.extend_from_slice(&records);
    Some(message)
}

fn record(into: &mut Vec<u8>, owner: &str, kind: u16, data: &[u8]) {
    into.extend_from_slice(&encode(owner));
    into.extend_from_slice(&kind.to_be_bytes());
    into.extend_from_slice(&[0, 1, 0, 0, 0, 0]); // IN, not to be kept
    into.extend_from_slice(&u16::try_from(data.len()).unwrap().to_be_bytes());
    into.extend_from_slice(data);
}

fn encode(name: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for label in name.split('.') {
        bytes.push(u8::try_from(label.len()).unwrap());
        bytes.extend_from_slice(label.as_bytes());
    }
    bytes.push(0);
    bytes
}

/// A name in lower case, and where it ends.
fn read_name(message: &[u8], mut at: usize) -> Option<(String, usize)> {
    let mut labels = Vec::new();
    loop {
        let length = usize::from(*message.get(at)?);
        let label = message.get(at + 1..at + 1 + length)?;
        at += 1 + length;
        if length == 0 {
            return Some((labels.join("."), at));
        }
        labels.push(String::from_utf8_lossy(label).to_lowercase());
    }
}
