//! A site that is in use: keys, webhooks, tasks, events, deliveries.

use axum::http::StatusCode;
use examples::receiver::Receiver;

use super::form_input::ON_MACHINE;
use super::{Site, Visitor};

/// Fills a site with the records of a small team.
///
/// # Panics
/// If something is refused.
pub async fn furnish(site: &Site, receiver: &Receiver) {
    let admin = Visitor::login(site, "admin").await;
    let keys: [&[(&str, &str)]; 3] = [
        &[
            ("name", "nightly build"),
            ("description", "Jenkins on build-3; ask Ulf"),
            ("expires_type", "30"),
            ("allow.0.net", "10.20.0.0/16"),
            ("allow.0.on", "on"),
            ("allow.1.net", "2001:db8::/32"),
            ("allow.2.net", "192.0.2.7"),
            ("allow.2.on", "on"),
        ],
        &[
            ("name", "terraform"),
            ("description", "Infrastructure as code"),
            ("expires_type", "90"),
            ("user", "2"),
        ],
        &[
            ("name", "monitoring"),
            ("expires_type", "never"),
            ("deny.0.net", "198.51.100.0/24"),
            ("deny.0.on", "on"),
            ("read_only", "on"),
            ("tables", "webhook_urls"),
            ("tables", "webhooks"),
            ("scopes", "machines:power"),
        ],
    ];
    for key in keys {
        let page = admin.submit("/console/keys/new", key).await;
        if let Some(key) = page.secret() {
            let from = crate::world::HERE;
            examples::client::call(site.addr, from, "GET", "/api/v4/system", Some(&key), None)
                .await
                .unwrap();
        }
    }
    let url = format!("http://{}/hooks/ops", receiver.addr);
    let hooks: [&[(&str, &str)]; 3] = [
        &[
            ("name", "Ops channel"),
            ("url", &url),
            ("auth", "bearer"),
            ("token", "t"),
            ("sign", "on"),
            (
                "headers_text",
                "Content-Type: application/json\nX-Route: ops\nX-Api-Token: s3cret",
            ),
        ],
        &[
            ("name", "Accounting"),
            ("url", "https://books.example.com/in"),
            ("auth", "basic"),
            ("user", "svc"),
            ("password", "p"),
        ],
        &[
            ("name", "Lab"),
            ("url", "https://lab.internal.example/hook"),
            ("auth", "none"),
            ("insecure", "on"),
        ],
    ];
    for hook in hooks {
        let fields = [
            hook,
            &[
                ("header_mode", "text"),
                ("timeout", "5"),
                ("retries", "1"),
                ("enabled", "on"),
            ],
        ]
        .concat();
        admin.submit("/console/webhooks/new", &fields).await;
    }
    let tasks: [&[(&str, &str)]; 2] = [
        &[
            ("name", "Tell operations"),
            ("description", "Says which machine was switched on"),
            ("webhook", "1"),
            (
                "message",
                "{\n  \"text\": \"${NAME} is on\",\n  \"at\": \"${DATE}\"\n}",
            ),
            ("enabled", "on"),
        ],
        &[
            ("name", "Book a new tenant"),
            ("webhook", "2"),
            ("message", "{\"tenant\":\"${NAME}\"}"),
            ("once", "on"),
        ],
    ];
    for task in tasks {
        admin.submit("/console/tasks/new", task).await;
    }
    let new = "/console/events/new";
    let events: [(&str, &[(&str, &str)]); 3] = [
        ("vms", &ON_MACHINE),
        (
            "vms",
            &[
                ("event", "poweroff"),
                ("target", "tag"),
                ("tag", "1"),
                ("task", "1"),
                ("enabled", "on"),
            ],
        ),
        ("alarms", &[("event", "raised"), ("task", "1")]),
    ];
    for (of, event) in events {
        admin.fill(&format!("{new}?type={of}"), new, event).await;
    }
    receiver.answer_with(&[
        StatusCode::OK,
        StatusCode::BAD_GATEWAY,
        StatusCode::SERVICE_UNAVAILABLE,
    ]);
    let named = [("name", "web-1")];
    for run in 1..=4 {
        admin
            .fill("/console/tasks/new", "/console/tasks/1/do/run", &named)
            .await;
        site.ended(run).await;
    }
    site.keys.shutdown().await;
}
