//! The console's routes.

use std::fmt::Display;
use std::sync::Arc;

use async_trait::async_trait;
use axum::Router;
use axum::http::request::Parts as Head;
use gatepost_console::{Console, ConsoleLogin, LoggedIn, Visit};
use gatepost_manage::Operation;
use webhook_model::OwnerId;

use super::act::{Act, request};
use super::site::{DoorSite, Parts, Roof};
use crate::browser::Page;

/// A ticket of the length that the console issues.
const TICKET: &str = "AAAAAAAAAAAAAAAAAAAAAA";

/// The console at `/console`.
#[derive(Clone, Copy, Debug)]
pub struct Pages;

/// A login whose session cookie holds the user's number.
#[derive(Debug)]
struct ByCookie;

#[async_trait]
impl ConsoleLogin for ByCookie {
    async fn who(&self, request: &Head, _visit: Visit) -> Option<LoggedIn> {
        let cookie = request.headers.get("cookie")?.to_str().ok()?;
        let user = cookie.strip_prefix("user=")?;
        match user {
            "panics" => panic!("the login panics on purpose"),
            "hangs" => std::future::pending().await,
            _ => {}
        }
        Some(LoggedIn::new(OwnerId(user.parse().ok()?), user, user))
    }

    fn login_url(&self, _back: &str) -> String {
        "/login".into()
    }
}

