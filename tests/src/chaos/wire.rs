//! The connection between a process and its database, which can be cut.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// A proxy for a port of this machine; it ends with the runtime.
#[derive(Clone, Debug)]
pub struct Wire {
    /// The port on 127.0.0.1.
    pub port: u16,
    cut: Arc<Cut>,
}

#[derive(Debug, Default)]
struct Cut {
    is_cut: AtomicBool,
    happened: Notify,
}

impl Wire {
    /// Starts it on a free port.
    ///
    /// # Panics
    /// If there is none.
    pub async fn to(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let wire = Self {
            port: listener.local_addr().unwrap().port(),
            cut: Arc::default(),
        };
        let cut = wire.cut.clone();
        tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                if !cut.is_cut.load(Ordering::SeqCst) {
                    tokio::spawn(pass(near, port, cut.clone()));
                }
            }
        });
        wire
    }

    /// Ends all connections, in the middle of their data, and lets none through.
    pub fn cut(&self) {
        self.cut.is_cut.store(true, Ordering::SeqCst);
        self.cut.happened.notify_waiters();
    }

    /// Lets connections through again.
    pub fn mend(&self) {
        self.cut.is_cut.store(false, Ordering::SeqCst);
    }
}

async fn pass(mut near: TcpStream, port: u16, cut: Arc<Cut>) {
    let happened = cut.happened.notified();
    if cut.is_cut.load(Ordering::SeqCst) {
        return;
    }
    let carried = async {
        if let Ok(mut far) = TcpStream::connect(("127.0.0.1", port)).await {
            // Either end may disconnect at any moment: these runs are about that.
            drop(copy_bidirectional(&mut near, &mut far).await);
        }
    };
    tokio::select! {
        () = happened => {}
        () = carried => {}
    }
}
