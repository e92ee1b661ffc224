//! HTTP CONNECT, implemented directly: one request, one bounded response.

use std::net::SocketAddr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use zeroize::Zeroizing;

use super::login::Login;
use crate::connect::stream::Base;
use crate::outcome::ProxyFault;

/// The maximum size of the response to CONNECT.
const MAX_HEAD: usize = 8 * 1024;

/// Asks the proxy for a tunnel to an address.
pub(super) async fn connect(
    mut base: Base,
    target: SocketAddr,
    login: Option<&Login>,
) -> Result<Base, ProxyFault> {
    let request = request(target, login);
    base.write_all(request.as_bytes())
        .await
        .map_err(|_| ProxyFault::Connect)?;
    match status(&read_head(&mut base).await?) {
        Some(200..=299) => Ok(base),
        Some(407) => Err(ProxyFault::Authentication),
        Some(_) => Err(ProxyFault::Target),
        None => Err(ProxyFault::Protocol),
    }
}

fn request(target: SocketAddr, login: Option<&Login>) -> Zeroizing<String> {
    let mut text = Zeroizing::new(format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n"));
    if let Some(login) = login {
        let pair = Zeroizing::new(format!("{}:{}", *login.user, *login.password));
        text.push_str("Proxy-Authorization: Basic ");
        STANDARD.encode_string(pair.as_bytes(), &mut text);
        text.push_str("\r\n");
    }
    text.push_str("\r\n");
    text
}

/// Reads up to the empty line and not a byte further: the rest belongs to the target.
async fn read_head(base: &mut Base) -> Result<Vec<u8>, ProxyFault> {
    let mut head = Vec::with_capacity(256);
    while !head.ends_with(b"\r\n\r\n") {
        if head.len() >= MAX_HEAD {
            return Err(ProxyFault::Protocol);
        }
        head.push(base.read_u8().await.map_err(|_| ProxyFault::Connect)?);
    }
    Ok(head)
}

fn status(head: &[u8]) -> Option<u16> {
    let line = head.split(|b| *b == b'\r').next()?;
    let rest = line
        .strip_prefix(b"HTTP/1.1 ")
        .or_else(|| line.strip_prefix(b"HTTP/1.0 "))?;
    let digits = rest.get(..3)?;
    if !matches!(rest.get(3), None | Some(b' ')) || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(digits).ok()?.parse().ok()
}