/// A route: its act, its path, its fields, the store's method and which of its calls, table and
/// word of the record.
type Route = (
    &'static str,
    String,
    String,
    (&'static str, u64),
    (&'static str, Operation),
);

#[async_trait]
impl Roof for Pages {
    fn mount(&self, parts: &Parts) -> Router {
        let console = Console::builder(parts.management.clone(), Arc::new(ByCookie)).build();
        console.router()
    }

    async fn acts(&self, site: &DoorSite) -> Vec<Act> {
        let csrf = token(site, 1).await;
        let routes = forms(site).into_iter().chain(buttons(site));
        let act = |(what, path, fields, held, (table, operation)): Route| Act {
            what,
            spelling: format!("POST {path} {fields}"),
            request: post(1, &path, &csrf, &fields),
            held,
            table,
            operation,
        };
        routes.map(act).collect()
    }
}

/// Returns the bytes of a form as a browser would send it for this user.
#[must_use]
pub fn post(user: u128, path: &str, csrf: &str, fields: &str) -> Vec<u8> {
    let cookie = format!("Cookie: user={user}");
    let kind = "Content-Type: application/x-www-form-urlencoded";
    let body = format!("csrf={csrf}&{fields}");
    request("POST", path, &[&cookie, kind], &body)
}

/// Returns the token against forged requests in the pages of this user.
///
/// # Panics
/// If there is no page, or no token in it.
pub async fn token(site: &DoorSite, user: u128) -> String {
    let page = page(site, user, "/console/tasks/new").await;
    let hidden = page.hidden();
    let csrf = hidden.into_iter().find(|(name, _)| name == "csrf");
    csrf.unwrap().1
}

/// Returns a page as this user sees it.
///
/// # Panics
/// If there is no response.
pub async fn page(site: &DoorSite, user: impl Display, path: &str) -> Page {
    let request = reqwest::Client::new().get(format!("http://{}{path}", site.addr));
    let cookie = format!("user={user}");
    let response = request.header("cookie", cookie).send().await.unwrap();
    Page {
        status: response.status().as_u16(),
        headers: response.headers().clone(),
        html: response.text().await.unwrap(),
    }
}

/// Returns the forms to create, edit and delete of each page.
fn forms(site: &DoorSite) -> Vec<Route> {
    use Operation::{Create, Delete, Roll, Update};
    let rows = site.rows;
    let key = format!("ticket={TICKET}&name=new&expires_type=90");
    let hook = "url=http://127.0.0.1:9/&auth=none&header_mode=rows&timeout=5&retries=0&enabled=on";
    let task = format!("webhook={}&message=x&enabled=on", rows.webhook);
    let event = format!("type=alarms&event=raised&task={}", rows.task);
    #[rustfmt::skip]
    let table = [
        ("create key", "keys/new".to_owned(), key, "insert_key", "user_api_keys", Create),
        ("edit key", format!("keys/{}/edit", rows.key.0), "name=other&expires_type=keep".into(), "update_key", "user_api_keys", Update),
        ("roll key", format!("keys/{}/roll", rows.key.0), format!("ticket={TICKET}&overlap=0"), "roll_key", "user_api_keys", Roll),
        ("delete key", format!("keys/{}/delete", rows.key.0), String::new(), "delete_key", "user_api_keys", Delete),
        ("create webhook", "webhooks/new".into(), format!("ticket={TICKET}&name=new&sign=on&{hook}"), "insert_webhook", "webhook_urls", Create),
        ("edit webhook", format!("webhooks/{}/edit", rows.webhook), format!("name=other&{hook}"), "update_webhook", "webhook_urls", Update),
        ("delete webhook", format!("webhooks/{}/delete", rows.paused), String::new(), "delete_webhook", "webhook_urls", Delete),
        ("create task", "tasks/new".into(), format!("name=new&{task}"), "insert_task", "tasks", Create),
        ("edit task", format!("tasks/{}/edit", rows.task), format!("name=other&{task}"), "update_task", "tasks", Update),
        ("delete task", format!("tasks/{}/delete", rows.task), String::new(), "delete_task", "tasks", Delete),
        ("create event", "events/new".into(), event.clone(), "insert_event", "task_events", Create),
        ("edit event", format!("events/{}/edit", rows.event), event, "update_event", "task_events", Update),
        ("delete event", format!("events/{}/delete", rows.event), String::new(), "delete_event", "task_events", Delete),
    ];
    let route = table.map(|(what, path, fields, held, of, operation)| {
        let path = format!("/console/{path}");
        (what, path, fields, (held, 1), (of, operation))
    });
    route.into()
}

/// Returns every button that is its own form.
fn buttons(site: &DoorSite) -> Vec<Route> {
    use Operation::{
        Cancel, Disable, Enable, Pause, Replay, Resume, Retry, RotateSecret, Run, SendTest, Test,
        Trigger, Update,
    };
    let rows = site.rows;
    let (webhook, paused) = (
        format!("webhooks/{}", rows.webhook),
        format!("webhooks/{}", rows.paused),
    );
    let (task, event) = (
        format!("tasks/{}", rows.task),
        format!("events/{}", rows.event),
    );
    let (failed, waiting) = (
        format!("deliveries/{}", rows.failed),
        format!("deliveries/{}", rows.waiting),
    );
    // The page reads the webhook, then `Management` reads it, and then the message is sent.
    #[rustfmt::skip]
    let table = [
        ("send test", format!("{webhook}/test"), ("webhook", 2), "webhook_urls", SendTest),
        ("rotate signing secret", format!("{webhook}/signing"), ("update_webhook", 1), "webhook_urls", RotateSecret),
        ("retire signing secrets", format!("{webhook}/signing/retire"), ("update_webhook", 1), "webhook_urls", RotateSecret),
        ("remove signing secrets", format!("{webhook}/signing/remove"), ("update_webhook", 1), "webhook_urls", Update),
        ("pause webhook", format!("{webhook}/do/pause"), ("update_webhook", 1), "webhook_urls", Pause),
        ("resume webhook", format!("{paused}/do/resume"), ("update_webhook", 1), "webhook_urls", Resume),
        ("replay failed", "deliveries/replay".into(), ("replay", 1), "webhook_urls", Replay),
        ("run task", format!("{task}/do/run"), ("enqueue", 1), "tasks", Run),
        ("test task", format!("{task}/test"), ("enqueue", 1), "tasks", Test),
        ("cancel task", format!("{task}/cancel"), ("cancel", 1), "tasks", Cancel),
        ("enable task", format!("{task}/do/enable"), ("update_task", 1), "tasks", Enable),
        ("disable task", format!("{task}/do/disable"), ("update_task", 1), "tasks", Disable),
        ("trigger event", format!("{event}/trigger"), ("enqueue", 1), "task_events", Trigger),
        ("enable event", format!("{event}/do/enable"), ("update_event", 1), "task_events", Enable),
        ("disable event", format!("{event}/do/disable"), ("update_event", 1), "task_events", Disable),
        ("replay delivery", format!("{failed}/replay"), ("replay", 1), "webhooks", Replay),
        ("retry delivery", format!("{waiting}/retry"), ("hasten", 1), "webhooks", Retry),
        ("cancel delivery", format!("{waiting}/cancel"), ("cancel", 1), "webhooks", Cancel),
    ];
    let route = table.map(|(what, path, held, of, operation)| {
        // The webhook and the period of a replay; the other forms do not use them.
        let span = format!(
            "webhook={}&from=2000-01-01T00:00&before=2100-01-01T00:00",
            rows.webhook
        );
        let fields = format!("ticket={TICKET}&message=x&{span}");
        (
            what,
            format!("/console/{path}"),
            fields,
            held,
            (of, operation),
        )
    });
    route.into()
}
