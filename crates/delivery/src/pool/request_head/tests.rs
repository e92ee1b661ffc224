use proptest::prelude::*;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

use super::*;

const THEIRS: &[u8] = b"POST / HTTP/1.1\r\ncontent-length: 3\r\n\r\n";

/// Writes like hyper does: head and body as two buffers, offered again until they are taken.
async fn write(stream: &mut (impl AsyncWrite + Unpin), head: &[u8], body: &[u8]) {
    let (mut head, mut body) = (head, body);
    while !(head.is_empty() && body.is_empty()) {
        let bufs = if head.is_empty() {
            vec![IoSlice::new(body)]
        } else {
            vec![IoSlice::new(head), IoSlice::new(body)]
        };
        let wrote = stream.write_vectored(&bufs).await.unwrap();
        let of_head = wrote.min(head.len());
        head.advance(of_head);
        body.advance(wrote - of_head);
    }
}

async fn sent(requests: Vec<(Vec<u8>, Vec<u8>)>, room: usize) -> Vec<u8> {
    let (ours, mut theirs) = duplex(room);
    let reader = tokio::spawn(async move {
        let mut all = Vec::new();
        theirs.read_to_end(&mut all).await.unwrap();
        all
    });
    let next = Arc::new(NextHead::default());
    let mut stream = OwnHead {
        inner: ours,
        next: Arc::clone(&next),
    };
    for (head, body) in requests {
        next.set(head);
        write(&mut stream, THEIRS, &body).await;
        assert!(next.is_written());
    }
    drop(stream);
    reader.await.unwrap()
}

proptest! {
    #[test]
    fn own_heads_replace_hypers_in_any_buffer(
        requests in prop::collection::vec((prop::collection::vec(any::<u8>(), 1..200), prop::collection::vec(any::<u8>(), 0..200)), 1..4),
        room in 1_usize..300,
    ) {
        let expected: Vec<u8> = requests.iter().flat_map(|(head, body)| [&head[..], body].concat()).collect();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        prop_assert_eq!(runtime.block_on(sent(requests, room)), expected);
    }
}

#[tokio::test]
async fn incomplete_request_head_is_not_sent() {
    let (ours, mut theirs) = duplex(100);
    let next = Arc::new(NextHead::default());
    next.set(b"head".to_vec());
    let mut stream = OwnHead { inner: ours, next };
    let error = stream.write(b"POST / HTTP/1.1\r\ncut").await.unwrap_err();
    assert!(error.get_ref().unwrap().is::<NoHead>());
    drop(stream);
    let mut all = Vec::new();
    theirs.read_to_end(&mut all).await.unwrap();
    assert!(all.is_empty());
}

#[tokio::test]
async fn a_head_that_is_cut_is_not_written() {
    let (ours, _theirs) = duplex(3);
    let next = Arc::new(NextHead::default());
    next.set(b"a long head".to_vec());
    let mut stream = OwnHead {
        inner: ours,
        next: Arc::clone(&next),
    };
    let given_up = tokio::time::timeout(std::time::Duration::ZERO, stream.write(THEIRS)).await;
    assert!(given_up.is_err());
    assert!(!next.is_written(), "so the connection is not used again");
}
