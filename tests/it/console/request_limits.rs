//! A key's limit of requests in its form and on its page.

use tests::browser::Site;

const LIMIT: &str = "name=\"requests_per_minute\"";

fn fields<'a>(expires: &'a str, limit: &'a str) -> [(&'a str, &'a str); 3] {
    [
        ("name", "limited"),
        ("expires_type", expires),
        ("requests_per_minute", limit),
    ]
}

#[tokio::test]
async fn request_limit_is_set_in_form_and_shown() {
    let (_site, ulf) = Site::visited_by("ulf").await;
    let made = ulf.submit("/console/keys/new", &fields("90", " 60 ")).await;
    assert!(made.secret().is_some(), "{}", made.html);
    let page = ulf.get("/console/keys/1").await;
    page.shows("at most 60 per minute");
    let form = ulf.get("/console/keys/1/edit").await;
    let field = form.html.split(LIMIT).nth(1).unwrap();
    let field = field.split('>').next().unwrap();
    assert!(field.contains("value=\"60\""), "{field}");
    for (limit, shown) in [
        ("1000000", Some("at most 1,000,000 per minute")),
        ("", None),
    ] {
        let edited = ulf
            .submit("/console/keys/1/edit", &fields("keep", limit))
            .await;
        assert_eq!(edited.status, 303, "{limit:?}: {}", edited.html);
        let page = ulf.get("/console/keys/1").await;
        match shown {
            Some(shown) => assert!(page.has(shown), "{}", page.html),
            None => assert!(!page.has("per minute"), "{}", page.html),
        }
    }
}

#[tokio::test]
async fn invalid_request_limit_is_refused_and_input_kept() {
    let (_site, ulf) = Site::visited_by("ulf").await;
    for typed in ["0", "-1", "1000001", "many", "1.5"] {
        let refused = ulf.submit("/console/keys/new", &fields("90", typed)).await;
        assert_eq!(refused.status, 422, "{typed}");
        let rule = "ust be 1 to 1000000 requests per minute";
        assert!(refused.has(rule), "{typed}: {}", refused.html);
        let field = refused.html.split(LIMIT).nth(1).unwrap();
        let field = field.split('>').next().unwrap();
        assert!(field.contains(&format!("value=\"{typed}\"")), "{field}");
    }
    assert!(ulf.get("/console/keys").await.has("No API keys yet"));
}
