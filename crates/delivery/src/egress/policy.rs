//! The policy: only public addresses, unless the platform allows its own networks.

use std::net::{IpAddr, SocketAddr};

use ipnet::IpNet;

use super::host_pattern::HostPattern;
use super::networks::Networks;
use super::refusal::TargetRefusal;

/// The targets that requests may be sent to.
///
/// [`TargetPolicy::public`] allows global unicast addresses only. Loopback, private, link-local,
/// shared, multicast, documentation, reserved and cloud metadata addresses are refused, also in
/// each of their IPv6 forms (IPv4-mapped, NAT64, 6to4, Teredo, …).
///
/// The rules are applied in this order, and each form of an address must pass:
/// 1. an address in a denied network is refused;
/// 2. a metadata address is refused, even in an allowed network, unless
///    [`allow_metadata`](Self::allow_metadata) was called;
/// 3. an address in an allowed network, or an allowed address at its port, is allowed;
/// 4. an address with a special purpose is refused.
///
/// ```
/// use delivery::TargetPolicy;
///
/// let policy = TargetPolicy::public().allow("10.20.0.0/16".parse()?);
/// assert!(policy.check("10.20.1.1".parse()?).is_ok());
/// assert!(policy.check("10.30.1.1".parse()?).is_err());
/// assert!(policy.check("::ffff:127.0.0.1".parse()?).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct TargetPolicy {
    networks: Networks,
    only_hosts: Option<Vec<HostPattern>>,
    deny_hosts: Vec<HostPattern>,
    only_ports: Option<Vec<u16>>,
    deny_ports: Vec<u16>,
    https_only: bool,
}

impl TargetPolicy {
    /// Creates a policy that allows global unicast addresses only, with any host name, any port but
    /// 0, `http` and `https`.
    #[must_use]
    pub fn public() -> Self {
        Self {
            networks: Networks::default(),
            only_hosts: None,
            deny_hosts: Vec::new(),
            only_ports: None,
            deny_ports: vec![0],
            https_only: false,
        }
    }

    /// Allows a network, public or not. Metadata addresses in it are still refused.
    #[must_use]
    pub fn allow(mut self, net: IpNet) -> Self {
        self.networks.open.push(net.trunc());
        self
    }

    /// Allows an address at one port only, such as a service of the platform on this machine. The
    /// rules for host names, ports and the scheme still apply.
    #[must_use]
    pub fn allow_at(mut self, target: SocketAddr) -> Self {
        self.networks.open_at.push(target);
        self
    }

    /// Adds advice to the refusal of an address in this network because of its special purpose:
    /// what a user can do about it on this platform. The users of all webhooks can read it.
    #[must_use]
    pub fn advise(mut self, net: IpNet, advice: &'static str) -> Self {
        self.networks.advice.push((net.trunc(), advice));
        self
    }

    /// Denies a network, with precedence over every [`allow`](Self::allow).
    #[must_use]
    pub fn deny(mut self, net: IpNet) -> Self {
        self.networks.closed.push(net.trunc());
        self
    }

    /// Allows the metadata addresses of cloud providers (169.254.169.254, 168.63.129.16, …), which
    /// return credentials of the requesting machine. Hardly any platform needs this.
    #[must_use]
    pub fn allow_metadata(mut self) -> Self {
        self.networks.metadata = true;
        self
    }

    /// Denies the host names of a pattern. Literal addresses are not host names.
    #[must_use]
    pub fn deny_host(mut self, pattern: HostPattern) -> Self {
        self.deny_hosts.push(pattern);
        self
    }

    /// Allows only host names that match the patterns of all calls of this method. Literal
    /// addresses are then refused, unless they are in an allowed network.
    #[must_use]
    pub fn only_host(mut self, pattern: HostPattern) -> Self {
        self.only_hosts.get_or_insert_default().push(pattern);
        self
    }

    /// Denies a port.
    #[must_use]
    pub fn deny_port(mut self, port: u16) -> Self {
        self.deny_ports.push(port);
        self
    }

    /// Allows only the ports of all calls of this method.
    #[must_use]
    pub fn only_port(mut self, port: u16) -> Self {
        self.only_ports.get_or_insert_default().push(port);
        self
    }

    /// Denies `http` targets.
    #[must_use]
    pub fn https_only(mut self) -> Self {
        self.https_only = true;
        self
    }

    /// Checks an address for a connection to any port.
    ///
    /// # Errors
    ///
    /// The [`TargetRefusal`] of the first rule that the address, or an address that it contains,
    /// breaks.
    pub fn check(&self, addr: IpAddr) -> Result<(), TargetRefusal> {
        self.networks.check(addr, None)
    }

    /// Checks an address for a connection to this port.
    pub(crate) fn check_at(&self, target: SocketAddr) -> Result<(), TargetRefusal> {
        self.networks.check(target.ip(), Some(target.port()))
    }

    /// Checks the URL only: scheme, host name or literal address, port. If a host name passes, it
    /// must still be resolved, and each of its addresses checked.
    ///
    /// # Errors
    ///
    /// The [`TargetRefusal`] of the first rule that the URL breaks.
    pub fn check_url(&self, url: &url::Url) -> Result<(), TargetRefusal> {
        let port = url.port_or_known_default().unwrap_or(0);
        let https = url.scheme() == "https";
        match url.host() {
            Some(url::Host::Domain(name)) => self.check_name(https, name, port),
            Some(url::Host::Ipv4(v4)) => self.check_literal(https, v4.into(), port),
            Some(url::Host::Ipv6(v6)) => self.check_literal(https, v6.into(), port),
            None => Err(TargetRefusal::HostName),
        }
    }

    pub(crate) fn check_name(
        &self,
        https: bool,
        name: &str,
        port: u16,
    ) -> Result<(), TargetRefusal> {
        self.check_scheme_and_port(https, port)?;
        let listed = |patterns: &[HostPattern]| patterns.iter().any(|p| p.matches(name));
        if listed(&self.deny_hosts) || self.only_hosts.as_deref().is_some_and(|only| !listed(only))
        {
            return Err(TargetRefusal::HostName);
        }
        Ok(())
    }

    pub(crate) fn check_literal(
        &self,
        https: bool,
        addr: IpAddr,
        port: u16,
    ) -> Result<(), TargetRefusal> {
        self.check_scheme_and_port(https, port)?;
        self.check_at(SocketAddr::new(addr, port))?;
        if self.only_hosts.is_some() && !self.networks.opens(addr, port) {
            return Err(TargetRefusal::HostName);
        }
        Ok(())
    }

    fn check_scheme_and_port(&self, https: bool, port: u16) -> Result<(), TargetRefusal> {
        if self.https_only && !https {
            return Err(TargetRefusal::Scheme);
        }
        let missing = self
            .only_ports
            .as_ref()
            .is_some_and(|only| !only.contains(&port));
        if missing || self.deny_ports.contains(&port) {
            return Err(TargetRefusal::Port(port));
        }
        Ok(())
    }
}
