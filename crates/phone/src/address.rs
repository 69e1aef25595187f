//! Where the page can be reached: this machine's private addresses, or those that the user names.

use if_addrs::{IfOperStatus, Interface, get_if_addrs};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, UdpSocket};

/// The port that is tried first.
pub(crate) const PORT: u16 = 8780;
/// How many ports are tried, one after the other.
const PORTS: u16 = 20;

/// Which addresses are listened on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listen {
    /// The private ones of this machine.
    Private,
    /// This one, which may be public; without a port the usual ones are tried.
    At(IpAddr, Option<u16>),
}

/// Why nothing is listened on.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// The system does not tell its addresses.
    #[error("this computer's addresses cannot be found: {0}; name the one to serve on")]
    Unknown(#[source] io::Error),
    /// There is no network that a phone could be on, too.
    #[error(
        "this computer is on no network that a phone could reach; connect it to the Wi-Fi that the \
         phone is on, to the phone's own hotspot, or to the phone by a cable with USB tethering"
    )]
    NoNetwork,
    /// All addresses are public.
    #[error(
        "this computer has public addresses alone ({}), where anybody could knock; it serves there only \
         if one is named", list(.0)
    )]
    PublicOnly(Vec<IpAddr>),
    /// No port is free, or the address is not this machine's.
    #[error("{address} cannot be listened on: {reason}; {}", advice(.reason))]
    Taken {
        /// The address, with its port.
        address: SocketAddr,
        /// What the system says.
        #[source]
        reason: io::Error,
    },
}

fn list(addresses: &[IpAddr]) -> String {
    addresses.iter().map(IpAddr::to_string).collect::<Vec<_>>().join(", ")
}

fn advice(reason: &io::Error) -> &'static str {
    match reason.kind() {
        io::ErrorKind::AddrNotAvailable => "expected an address of this computer",
        io::ErrorKind::AddrInUse => "another program has it; name another port",
        _ => "name another address or port",
    }
}

/// Listens on all addresses that are meant, on one port. The first is the one that a phone most
/// likely reaches.
///
/// # Errors
/// See [`ListenError`].
pub(crate) fn listen(listen: &Listen) -> Result<Vec<TcpListener>, ListenError> {
    let (addresses, port) = match listen {
        Listen::Private => (private_addresses()?, None),
        Listen::At(address, port) => (vec![*address], *port),
    };
    let ports = port.map_or(PORT..=PORT + PORTS, |port| port..=port);
    let mut failed = None;
    for port in ports {
        let bind = |address: &IpAddr| {
            let address = SocketAddr::new(*address, port);
            TcpListener::bind(address).map_err(|reason| ListenError::Taken { address, reason })
        };
        match addresses.iter().map(bind).collect() {
            Ok(listeners) => return Ok(listeners),
            Err(error) => failed = Some(error),
        }
    }
    Err(failed.unwrap_or(ListenError::NoNetwork))
}

/// The addresses under which a listener is reached: its own, or for "any" all of this machine.
pub(crate) fn reached_at(listener: SocketAddr) -> Vec<IpAddr> {
    if !listener.ip().is_unspecified() {
        return vec![listener.ip()];
    }
    let same_kind = |ip: &IpAddr| ip.is_ipv4() == listener.is_ipv4();
    let all = interfaces().unwrap_or_default();
    ranked(all.iter().filter(|one| same_kind(&one.ip())), default_addresses())
}

fn interfaces() -> io::Result<Vec<Interface>> {
    let mut all = get_if_addrs()?;
    all.retain(|one| one.oper_status != IfOperStatus::Down);
    Ok(all)
}

fn private_addresses() -> Result<Vec<IpAddr>, ListenError> {
    of_interfaces(&interfaces().map_err(ListenError::Unknown)?, default_addresses())
}

fn of_interfaces(all: &[Interface], first: Vec<IpAddr>) -> Result<Vec<IpAddr>, ListenError> {
    let outside: Vec<&Interface> = all.iter().filter(|one| is_towards_phones(one)).collect();
    let private = outside.iter().copied().filter(|one| is_private(one.ip()));
    let private = ranked(private, first);
    if !private.is_empty() {
        return Ok(private);
    }
    let public: Vec<IpAddr> = outside.iter().map(|one| one.ip()).filter(is_usable).collect();
    if public.is_empty() {
        return Err(ListenError::NoNetwork);
    }
    Err(ListenError::PublicOnly(public))
}

/// Networks of virtual machines, containers and tunnels, by the names of their interfaces: no phone
/// is there, but others may be.
const VIRTUAL: [&str; 14] = [
    "docker",
    "br-",
    "veth",
    "virbr",
    "vmnet",
    "vboxnet",
    "lxc",
    "lxd",
    "podman",
    "cni",
    "tun",
    "utun",
    "wg",
    "tailscale",
];

