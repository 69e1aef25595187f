//! Where the page can be reached: this machine's private addresses, or those that the user names.

use if_addrs::{IfOperStatus, Interface, get_if_addrs};
use setsight_files::small_file::{MAX_SETTINGS_BYTES, read_text};
use std::{
    io::{self, ErrorKind},
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, UdpSocket},
    path::Path,
};

/// The port that is tried first.
pub(crate) const PORT: u16 = 8780;
/// How many ports are tried, one after the other.
const PORTS: u16 = 20;

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
    #[error("this computer's addresses cannot be found: {0}; name the one to serve on")]
    Unknown(#[source] io::Error),
    #[error(
        "this computer is on no network that a phone could reach; connect it to the Wi-Fi that the \
         phone is on, to the phone's own hotspot, or to the phone by a cable with USB tethering"
    )]
    NoNetwork,
    #[error(
        "this computer has public addresses alone ({}), where anybody could knock; it serves there only \
         if one is named", list(.0)
    )]
    PublicOnly(Vec<IpAddr>),
    #[error("{0} is not an address of this computer")]
    Elsewhere(IpAddr),
    #[error("{address} cannot be listened on: {reason}; {}", advice(.reason))]
    Taken {
        address: SocketAddr,
        #[source]
        reason: io::Error,
    },
}

fn list(addresses: &[IpAddr]) -> String {
    addresses.iter().map(IpAddr::to_string).collect::<Vec<_>>().join(", ")
}

fn advice(reason: &io::Error) -> &'static str {
    match reason.kind() {
        ErrorKind::AddrInUse => "another program has it; name another port",
        _ => "name another address or port",
    }
}

/// Listens on all addresses that are meant, on one port. The first is the one that a phone most
/// likely reaches.
pub(crate) fn listen(listen: &Listen) -> Result<Vec<TcpListener>, ListenError> {
    let (addresses, port) = match listen {
        Listen::Private => (private_addresses()?, None),
        Listen::At(address, port) => (vec![*address], *port),
    };
    listen_on(&addresses, port)
}

fn listen_on(addresses: &[IpAddr], port: Option<u16>) -> Result<Vec<TcpListener>, ListenError> {
    let ports = port.map_or(PORT..=PORT + PORTS, |port| port..=port);
    let mut failed = None;
    for port in ports {
        let (listeners, errors): (Vec<_>, Vec<_>) =
            addresses.iter().map(|address| bind(*address, port)).partition(Result::is_ok);
        let errors: Vec<ListenError> = errors.into_iter().filter_map(Result::err).collect();
        // An address that does not bind may still be tested by the system (RFC 4862, 5.4).
        let is_taken = errors.iter().any(|error| {
            matches!(error, ListenError::Taken { reason, .. } if reason.kind() == ErrorKind::AddrInUse)
        });
        if !listeners.is_empty() && !is_taken {
            return Ok(listeners.into_iter().filter_map(Result::ok).collect());
        }
        failed = errors.into_iter().next().or(failed);
    }
    Err(failed.unwrap_or(ListenError::NoNetwork))
}

pub(crate) fn bind(address: IpAddr, port: u16) -> Result<TcpListener, ListenError> {
    let address = SocketAddr::new(address, port);
    TcpListener::bind(address).map_err(|reason| match reason.kind() {
        ErrorKind::AddrNotAvailable => ListenError::Elsewhere(address.ip()),
        _ => ListenError::Taken { address, reason },
    })
}

/// The addresses under which a listener is reached: its own, or for "any" all of this machine.
pub(crate) fn reached_at(listener: SocketAddr) -> Vec<IpAddr> {
    if !listener.ip().is_unspecified() {
        return vec![listener.ip()];
    }
    let all = interfaces().unwrap_or_default();
    let same_kind = all.iter().filter(|one| one.ip().is_ipv4() == listener.is_ipv4());
    ranked(same_kind, &WayOut::now())
}

