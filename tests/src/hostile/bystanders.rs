//! The nine, who send requests at a steady pace under all conditions.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use reqwest::{Client, StatusCode};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until};

use super::attack_kinds::login;
use super::furnish::Member;
use super::results::Phase;
use super::{Scene, client};
use crate::process;

/// The interval between the requests of each of them.
const EVERY: Duration = Duration::from_millis(100);
/// The time limit of a request.
const PATIENCE: Duration = Duration::from_secs(180);
/// The time limit of a login.
const LOGIN_PATIENCE: Duration = Duration::from_secs(60);
/// The users who log in during the attack.
const USERS: [&str; 4] = ["tina", "ulf", "uma", "wanda"];
/// The factor by which a phase may exceed its length.
const LATE: u32 = 3;
const READS: [&str; 4] = [
    "webhook_urls?fields=most&limit=20",
    "tasks?fields=name,owner&limit=20",
    "webhooks?fields=status,created&limit=20",
    "system?fields=yb_version",
];

/// Lets them work for this time.
pub(super) async fn work(scene: &Arc<Scene>, nine: &[Member], long: Duration) -> Phase {
    let (begin, mut all) = (Instant::now(), JoinSet::new());
    for (number, member) in (0_u8..).zip(nine) {
        let (scene, member) = (scene.clone(), member.clone());
        let begin = begin + EVERY * u32::from(number) / 9;
        all.spawn(async move { one(&scene, &member, begin, long).await });
    }
    let most = Arc::new(AtomicU64::new(0));
    let look = tokio::spawn(look_at_memory(scene.clone(), most.clone()));
    let mut phase = Phase::default();
    while let Some(one) = all.join_next().await {
        let one = one.unwrap();
        phase.times.extend(one.times);
        phase.errors.extend(one.errors);
        phase.occurrences += one.occurrences;
    }
    phase.times.sort();
    look.abort();
    phase.resident = most.load(SeqCst).max(resident(scene));
    phase
}

async fn look_at_memory(scene: Arc<Scene>, most: Arc<AtomicU64>) {
    let mut tick = tokio::time::interval(Duration::from_millis(50));
    loop {
        tick.tick().await;
        most.fetch_max(resident(&scene), SeqCst);
    }
}

fn resident(scene: &Scene) -> u64 {
    process::resident(scene.platform.pid()).unwrap_or_default()
}

async fn one(scene: &Scene, member: &Member, begin: Instant, long: Duration) -> Phase {
    let (mut phase, mut due) = (Phase::default(), begin);
    for step in 0_usize.. {
        // If requests take much longer than their interval, the rest would show nothing further.
        if due > begin + long || begin.elapsed() > long * LATE {
            break;
        }
        sleep_until(due).await;
        let acts = member.acts && step.is_multiple_of(2);
        match request(scene, member, acts, step).await {
            Ok(()) => phase.occurrences += usize::from(acts),
            Err(error) => phase.errors.push(error),
        }
        phase.times.push(due.elapsed());
        due += EVERY;
    }
    phase
}

async fn request(scene: &Scene, member: &Member, acts: bool, step: usize) -> Result<(), String> {
    let path = READS[step % READS.len()];
    let base = format!("http://{}/api/v4", scene.server);
    let request = if acts {
        member
            .client
            .post(format!("{base}/vms/1/poweron"))
            .body("{}")
    } else {
        member.client.get(format!("{base}/{path}"))
    };
    let request = request.bearer_auth(&member.key).timeout(PATIENCE);
    let answer = request.send().await.map_err(|error| format!("{error:?}"))?;
    let status = answer.status();
    let text = answer.text().await.map_err(|error| format!("{error:?}"))?;
    if status.is_success() {
        Ok(())
    } else {
        Err(format!("{path}: {status} {text}"))
    }
}

/// Logs in everybody whose password is not guessed, for the first time, each from their own
/// address, and again after a refusal. Returns the errors of those who have to give up.
pub(super) async fn log_in(scene: Arc<Scene>) -> Vec<String> {
    let mut errors = Vec::new();
    for (user, host) in USERS.into_iter().zip(100..) {
        let (client, began) = (client(1, host), Instant::now());
        let password = scene.platform.password_of(user).unwrap();
        while let Err(error) = log_in_once(&scene, &client, user, &password).await {
            if began.elapsed() > LOGIN_PATIENCE {
                errors.push(format!("{user}: {error}"));
                break;
            }
            sleep(EVERY).await;
        }
    }
    errors
}

async fn log_in_once(
    scene: &Scene,
    client: &Client,
    user: &str,
    password: &str,
) -> Result<(), String> {
    let base = format!("http://{}", scene.server);
    let answer = login(client, &base, user, password).send().await;
    match answer.map_err(|error| format!("{error:?}"))?.status() {
        StatusCode::CREATED => Ok(()),
        status => Err(status.to_string()),
    }
}
