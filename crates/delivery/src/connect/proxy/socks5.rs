//! SOCKS5 (RFC 1928, RFC 1929), written by hand: CONNECT to an address, which is all that is asked.

use std::net::{IpAddr, SocketAddr};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use zeroize::Zeroizing;

use super::login::Login;
use crate::connect::stream::Base;
use crate::outcome::ProxyFault;

const VERSION: u8 = 5;
/// The version of the login (RFC 1929 §2).
const LOGIN_VERSION: u8 = 1;
// Methods of authentication (RFC 1928 §3).
const NO_LOGIN: u8 = 0;
const PASSWORD: u8 = 2;
const NONE_ACCEPTABLE: u8 = 0xff;
const CONNECT: u8 = 1;
// Types of addresses (RFC 1928 §5).
const IPV4: u8 = 1;
const NAME: u8 = 3;
const IPV6: u8 = 4;

/// Asks the proxy for a way to an address.
pub(super) async fn connect(
    mut base: Base,
    target: SocketAddr,
    login: Option<&Login>,
) -> Result<Base, ProxyFault> {
    authenticate(&mut base, login).await?;
    write(&mut base, &request(target)).await?;
    let [version, reply, _, kind] = read(&mut base).await?;
    match (version, reply) {
        (VERSION, 0) => {}
        (VERSION, 1..=6) => return Err(ProxyFault::Target),
        _ => return Err(ProxyFault::Protocol),
    }
    // The proxy's own address there. It is read and not a byte further: what follows belongs to the
    // target.
    let length = match kind {
        IPV4 => 4,
        IPV6 => 16,
        NAME => usize::from(read::<1>(&mut base).await?[0]),
        _ => return Err(ProxyFault::Protocol),
    };
    let mut bound = [0; 255 + 2];
    read_into(&mut base, &mut bound[..length + 2]).await?;
    Ok(base)
}

async fn authenticate(base: &mut Base, login: Option<&Login>) -> Result<(), ProxyFault> {
    let offered: &[u8] = match login {
        Some(_) => &[VERSION, 2, NO_LOGIN, PASSWORD],
        None => &[VERSION, 1, NO_LOGIN],
    };
    write(base, offered).await?;
    match (read(base).await?, login) {
        ([VERSION, NO_LOGIN], _) => return Ok(()),
        ([VERSION, PASSWORD], Some(login)) => write(base, &credentials(login)?).await?,
        ([VERSION, PASSWORD | NONE_ACCEPTABLE], _) => return Err(ProxyFault::Authentication),
        _ => return Err(ProxyFault::Protocol),
    }
    match read(base).await? {
        [LOGIN_VERSION, 0] => Ok(()),
        [LOGIN_VERSION, _] => Err(ProxyFault::Authentication),
        _ => Err(ProxyFault::Protocol),
    }
}

fn credentials(login: &Login) -> Result<Zeroizing<Vec<u8>>, ProxyFault> {
    // As long as it may become: one that grows leaves a copy behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(1 + 2 * (1 + 255)));
    bytes.push(LOGIN_VERSION);
    for text in [&login.user, &login.password] {
        bytes.push(u8::try_from(text.len()).map_err(|_| ProxyFault::Authentication)?);
        bytes.extend_from_slice(text.as_bytes());
    }
    Ok(bytes)
}

fn request(target: SocketAddr) -> Vec<u8> {
    let mut bytes = vec![VERSION, CONNECT, 0];
    match target.ip() {
        IpAddr::V4(address) => {
            bytes.push(IPV4);
            bytes.extend(address.octets());
        }
        IpAddr::V6(address) => {
            bytes.push(IPV6);
            bytes.extend(address.octets());
        }
    }
    bytes.extend(target.port().to_be_bytes());
    bytes
}

async fn write(base: &mut Base, bytes: &[u8]) -> Result<(), ProxyFault> {
    let written = base.write_all(bytes).await;
    written.map_err(|_| ProxyFault::Connect)
}

async fn read<const N: usize>(base: &mut Base) -> Result<[u8; N], ProxyFault> {
    let mut bytes = [0; N];
    read_into(base, &mut bytes).await?;
    Ok(bytes)
}

async fn read_into(base: &mut Base, bytes: &mut [u8]) -> Result<(), ProxyFault> {
    let read = base.read_exact(bytes).await;
    read.map(drop).map_err(|_| ProxyFault::Connect)
}

#[cfg(test)]
mod tests;
