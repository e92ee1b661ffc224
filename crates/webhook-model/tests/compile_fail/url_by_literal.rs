use webhook_model::TargetUrl;

fn main() {
    let _ = TargetUrl(url::Url::parse("file:///etc/passwd").unwrap());
}