fn interfaces() -> io::Result<Vec<Interface>> {
    let mut all = get_if_addrs()?;
    all.retain(|one| one.oper_status != IfOperStatus::Down);
    for one in &mut all {
        one.is_p2p |= is_tunnel(&one.name);
    }
    Ok(all)
}

/// Whether the system says that an interface is a tunnel: a device of a program, or one that is no
/// Ethernet and no Wi-Fi (include/uapi/linux/if_arp.h). Other systems tell it with the addresses.
fn is_tunnel(name: &str) -> bool {
    const ETHERNET: &str = "1";
    let folder = Path::new("/sys/class/net").join(name);
    let kind = read_text(&folder.join("type"), MAX_SETTINGS_BYTES);
    folder.join("tun_flags").exists() || kind.is_ok_and(|kind| kind.trim() != ETHERNET)
}

/// The private addresses of this machine's networks where phones can be.
pub(crate) fn private_addresses() -> Result<Vec<IpAddr>, ListenError> {
    of_interfaces(&interfaces().map_err(ListenError::Unknown)?, &WayOut::now())
}

fn of_interfaces(all: &[Interface], first: &WayOut) -> Result<Vec<IpAddr>, ListenError> {
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

/// Networks of virtual machines and containers, by the names of their interfaces, which the system
/// calls Ethernet: no phone is there, but others may be.
const VIRTUAL: [&str; 10] =
    ["docker", "br-", "veth", "virbr", "vmnet", "vboxnet", "lxc", "lxd", "podman", "cni"];

fn is_towards_phones(one: &Interface) -> bool {
    let name = one.name.to_lowercase();
    let is_virtual = VIRTUAL.iter().any(|virtual_| name.starts_with(virtual_));
    !one.is_loopback() && !one.is_p2p && !is_virtual
}

/// Whether an address is of a private network (RFC 1918, RFC 3927, RFC 4193, RFC 6598, which some
/// hotspots give out). Those of one link in
/// IPv6 are left out: browsers take no address with an interface's name in it.
fn is_private(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => {
            let [a, b, ..] = ip.octets();
            ip.is_private() || ip.is_link_local() || (a == 100 && b & 0xc0 == 64)
        }
        IpAddr::V6(ip) => ip.is_unique_local(),
    }
}

fn is_usable(ip: &IpAddr) -> bool {
    !matches!(ip, IpAddr::V6(ip) if ip.is_unicast_link_local())
}

/// The addresses, each once: those with which this machine reaches other networks first, tunnels
/// and loopback last, version 4 before version 6.
fn ranked<'a>(all: impl Iterator<Item = &'a Interface>, first: &WayOut) -> Vec<IpAddr> {
    let mut all: Vec<_> = all.filter(|one| is_usable(&one.ip())).collect();
    all.sort_by_key(|one| {
        let ip = one.ip();
        let is_last = one.is_p2p || one.is_loopback();
        let is_way_out = (first.addresses.contains(&ip), first.interfaces.contains(&one.name));
        (is_last, !is_way_out.0, !is_way_out.1, ip.is_ipv6(), ip)
    });
    let mut ips: Vec<IpAddr> = Vec::new();
    for one in all {
        if !ips.contains(&one.ip()) {
            ips.push(one.ip());
        }
    }
    ips
}

/// How this machine reaches other networks.
#[derive(Default)]
struct WayOut {
    addresses: Vec<IpAddr>,
    /// Interfaces with a route to all networks. A tunnel that is the way out leaves the route of the
    /// network below it, where the phones are.
    interfaces: Vec<String>,
}

impl WayOut {
    fn now() -> Self {
        let routes =
            read_text(Path::new("/proc/net/route"), MAX_SETTINGS_BYTES).unwrap_or_default();
        Self { addresses: default_addresses(), interfaces: default_interfaces(&routes) }
    }
}

