fn main() {
    let _ = delivery::Sender::builder().build();
}
