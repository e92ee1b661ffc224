//! SPEC 2.2 *Headers*: they go out in the order and the case in which they were written.

use webhook_model::{Authorization, Headers, OwnerId, Webhook};

const LINES: &str = "X-Alpha: 1\nx-pRIORITY: high\nContent-Type: text/plain\nROUTE: eu\nx-alpha: 2";

fn webhook(headers: &str, authorization: Authorization) -> Webhook {
    let url = "https://a.example/".parse().unwrap();
    let mut webhook = Webhook::new(OwnerId(1), "w".parse().unwrap(), url);
    webhook.headers = Headers::parse_lines(headers).unwrap();
    webhook.authorization = authorization;
    webhook
}

fn lines(webhook: &Webhook) -> Vec<String> {
    let headers = webhook.request_headers().unwrap().into_iter();
    headers
        .map(|header| format!("{}: {}", header.name, header.value.expose()))
        .collect()
}

#[test]
fn order_case_and_repetition_are_kept() {
    let expected: Vec<_> = LINES.lines().collect();
    assert_eq!(lines(&webhook(LINES, Authorization::None)), expected);
}

#[test]
fn authorization_comes_last_api_key_replaces_placeholder() {
    let bearer = Authorization::bearer("t0ken").unwrap();
    let mut expected: Vec<_> = LINES.lines().collect();
    expected.push("Authorization: Bearer t0ken");
    assert_eq!(lines(&webhook(LINES, bearer)), expected);

    let key = Authorization::api_key("k3y").unwrap();
    let placed = "X-First: 1\nX-My-KEY: ${APIKEY}\nx-last: 2";
    let expected = ["X-First: 1", "X-My-KEY: k3y", "x-last: 2"];
    assert_eq!(lines(&webhook(placed, key)), expected);
}
