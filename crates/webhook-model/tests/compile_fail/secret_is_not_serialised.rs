use webhook_model::Secret;

fn main() {
    let secret = Secret::new("s3cret");
    let _ = serde_json::to_string(&secret);
}
