//! The columns of a client certificate: those that can be read, those that are refused, and those
//! that nobody sees.

use serde_json::{Value, json};
use tests::mutual_tls::Authority;

use super::{parts, plain, row};

const URL: &str = "https://hooks.example.com/in";

#[tokio::test]
async fn client_certificate_is_shown_and_key_never_returned() {
    let (authority, world) = parts().await;
    let until = "2027-03-04T00:00:00Z".parse().unwrap();
    let ada = authority.client_until("ada", Some(until));
    let webhook = world.make("webhook_urls", row("w", URL, &ada)).await;
    let path = format!("webhook_urls/{webhook}");
    let read = world.api("GET", &format!("{path}?fields=all"), None).await;
    let stored = read.json();
    let certificate = stored["client_certificate"].as_str().unwrap();
    assert_eq!(
        certificate.trim(),
        ada.certificate.replace("\r\n", "\n").trim()
    );
    assert_eq!(stored["client_certificate_subject"], "CN=ada");
    assert_eq!(stored["client_certificate_expires"], until.timestamp());
    let (bob, wrong) = (authority.client("bob"), authority.client("wrong"));
    let mut bodies = vec![read.body];
    for (edit, status) in [
        (json!({"name": "other"}), 200),
        (
            json!({"client_certificate": bob.certificate, "client_key": bob.key}),
            200,
        ),
        (json!({"client_key": ada.key}), 422),
        (json!({"client_certificate": ada.key}), 422),
        (
            json!({"client_certificate": wrong.certificate, "client_key": ada.key}),
            422,
        ),
        (
            json!({"client_key": format!("{}{}", ada.key, bob.key)}),
            422,
        ),
    ] {
        let edited = world.api("PUT", &path, Some(edit)).await;
        assert_eq!(edited.status, status, "{}", edited.body);
        bodies.push(edited.body);
    }
    for read in [
        "webhook_urls?fields=all",
        "webhook_urls?fields=client_key,client_certificate",
        "webhook_urls?filter=client_key ne ''",
        "webhooks?fields=all",
    ] {
        bodies.push(world.api("GET", read, None).await.body);
    }
    for body in bodies {
        for client in [&ada, &bob] {
            assert!(!body.contains(client.secret()), "{body}");
        }
    }
}

#[tokio::test]
async fn invalid_certificate_is_refused_naming_its_column() {
    let (authority, world) = parts().await;
    let (ada, bob) = (authority.client("ada"), authority.client("bob"));
    let encrypted = ada.key.replace("PRIVATE KEY", "ENCRYPTED PRIVATE KEY");
    let broken = ada.certificate.replacen("MII", "AAA", 1);
    let many = ada.certificate.repeat(11);
    let (cert, key) = (&*ada.certificate, &*ada.key);
    let long = format!("{cert}{}", "\n".repeat(65_000));
    for (certificate, key, column, words) in [
        (cert, "", "client_key", "must be a private key in PEM"),
        (
            "",
            key,
            "client_certificate",
            "must be one or more certificates in PEM",
        ),
        (
            key,
            key,
            "client_certificate",
            "the private key belongs in client_key",
        ),
        (
            "hello",
            key,
            "client_certificate",
            "must be one or more certificates",
        ),
        (
            &broken,
            key,
            "client_certificate",
            "certificate 1 cannot be read",
        ),
        (&many, key, "client_certificate", "at most 10 certificates"),
        (&long, key, "client_certificate", "must be at most 64 KiB"),
        (
            cert,
            &bob.key,
            "client_key",
            "does not belong to the first certificate",
        ),
        (
            cert,
            &encrypted,
            "client_key",
            "is encrypted: decrypt it first",
        ),
    ] {
        let mut hook = plain("w", URL);
        hook["client_certificate"] = json!(certificate);
        hook["client_key"] = json!(key);
        let refused = world.api("POST", "webhook_urls", Some(hook)).await;
        assert_eq!(refused.status, 422, "{}", refused.body);
        let field = format!("field: '{column}'");
        let said = refused.body.contains(&field) && refused.body.contains(words);
        assert!(said, "{column}, {words}: {}", refused.body);
    }
    let hook = row("w", "http://hooks.example.com/in", &ada);
    let refused = world.api("POST", "webhook_urls", Some(hook)).await;
    let words =
        "'client_certificate' - 'must be empty with a url that does not begin with https://";
    assert!(refused.body.contains(words), "{}", refused.body);
    // An expired certificate is accepted: the target decides.
    let past = "2020-01-02T00:00:00Z".parse().unwrap();
    let expired = authority.client_until("expired", Some(past));
    let made = world.api("POST", "webhook_urls", Some(row("w", URL, &expired)));
    assert_eq!(made.await.status, 201);
}

#[tokio::test]
async fn the_key_does_not_follow_to_another_url() {
    let authority = Authority::new();
    let (_, world) = parts().await;
    let ada = authority.client("ada");
    let webhook = world.make("webhook_urls", row("w", URL, &ada)).await;
    let path = format!("webhook_urls/{webhook}");
    let edit = async |edit: Value| world.api("PUT", &path, Some(edit)).await;
    let elsewhere = "https://evil.example/";
    for carried in [
        json!({"url": elsewhere}),
        json!({"url": "https://hooks.example.com/other"}),
        json!({"url": elsewhere, "client_certificate": ada.certificate}),
        json!({"allow_insecure": true}),
        // An empty key clears nothing: it counts as not sent.
        json!({"url": elsewhere, "client_key": ""}),
        json!({"url": elsewhere, "client_key": " \n"}),
        json!({"allow_insecure": true, "client_key": ""}),
    ] {
        let refused = edit(carried).await;
        assert_eq!(refused.status, 422, "{}", refused.body);
        let words = "'client_key' - 'must be sent again or cleared";
        assert!(refused.body.contains(words), "{}", refused.body);
    }
    let within = edit(json!({"url": URL, "timeout": 9})).await;
    assert_eq!(within.status, 200, "{}", within.body);
    let again = edit(json!({"url": elsewhere, "client_key": ada.key})).await;
    assert_eq!(again.status, 200, "{}", again.body);
    let without = edit(json!({"url": URL, "client_certificate": ""})).await;
    assert_eq!(without.status, 200, "{}", without.body);
    assert_eq!(without.json()["client_certificate_expires"], 0);
}
