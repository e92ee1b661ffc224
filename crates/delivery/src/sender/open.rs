//! A new connection to an origin, secured and ready for a request.

use std::sync::Arc;

use rustls::client::ClientConfig;

use super::classify::hyper_class;
use super::core::Sender;
use crate::connect::Stream;
use crate::outcome::{ErrorClass, Phase};
use crate::pool::{H1, H2, Idle, Shelf};
use crate::progress::Progress;
use crate::request::Request;
use crate::tls::secure;

impl Sender {
    /// Opens a connection, or joins the one that another attempt has just opened.
    ///
    /// An origin that speaks HTTP/2 needs one connection. When it has ended, the attempts that
    /// wait for it take turns: the first opens the next one, and the others share it.
    pub(super) async fn open(
        &self,
        shelf: &Arc<Shelf>,
        request: &Request,
        progress: &mut Progress,
    ) -> Result<Idle, ErrorClass> {
        if !shelf.speaks_h2() {
            return self.open_own(shelf, request, progress).await;
        }
        progress.enter(Phase::Connect);
        let _turn = shelf.opening.lock().await;
        match shelf.take_h2(progress.entered) {
            Some(shared) if self.policy.check_at(shared.peer).is_ok() => {
                progress.reused = true;
                Ok(Idle::H2(shared))
            }
            _ => self.open_own(shelf, request, progress).await,
        }
    }

    async fn open_own(
        &self,
        shelf: &Arc<Shelf>,
        request: &Request,
        progress: &mut Progress,
    ) -> Result<Idle, ErrorClass> {
        let origin = &request.fixed.origin;
        let (base, peer) = self
            .parts
            .connector
            .open(&self.policy, origin, progress)
            .await?;
        progress.address = Some(peer);
        let stream = if origin.https {
            progress.enter(Phase::Tls);
            let config = self.tls_config(shelf, request)?;
            Stream::Tls(Box::new(secure(config, &origin.host, base).await?))
        } else {
            Stream::Plain(base)
        };
        if stream.chose_h2() {
            progress.enter(Phase::Head);
            let connection = H2::new(stream, peer).await.map_err(|e| hyper_class(&e))?;
            self.parts.pool.share(shelf, &connection, progress.entered);
            Ok(Idle::H2(connection))
        } else {
            let connection = H1::new(stream, peer).await.map_err(|e| hyper_class(&e))?;
            Ok(Idle::H1(Box::new(connection)))
        }
    }

    fn tls_config(
        &self,
        shelf: &Shelf,
        request: &Request,
    ) -> Result<Arc<ClientConfig>, ErrorClass> {
        let (tls, fixed) = (&self.parts.tls, &request.fixed);
        shelf.tls(|| tls.config(fixed.trust, fixed.identity.as_deref()))
    }
}
