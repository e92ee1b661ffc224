//! Allowed addresses: public ones by default, with the platform's exceptions.

use std::net::{IpAddr, SocketAddr};

use ipnet::IpNet;

use super::embedded_ipv4::unfold;
use super::refusal::TargetRefusal;
use super::special_addresses::{SpecialPurpose, is_metadata, special_purpose};

/// The part of a [`TargetPolicy`](super::TargetPolicy) about addresses.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Networks {
    pub open: Vec<IpNet>,
    /// Addresses that are allowed only at this port.
    pub open_at: Vec<SocketAddr>,
    pub closed: Vec<IpNet>,
    pub metadata: bool,
    /// Advice for users about a refusal, by the network of the refused address.
    pub advice: Vec<(IpNet, &'static str)>,
}

impl Networks {
    /// Checks every address that this one contains. Without a port, addresses that are allowed at
    /// one port only are refused.
    pub(super) fn check(&self, addr: IpAddr, port: Option<u16>) -> Result<(), TargetRefusal> {
        unfold(addr)
            .iter()
            .try_for_each(|form| self.check_form(form, port))
    }

    /// Returns whether the platform has allowed it explicitly, whatever kind of address it is.
    pub(super) fn opens(&self, addr: IpAddr, port: u16) -> bool {
        unfold(addr)
            .iter()
            .all(|form| self.opens_form(form, Some(port)))
    }

    fn check_form(&self, addr: IpAddr, port: Option<u16>) -> Result<(), TargetRefusal> {
        if holds(&self.closed, addr) {
            return Err(TargetRefusal::DeniedNetwork);
        }
        if is_metadata(addr) {
            return if self.metadata {
                Ok(())
            } else {
                Err(TargetRefusal::Special(SpecialPurpose::Metadata))
            };
        }
        match special_purpose(addr) {
            Some(purpose) if !self.opens_form(addr, port) => Err(self.refusal(addr, purpose)),
            _ => Ok(()),
        }
    }

    fn opens_form(&self, addr: IpAddr, port: Option<u16>) -> bool {
        let at = |open: &SocketAddr| open.ip() == addr && Some(open.port()) == port;
        holds(&self.open, addr) || self.open_at.iter().any(at)
    }

    fn refusal(&self, addr: IpAddr, purpose: SpecialPurpose) -> TargetRefusal {
        match self.advice.iter().find(|(net, _)| net.contains(&addr)) {
            Some((_, advice)) => TargetRefusal::Advised { purpose, advice },
            None => TargetRefusal::Special(purpose),
        }
    }
}

fn holds(nets: &[IpNet], addr: IpAddr) -> bool {
    nets.iter().any(|net| net.contains(&addr))
}
