//! The process that the chaotic runs kill: see `tests::chaos`.

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() {
    let args: Vec<String> = std::env::args().collect();
    tests::chaos::work(&args).await;
}