/// The interfaces of the routes to all networks in Linux's table: a name, where to, .., and the mask.
fn default_interfaces(routes: &str) -> Vec<String> {
    const ALL: &str = "00000000";
    let lines = routes.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let of_all = lines.filter(|line| line.get(1) == Some(&ALL) && line.get(7) == Some(&ALL));
    of_all.map(|line| line[0].to_owned()).collect()
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
    let addresses = away.iter().filter_map(|&(local, remote)| {
        let socket = UdpSocket::bind((local, 0)).ok()?;
        socket.connect((remote, 9)).ok()?;
        Some(socket.local_addr().ok()?.ip())
    });
    addresses.collect()
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
        let addresses = first.iter().map(|ip| ip.parse().unwrap()).collect();
        let way_out = WayOut { addresses, ..WayOut::default() };
        of_interfaces(&all, &way_out).map(|ips| ips.iter().map(IpAddr::to_string).collect())
    }

    #[test]
    fn only_private_addresses_where_phones_are_count() {
        let all = [
            ("lo", "127.0.0.1"),
            ("eth0", "8.8.8.8"),
            ("eth0", "fd00::2"),
            ("eth0", "fe80::1"),
            ("docker0", "172.17.0.1"),
            ("usb0", "192.168.42.17"),
            ("wlan0", "192.168.1.20"),
        ];
        let ips = found(&all, &["192.168.1.20"]).unwrap();
        assert_eq!(ips, ["192.168.1.20", "192.168.42.17", "fd00::2"]);
    }

    /// Whatever a tunnel is called, it is not where the phones are.
    #[test]
    fn tunnels_are_left_out_and_the_network_below_them_comes_first() {
        for name in ["nordlynx", "proton0", "CloudflareWARP", "cscotun0", "ppp0"] {
            let tunnel = Interface { is_p2p: true, ..interface(name, "10.5.0.2") };
            let all = [tunnel, interface("eth1", "10.0.0.9"), interface("wlan0", "192.168.1.20")];
            let routes = "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\n\
                          wlan0\t00000000\t0101A8C0\t0003\t0\t0\t600\t00000000\n\
                          eth1\t0000000A\t00000000\t0001\t0\t0\t100\t000000FF\n";
            let way_out = WayOut {
                addresses: vec!["10.5.0.2".parse().unwrap()],
                interfaces: default_interfaces(routes),
            };
            let ips = of_interfaces(&all, &way_out).unwrap();
            let expected = ["192.168.1.20", "10.0.0.9"].map(|ip| ip.parse::<IpAddr>().unwrap());
            assert_eq!(ips, expected, "{name}");
        }
    }

    #[test]
    fn shared_addresses_of_providers_are_private() {
        assert_eq!(found(&[("wlan0", "100.72.3.4")], &[]).unwrap(), ["100.72.3.4"]);
        for public in ["100.63.0.1", "100.128.0.1"] {
            assert!(matches!(found(&[("wlan0", public)], &[]), Err(ListenError::PublicOnly(_))));
        }
    }

    #[test]
    fn without_a_private_address_the_error_says_why() {
        let loopback = ("lo", "127.0.0.1");
        assert!(matches!(found(&[loopback], &[]), Err(ListenError::NoNetwork)));
        let public = found(&[loopback, ("eth0", "2a02::7"), ("eth0", "fe80::1")], &[]);
        let words = public.unwrap_err().to_string();
        assert!(words.contains("public") && words.contains("2a02::7"), "{words}");
    }

    /// The system tests a new address of version 6 before it lets anybody listen there.
    #[test]
    fn an_address_that_does_not_bind_does_not_end_the_rest() {
        let addresses = ["127.0.0.1", "2001:db8::7"].map(|ip| ip.parse().unwrap());
        assert_eq!(listen_on(&addresses, None).unwrap().len(), 1);
        assert!(listen_on(&addresses[1..], None).is_err());
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
