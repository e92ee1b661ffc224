//! Data shown next to rows, and data about others that a new record reveals: names, counts,
//! conflicts.

use std::collections::BTreeSet;

use gatepost_keys::OwnerId;
use gatepost_storage::webhooks::RecordId;
use webhook_model::ObjectId;

use super::Door;
use crate::people::COUNTED;
use crate::users::{EVERYBODY, object, sees};
use crate::world::{NOWHERE, Rows, draft, event, task, webhook};

pub(super) const METHODS: [&str; 17] = [
    "webhook_names",
    "named_webhooks",
    "webhook_sums",
    "failing_webhooks",
    "task_names",
    "named_tasks",
    "last_runs",
    "running_tasks",
    "may_manage",
    "user",
    "rejected",
    "unreadable",
    "watchable",
    "create_key",
    "create_webhook",
    "create_task",
    "create_event",
];

/// The ids of rows and users.
type Ids = BTreeSet<ObjectId>;

pub(super) async fn findings(door: &Door<'_>) -> Vec<String> {
    let mut findings = Vec::new();
    for user in EVERYBODY {
        for (method, found, expected) in sets(door, user).await {
            if door.looks_at(method) && found != expected {
                findings.push(format!("{method}: {user}: {found:?}, not {expected:?}"));
            }
        }
        for owner in EVERYBODY {
            if sees(user).contains(&owner) {
                continue;
            }
            let of_others = refusals(door, user, &door.people.rows[&owner]).await;
            let of_nothing = refusals(door, user, &NOWHERE).await;
            for ((method, said), (_, nothing)) in of_others.into_iter().zip(of_nothing) {
                if door.looks_at(method) && (said.is_ok() || said != nothing) {
                    findings.push(format!("{method}: {user} of {owner}: {said:?}"));
                }
            }
        }
    }
    findings
}

/// Returns the sets that a user finds, each with the set expected.
async fn sets(door: &Door<'_>, user: u128) -> Vec<(&'static str, Ids, Ids)> {
    let people = door.people;
    let all = || EVERYBODY.iter().map(|user| &people.rows[user]);
    let seen = |id: fn(&Rows) -> ObjectId| -> Ids {
        let rows = sees(user).iter().map(|owner| &people.rows[owner]);
        rows.map(id).collect()
    };
    let users = || sees(user).iter().copied().map(object).collect();
    let lost = sees(user).iter().map(|owner| people.lost[owner].into());
    let webhooks = door.of(user, "webhook_names");
    let webhooks = webhooks.webhook_names(all().map(|rows| rows.webhook)).await;
    let known = door.of(user, "named_webhooks");
    let known = known.named_webhooks(all().map(|rows| rows.webhook)).await;
    let known = known.unwrap().keys().map(|id| (*id).into()).collect();
    let (from, before) = COUNTED;
    let sums = door.of(user, "webhook_sums");
    let sums = sums.webhook_sums(all().map(|rows| rows.webhook), from, before);
    let sums = sums.await.unwrap();
    let failing = door.of(user, "failing_webhooks");
    let failing = failing.failing_webhooks(from, before, 100).await.unwrap();
    let failing = failing.webhooks.iter().map(|(row, _)| row.id.into());
    let tasks = door.of(user, "task_names");
    let tasks = tasks.task_names(all().map(|rows| rows.task)).await;
    let named = door.of(user, "named_tasks");
    let named = named.named_tasks(all().map(|rows| rows.task)).await;
    let named = named.unwrap().keys().map(|id| (*id).into()).collect();
    let running = door.of(user, "running_tasks");
    let running = running.running_tasks(&people.tasks).await.unwrap();
    let runs = door.of(user, "last_runs");
    let runs = runs.last_runs(&people.tasks).await.unwrap();
    let rejected = door.of(user, "rejected").rejected(100).await.unwrap();
    let unreadable = door.of(user, "unreadable").unreadable().await.unwrap();
    let unreadable = unreadable.iter().map(|found| match found.record {
        RecordId::Webhook(id) => id.into(),
        other => panic!("{other:?}"),
    });
    let mut managed = Ids::new();
    for owner in EVERYBODY {
        let actor = door.of(user, "may_manage");
        if actor.may_manage(OwnerId(owner)).await.unwrap() {
            managed.insert(object(owner));
        }
    }
    let mut met = Ids::new();
    for owner in EVERYBODY {
        let found = door.of(user, "user").user(OwnerId(owner)).await;
        met.extend(found.ok().map(|found| object(found.owner.0)));
    }
    let webhooks = webhooks.unwrap().keys().map(|id| (*id).into()).collect();
    let tasks = tasks.unwrap().keys().map(|id| (*id).into()).collect();
    let rejected = rejected.iter().map(|count| count.webhook.into()).collect();
    vec![
        ("webhook_names", webhooks, seen(|rows| rows.webhook.into())),
        ("named_webhooks", known, seen(|rows| rows.webhook.into())),
        (
            "webhook_sums",
            sums.keys().map(|id| (*id).into()).collect(),
            seen(|rows| rows.webhook.into()),
        ),
        (
            "failing_webhooks",
            failing.collect(),
            seen(|rows| rows.webhook.into()),
        ),
        ("task_names", tasks, seen(|rows| rows.task.into())),
        ("named_tasks", named, seen(|rows| rows.task.into())),
        (
            "running_tasks",
            running.iter().map(|id| (*id).into()).collect(),
            seen(|rows| rows.task.into()),
        ),
        (
            "last_runs",
            runs.keys().map(|id| (*id).into()).collect(),
            seen(|rows| rows.task.into()),
        ),
        ("rejected", rejected, seen(|rows| rows.webhook.into())),
        ("unreadable", unreadable.collect(), lost.collect()),
        ("user", met, users()),
        ("may_manage", managed, users()),
    ]
}

/// The answer to a user who names what is another's: the same as of what is not there.
async fn refusals(
    door: &Door<'_>,
    user: u128,
    theirs: &Rows,
) -> Vec<(&'static str, Result<(), String>)> {
    let mut said = Vec::new();
    macro_rules! say {
        ($method:ident($($arg:expr),*)) => {
            if door.looks_at(stringify!($method)) {
                let answer = door.of(user, stringify!($method)).$method($($arg),*).await;
                let answer = answer.map(drop).map_err(|error| format!("{error:?}"));
                said.push((stringify!($method), answer));
            }
        };
    }
    let owner = OwnerId(theirs.owner);
    say!(user(owner));
    say!(watchable(owner, vec![event(theirs.task)]));
    say!(create_key(draft(theirs.owner, "sent")));
    say!(create_webhook(webhook(theirs.owner, "sent")));
    say!(create_task(task(user, "new", theirs.webhook)));
    say!(create_task(task(theirs.owner, "new", theirs.webhook)));
    say!(create_event(event(theirs.task)));
    said
}