fn is_towards_phones(one: &Interface) -> bool {
    let name = one.name.to_lowercase();
    !one.is_loopback() && !VIRTUAL.iter().any(|virtual_| name.starts_with(virtual_))
}

/// Whether an address is of a private network (RFC 1918, RFC 3927, RFC 4193). Those of one link in
/// IPv6 are left out: browsers take no address with an interface's name in it.
fn is_private(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => ip.is_private() || ip.is_link_local(),
        IpAddr::V6(ip) => ip.is_unique_local(),
    }
}

fn is_usable(ip: &IpAddr) -> bool {
    !matches!(ip, IpAddr::V6(ip) if ip.is_unicast_link_local())
}

/// The addresses, each once, those with which this machine reaches other networks first, then those
/// of version 4.
fn ranked<'a>(all: impl Iterator<Item = &'a Interface>, first: Vec<IpAddr>) -> Vec<IpAddr> {
    let mut ips: Vec<IpAddr> = all.map(Interface::ip).filter(is_usable).collect();
    ips.sort();
    ips.dedup();
    ips.sort_by_key(|ip| (!first.contains(ip), ip.is_loopback(), ip.is_ipv6()));
    ips
}

/// The addresses of the routes to other networks. Connecting a socket for datagrams sends nothing.
fn default_addresses() -> Vec<IpAddr> {
    // Addresses that are for documentation alone (RFC 5737, RFC 3849).
    let away = [
        (IpAddr::V4(Ipv4Addr::UNSPECIFIED), IpAddr::V4(Ipv4Addr::new(198, 51, 100, 1))),
        (
            IpAddr::V6(Ipv6Addr::UNSPECIFIED),
            IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1)),
        ),
    ];
    let own = away.iter().filter_map(|&(here, there)| {
        let socket = UdpSocket::bind((here, 0)).ok()?;
        socket.connect((there, 9)).ok()?;
        Some(socket.local_addr().ok()?.ip())
    });
    own.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use if_addrs::{IfAddr, Ifv4Addr, Ifv6Addr};

    fn interface(name: &str, ip: &str) -> Interface {
        let addr = match ip.parse().unwrap() {
            IpAddr::V4(ip) => {
                let netmask = Ipv4Addr::new(255, 255, 255, 0);
                IfAddr::V4(Ifv4Addr { ip, netmask, prefixlen: 24, broadcast: None })
            }
            IpAddr::V6(ip) => {
                let netmask = Ipv6Addr::UNSPECIFIED;
                IfAddr::V6(Ifv6Addr { ip, netmask, prefixlen: 64, broadcast: None })
            }
        };
        let oper_status = IfOperStatus::Up;
        Interface { name: name.into(), addr, index: None, oper_status, is_p2p: false }
    }

    fn found(all: &[(&str, &str)], first: &[&str]) -> Result<Vec<String>, ListenError> {
        let all: Vec<Interface> = all.iter().map(|(name, ip)| interface(name, ip)).collect();
        let first = first.iter().map(|ip| ip.parse().unwrap()).collect();
        of_interfaces(&all, first).map(|ips| ips.iter().map(IpAddr::to_string).collect())
    }

    #[test]
    fn only_private_addresses_where_phones_are_count() {
        let all = [
            ("lo", "127.0.0.1"),
            ("eth0", "8.8.8.8"),
            ("eth0", "fd00::2"),
            ("eth0", "fe80::1"),
            ("docker0", "172.17.0.1"),
            ("wg0", "10.9.0.2"),
            ("usb0", "192.168.42.17"),
            ("wlan0", "192.168.1.20"),
        ];
        let ips = found(&all, &["192.168.1.20"]).unwrap();
        assert_eq!(ips, ["192.168.1.20", "192.168.42.17", "fd00::2"]);
    }

    #[test]
    fn what_has_no_private_address_is_told_why() {
        let loopback = ("lo", "127.0.0.1");
        assert!(matches!(found(&[loopback], &[]), Err(ListenError::NoNetwork)));
        let public = found(&[loopback, ("eth0", "2a02::7"), ("eth0", "fe80::1")], &[]);
        let words = public.unwrap_err().to_string();
        assert!(words.contains("public") && words.contains("2a02::7"), "{words}");
    }

    #[test]
    fn a_port_that_is_taken_leads_to_another_unless_it_was_named() {
        let home = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let first = listen(&Listen::At(home, None)).unwrap();
        let second = listen(&Listen::At(home, None)).unwrap();
        let port = |listeners: &[TcpListener]| listeners[0].local_addr().unwrap().port();
        assert_ne!(port(&first), port(&second));
        let error = listen(&Listen::At(home, Some(port(&first)))).unwrap_err();
        assert!(error.to_string().contains("another program has it"), "{error}");
    }
}
