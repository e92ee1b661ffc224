//! The Python of the page on receiving webhooks runs, on the example of Standard Webhooks.

use std::path::Path;
use std::process::Command;

const CALLS: &str = r#"
headers = {
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,bm9uZQ== v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
}
secret, body = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", b'{"test": 2432232314}'
print(verify(secret, headers, body, tolerance=10**10))
for wrong in [(secret, headers, body + b" ", 10**10), (secret, headers, body, 300), (secret, {}, body)]:
    try:
        verify(*wrong)
    except ValueError as error:
        print(error)
"#;

#[test]
fn python_code_accepts_valid_signature_and_refuses_others() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let page = std::fs::read_to_string(root.join("docs/guides/receiving.md")).unwrap();
    let (_, code) = page.split_once("```python\n").unwrap();
    let (code, _) = code.split_once("```").unwrap();
    let program = format!("{code}{CALLS}");
    let output = Command::new("python3").args(["-c", &program]).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<_> = said.lines().collect();
    assert_eq!(
        lines,
        [
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            "no signature matches",
            "the timestamp is too old or in the future",
            "not signed"
        ]
    );
}
