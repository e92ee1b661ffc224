//! A key is rolled on its page after a confirmation, and the new one is shown once.

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
async fn key_roll_needs_confirmation_and_shows_key_once() {
    let (site, ulf) = Site::visited_by("ulf").await;
    let old = new_key(&ulf, "ci").await.secret().unwrap();
    assert!(ulf.get("/console/keys/1").await.has("/console/keys/1/roll"));
    let question = ulf.get("/console/keys/1/roll").await;
    assert!(question.has(">ci</strong>") && question.has("In 30 days"));
    let page = ulf
        .submit("/console/keys/1/roll", &[("overlap", "3600")])
        .await;
    let new = page.secret().unwrap();
    assert_ne!(old, new);
    for key in [&old, &new] {
        assert_eq!(probe(&site, key).await, 200);
    }
    assert_eq!(site.heard().last().unwrap(), "3 Roll user_api_keys/1");
    let was = ulf.get("/console/keys/1").await;
    was.shows("Replaced by");
    was.shows(">ci (2)</a>");
    let is = ulf.get("/console/keys/2").await;
    is.shows("Replaces");
    is.shows(">ci</a>");
    assert!(!is.has(&new) && !was.has(&new), "shown once");

    let again = ulf
        .submit("/console/keys/1/roll", &[("overlap", "0")])
        .await
        .expect(422);
    again.shows("This key has already been rolled.");
    ulf.submit("/console/keys/2/delete", &[]).await;
    let was = ulf.get("/console/keys/1").await;
    was.shows("a deleted key");
}

#[tokio::test]
async fn roll_form_refuses_unoffered_overlaps_and_rolls_once() {
    let (site, ulf) = Site::visited_by("ulf").await;
    new_key(&ulf, "ci").await;
    for overlap in ["", "1", "-1", "never", "2592001"] {
        let refused = ulf
            .submit("/console/keys/1/roll", &[("overlap", overlap)])
            .await;
        assert_eq!(refused.status, 422, "{overlap}");
        assert!(refused.has("Choose when the old key ends."), "{overlap}");
    }
    let eve = Visitor::login(&site, "vera").await;
    assert_eq!(eve.get("/console/keys/1/roll").await.status, 404);
    let zero = ulf
        .submit("/console/keys/1/roll", &[("overlap", "0")])
        .await;
    assert!(zero.secret().is_some(), "{}", zero.html);
    assert!(ulf.get("/console/keys/1").await.has(">expired</span>"));
    assert!(!ulf.get("/console/keys/1").await.has("/console/keys/1/roll"));
}
