use webhook_model::Secret;

fn main() {
    let secret = Secret::new("s3cret");
    let _ = format!("{secret}");
}
