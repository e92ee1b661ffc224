//! The query of a list (`filter`, `sort`, `fields`), through the whole API in memory: existing
//! rows, or a 422 with a text.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, LazyLock};

use apikey_core::{KeyDraft, OwnerId};
use axum::body::{Body, to_bytes};
use axum::http::Request;
use axum::routing::Router;
use delivery::{Sender, TargetPolicy};
use gatepost_engine::Engine;
use gatepost_http::Api;
use gatepost_keys::{
    AccessLevel, Account, AccountAnswer, Accounts, AuthLayer, KeyService, Principal, Via,
};
use gatepost_kv::MemoryStore;
use gatepost_manage::Management;
use serde_json::Value;
use tokio::runtime::Runtime;
use tower::ServiceExt as _;
use webhook_model::Webhook;

static WORLD: LazyLock<World> = LazyLock::new(|| {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let (router, key) = runtime.block_on(furnish());
    World {
        runtime,
        router,
        key,
    }
});

#[derive(Debug)]
struct Users;

impl Accounts for Users {
    fn account(&self, _: OwnerId) -> AccountAnswer<'_> {
        AccountAnswer::Now(Ok(Some(Account::enabled(AccessLevel::SystemAdministrator))))
    }
}

struct World {
    runtime: Runtime,
    router: Router,
    key: String,
}

async fn furnish() -> (Router, String) {
    let store = Arc::new(MemoryStore::new());
    let keys = KeyService::builder(store.clone(), Arc::new(Users)).build();
    let sender = Sender::builder(TargetPolicy::public()).build().unwrap();
    let engine = Engine::builder(store, sender)
        .one_system(Arc::new(Users))
        .start()
        .await
        .unwrap();
    for name in ["alpha", "it's", "back\\slash", "ünïcode"] {
        let url = format!("https://{}.example/", name.len()).parse().unwrap();
        let hook = Webhook::new(OwnerId(1), name.parse().unwrap(), url);
        engine.create_webhook(&hook).await.unwrap();
    }
    let draft = KeyDraft::new(OwnerId(1), "k".parse().unwrap());
    let account = Account::enabled(AccessLevel::SystemAdministrator);
    let admin = Principal::new(OwnerId(1), account, Via::Platform);
    let (_, reveal) = keys.create(&admin, draft).await.unwrap();
    let here = |_: &axum::http::Extensions| Some(IpAddr::V4(Ipv4Addr::LOCALHOST));
    let guard = AuthLayer::new(keys.clone(), here);
    let management = Management::builder(keys, engine).build();
    let api = Api::builder(management, guard).build();
    (api.router(), reveal.reveal().as_str().to_owned())
}

async fn ask(world: &World, query: &str) -> (u16, Value) {
    let request = Request::get(format!("/webhook_urls?{query}"))
        .header("authorization", format!("Bearer {}", world.key))
        .body(Body::empty())
        .unwrap();
    let answer = world.router.clone().oneshot(request).await.unwrap();
    let status = answer.status().as_u16();
    let body = to_bytes(answer.into_body(), usize::MAX).await.unwrap();
    (status, serde_json::from_slice(&body).unwrap())
}

fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

pub(crate) fn holds(input: (&str, &str, &str)) {
    let (filter, sort, fields) = input;
    if filter.len() + sort.len() + fields.len() > 2000 {
        return;
    }
    let world = &*WORLD;
    world.runtime.block_on(async {
        let (filter, sort, fields) = (encoded(filter), encoded(sort), encoded(fields));
        let (status, rows) = ask(world, &format!("filter={filter}")).await;
        match status {
            200 => assert!(rows.as_array().unwrap().len() <= 4),
            422 => assert!(!rows.to_string().is_empty()),
            other => panic!("{other}: {rows}"),
        }
        let (sorted, all) = ask(world, &format!("filter={filter}&sort={sort}")).await;
        if sorted == 200 {
            // Sorting changes only the order.
            let names = |rows: &Value| {
                let mut names: Vec<String> = rows
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|row| row["name"].to_string())
                    .collect();
                names.sort();
                names
            };
            assert_eq!(names(&all), names(&rows));
        }
        let (status, shown) = ask(world, &format!("fields={fields}")).await;
        assert!([200, 422].contains(&status), "{status}: {shown}");
        assert!(!shown.to_string().contains(world.key.as_str()));
    });
}
