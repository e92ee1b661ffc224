//! A key is disabled on its page after a confirmation, and enabled again.

use examples::client::call;
use tests::browser::form_input::new_key;
use tests::browser::{Site, Visitor};
use tests::world::HERE;

async fn probe(site: &Site, key: &str) -> u16 {
    let path = "/api/v4/system";
    let probed = call(site.addr, HERE, "GET", path, Some(key), None);
    probed.await.unwrap().status
}

#[tokio::test]
async fn key_is_disabled_after_confirmation_and_enabled_directly() {
    let (site, ulf) = Site::visited_by("ulf").await;
    let key = new_key(&ulf, "ci").await.secret().unwrap();
    let page = ulf.get("/console/keys/1").await;
    assert!(page.has("/console/keys/1/disable") && !page.has("/console/keys/1/enable"));
    let question = ulf.get("/console/keys/1/disable").await;
    assert!(question.has("until you enable it again") && question.has(">ci</strong>"));
    assert_eq!(
        probe(&site, &key).await,
        200,
        "the question alone does nothing"
    );

    let page = ulf.submit("/console/keys/1/disable", &[]).await;
    page.leads_to("/console/keys/1?done=disabled");
    assert_eq!(probe(&site, &key).await, 401);
    let page = ulf.follow(&page).await;
    assert!(page.has("The key was disabled.") && page.has(">disabled</span>"));
    let page = ulf.get("/console/keys/1").await;
    assert!(page.has("This key is disabled") && !page.has("The key was disabled."));
    assert!(page.has("/console/keys/1/enable") && !page.has("/console/keys/1/disable"));
    assert_eq!(site.heard().last().unwrap(), "3 Disable user_api_keys/1");
    new_key(&ulf, "other").await;
    let list = ulf.get("/console/keys?state=disabled").await;
    list.shows("/console/keys/1\"");
    list.hides("/console/keys/2\"");

    let page = ulf
        .fill("/console/keys/1", "/console/keys/1/enable", &[])
        .await;
    page.leads_to("/console/keys/1?done=enabled");
    assert_eq!(probe(&site, &key).await, 200);
    assert!(ulf.follow(&page).await.has("The key was enabled."));
    assert_eq!(site.heard().last().unwrap(), "3 Enable user_api_keys/1");
}

#[tokio::test]
async fn edited_key_stays_disabled_and_strangers_get_404() {
    let (site, ulf) = Site::visited_by("ulf").await;
    let key = new_key(&ulf, "ci").await.secret().unwrap();
    ulf.submit("/console/keys/1/disable", &[]).await;
    let fields = [("name", "renamed"), ("expires_type", "keep")];
    ulf.submit("/console/keys/1/edit", &fields)
        .await
        .expect(303);
    assert_eq!(probe(&site, &key).await, 401);
    let vera = Visitor::login(&site, "vera").await;
    assert_eq!(vera.get("/console/keys/1/disable").await.status, 404);
    let enabled = vera.fill("/console/keys/new", "/console/keys/1/enable", &[]);
    assert_eq!(enabled.await.status, 404);
    assert_eq!(probe(&site, &key).await, 401);
}
