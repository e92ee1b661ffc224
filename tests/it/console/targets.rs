//! The warnings of the pages about a URL to which nothing can be sent.

use tests::browser::Site;
use tests::browser::form_input::hook;

const NEW: &str = "/console/webhooks/new";
const REFUSED: &str = "Nothing can be sent to this URL";

#[tokio::test]
async fn policy_refused_url_is_saved_with_a_warning() {
    let (_site, ulf) = Site::visited_by("ulf").await;
    let saved = ulf.submit(NEW, &hook("http://10.0.0.1/", &[])).await;
    assert_eq!(saved.status, 303, "it is saved all the same");
    for path in [
        saved.to(),
        "/console/webhooks/1",
        "/console/webhooks/1/edit",
    ] {
        assert!(ulf.get(path).await.has(REFUSED), "{path}");
    }
    // The warning is also shown together with an error in another field.
    let fields = hook("http://10.0.0.1/", &[("timeout", "1")]);
    let page = ulf.submit(NEW, &fields).await;
    assert!(page.status == 422 && page.has(REFUSED), "{}", page.html);
    let check = "/console/webhooks/check";
    let page = ulf.fill(NEW, check, &hook("http://[::1]/", &[])).await;
    page.shows(REFUSED);
    // The platform of this test allows 127.0.0.0/8.
    let page = ulf.fill(NEW, check, &hook("http://127.0.0.1/", &[])).await;
    assert!(page.has("Not encrypted") && !page.has(REFUSED));
    let page = ulf
        .fill(NEW, check, &hook("https://example.com/", &[]))
        .await;
    page.shows("\"url\":\"\"");
}

#[tokio::test]
async fn unresolvable_hosts_all_show_the_same_warning() {
    let (_site, ulf) = Site::visited_by("ulf").await;
    let good = ulf.submit(NEW, &hook("https://example.com/", &[])).await;
    let good = ulf.get(good.to()).await;
    good.hides("currently has no address");
    // The answer does not reveal whether the name exists in the platform's network.
    let edit = "/console/webhooks/1/edit";
    let mut said = Vec::new();
    for url in ["https://nowhere.invalid/", "https://secrets.internal/"] {
        let saved = ulf.submit(edit, &hook(url, &[])).await;
        let page = ulf.get(saved.to()).await;
        assert!(page.has("currently has no address"), "{url}: {}", page.html);
        said.push(saved.to().to_owned());
        let check = "/console/webhooks/check";
        let typed = ulf.fill(NEW, check, &hook(url, &[])).await;
        assert!(
            typed.has("\"url\":\"\""),
            "nothing is looked up: {}",
            typed.html
        );
    }
    assert_eq!(said[0], said[1]);
}
