use webhook_model::Timeout;

fn main() {
    let _ = Timeout(2);
}
