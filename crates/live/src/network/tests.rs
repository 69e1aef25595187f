//! Cameras on this machine that answer in every way but the usual one.

use super::*;
use image::{ImageFormat, RgbImage};
use rustls::{
    ServerConfig, ServerConnection, StreamOwned,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};
use setsight_testkit::{
    camera::{grey, request, serve},
    child::LIMIT,
    pictures::encoded,
};
use std::{
    io::Write,
    net::{TcpListener, TcpStream},
    sync::mpsc::{Receiver, channel},
};

const PATIENCE: Duration = Duration::from_millis(400);

fn camera(port: u16, path: &str) -> NetworkCamera {
    let address = format!("http://ann:s3cret@127.0.0.1:{port}{path}").parse().unwrap();
    NetworkCamera { address, patience: PATIENCE }
}

fn opened(port: u16) -> Result<Box<dyn Camera>, CameraError> {
    camera(port, "/video").open(&CameraChoice::First)
}

fn level(camera: &mut Box<dyn Camera>) -> u8 {
    camera.read().unwrap().unwrap().frame[(3, 3)].0[0] / 10
}

const MULTIPART: &[u8] =
    b"HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=b\r\n\r\n--b\r\n\r\n";

#[test]
fn secrets_stay_with_the_host_port_and_scheme_that_they_are_for() {
    // Another port of the same host: it is asked, without them.
    let (other, asked_there) = serve(1, |_, out| {
        out.write_all(MULTIPART)?;
        out.write_all(&grey(45))?;
        std::thread::sleep(Duration::from_millis(200));
        Ok(())
    });
    let (port, asked) = serve(1, move |_, out| {
        write!(out, "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:{other}/there\r\n\r\n")
    });
    assert_eq!(level(&mut opened(port).unwrap()), 4);
    assert!(asked.recv_timeout(LIMIT).unwrap().contains("authorization: Basic YW5uOnMzY3JldA=="));
    let there = asked_there.recv_timeout(LIMIT).unwrap();
    assert!(there.starts_with("GET /there ") && !there.contains("authorization"), "{there}");
    // The same place: with them.
    let (port, asked) = serve(2, |number, out| match number {
        0 => write!(out, "HTTP/1.1 301 Moved\r\nLocation: /there?x=1\r\n\r\n"),
        _ => out.write_all(&[MULTIPART, &grey(75)].concat()),
    });
    assert_eq!(level(&mut opened(port).unwrap()), 7);
    asked.recv_timeout(LIMIT).unwrap();
    let there = asked.recv_timeout(LIMIT).unwrap();
    assert!(there.starts_with("GET /there?x=1 ") && there.contains("authorization"), "{there}");
    // Another host: it is not even asked.
    let other = TcpListener::bind("127.0.0.2:0");
    let (port, _) = serve(1, |_, out| {
        write!(out, "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.2:9/there\r\n\r\n")
    });
    let error = opened(port).err().unwrap().to_string();
    assert!(
        error.contains("it sends on to http://127.0.0.2:9/there, which is not asked"),
        "{error}"
    );
    drop(other);
}

#[test]
fn a_redirection_to_itself_ends() {
    let (port, asked) =
        serve(40, |_, out| write!(out, "HTTP/1.1 302 Found\r\nLocation: /video\r\n\r\n"));
    let error = opened(port).err().unwrap().to_string();
    assert!(error.contains("HTTP 302"), "{error}");
    assert_eq!(asked.try_iter().count(), 6);
}

#[test]
fn a_head_that_dribbles_is_told_of_in_time() {
    let (port, _) = serve(1, |_, out| {
        for byte in MULTIPART {
            out.write_all(&[*byte])?;
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    });
    let begun = Instant::now();
    let error = opened(port).err().unwrap().to_string();
    assert!(error.contains("no answer within 0.4 s"), "{error}");
    assert!(begun.elapsed() < 5 * PATIENCE, "{:?}", begun.elapsed());
}

#[test]
fn png_is_called_by_its_name() {
    let (port, _) = serve(1, |_, out| {
        let png = encoded(RgbImage::new(64, 48), ImageFormat::Png);
        out.write_all(MULTIPART)?;
        for _ in 0..50 {
            out.write_all(&png)?;
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    });
    let error = opened(port).unwrap().read().unwrap_err();
    assert!(
        matches!(&error, CameraError::NoPictures { reason, .. } if reason.contains("PNG")),
        "{error}"
    );
}

#[test]
fn a_camera_that_gives_one_picture_for_each_request_is_asked_again() {
    let (port, asked) = serve(4, |number, out| {
        let jpeg = grey(45 + 20 * number as u8);
        write!(
            out,
            "HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: {}\r\n\r\n",
            jpeg.len()
        )?;
        out.write_all(&jpeg)
    });
    let mut camera = camera(port, "/shot.jpg").open(&CameraChoice::First).unwrap();
    let levels: Vec<u8> = (0..4).map(|_| level(&mut camera)).collect();
    assert_eq!(levels, [4, 6, 8, 10]);
    for _ in 0..4 {
        assert!(asked.recv_timeout(LIMIT).unwrap().starts_with("GET /shot.jpg "));
    }
}

/// Serves as many TLS connections with this certificate and one picture each.
fn serve_tls(connections: usize, certificate: &str, key: &str) -> (u16, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let certificate = CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap();
    let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    let (config, (told, asked)) = (Arc::new(config), channel());
    std::thread::spawn(move || {
        for _ in 0..connections {
            let Ok((tcp, _)) = listener.accept() else { return };
            let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut tls: StreamOwned<ServerConnection, TcpStream> =
                StreamOwned::new(connection, tcp);
            let _ = told.send(request(&mut tls));
            let _ = tls.write_all(&[MULTIPART, &grey(55)].concat());
            std::thread::sleep(Duration::from_millis(100));
        }
    });
    (port, asked)
}

#[test]
fn a_certificate_is_accepted_once_and_no_other_passes() {
    let home = tempfile::tempdir().unwrap();
    let accepted = Accepted::at(&home.path().join("cameras.json"));
    let (port, asked) = serve_tls(2, CERTIFICATE, KEY);
    let address = |port: u16| -> Address {
        format!("https://ann:s3cret@127.0.0.1:{port}/video").parse().unwrap()
    };
    let refused = |address: &Address| match http::get(address, PATIENCE, &accepted) {
        Err(CameraError::Certificate { fingerprint, known, .. }) => (fingerprint, known),
        other => panic!("{:?}", other.err()),
    };
    let (fingerprint, known) = refused(&address(port));
    assert_eq!((&*fingerprint, known), (FINGERPRINT, None));
    assert_eq!(asked.recv_timeout(LIMIT).unwrap(), "", "nothing was asked, no password sent");
    accepted.accept(&address(port).url, &fingerprint).unwrap();
    let answer = http::get(&address(port), PATIENCE, &accepted).unwrap();
    let picture = Jpegs::new(answer.body).next_piece().unwrap();
    assert!(matches!(picture, Some(Piece::Whole(_))));
    assert!(asked.recv_timeout(LIMIT).unwrap().contains("authorization: Basic"));
    // Somebody else answers there.
    let (other, asked) = serve_tls(1, OTHER_CERTIFICATE, OTHER_KEY);
    accepted.accept(&address(other).url, &fingerprint).unwrap();
    let (_, known) = refused(&address(other));
    assert_eq!(known.as_deref(), Some(FINGERPRINT));
    assert_eq!(asked.recv_timeout(LIMIT).unwrap(), "");
}

#[test]
fn an_address_keeps_its_secrets() {
    let address: Address = "http://ann:s3cret%21@10.0.0.7:8080/video?pwd=hidden".parse().unwrap();
    assert_eq!(address.to_string(), "http://10.0.0.7:8080/video");
    assert_eq!(format!("{address:?}"), "Address(http://10.0.0.7:8080/video)");
    let (name, password) = address.credentials().unwrap();
    assert_eq!((&*name, password.as_deref()), ("ann", Some("s3cret!")));
    let words = "rtsp failed: http://ann:s3cret%21@10.0.0.7:8080/video?pwd=hidden: s3cret%21";
    let told = address.without_secrets(words);
    assert!(!told.contains("s3cret") && !told.contains("hidden"), "{told}");
    assert_eq!("http://10.0.0.7/".parse::<Address>().unwrap().credentials(), None);
}

#[test]
fn an_address_without_a_scheme_is_http() {
    for (text, told) in [
        ("192.168.1.20:8080/video", "http://192.168.1.20:8080/video"),
        ("phone:8080/video", "http://phone:8080/video"),
        ("ann:s3cret@phone", "http://phone/"),
        ("rtsp://phone:8554/live", "rtsp://phone:8554/live"),
    ] {
        assert_eq!(text.parse::<Address>().unwrap().to_string(), told);
    }
}

#[test]
fn a_port_that_looks_like_a_refusal_is_none() {
    let address: Address = "rtsp://10.0.0.7:40187/live403".parse().unwrap();
    let camera = NetworkCamera::at(address);
    let told = |words: &str| camera.stream_error(FfmpegError::Said(words.to_owned()));
    let refused = told("Connection to tcp://10.0.0.7:40187?timeout=5 failed: /live403");
    assert!(matches!(refused, CameraError::Unreachable { .. }), "{refused:?}");
    let denied = told("method DESCRIBE failed: 401 Unauthorized");
    assert!(matches!(denied, CameraError::Denied { status: 401, .. }), "{denied:?}");
}

#[test]
fn what_is_no_address_is_refused_without_saying_it_again() {
    for (text, words) in [
        ("", "no address"),
        ("/video", "no address"),
        ("file:///etc/passwd", "kind of address is not known"),
        ("http://", "no address"),
    ] {
        let error = text.parse::<Address>().unwrap_err();
        assert!(error.contains(words) && error.contains("http://192"), "{text}: {error}");
        assert!(!error.contains("s3cret"), "{error}");
    }
}

/// Made for this test: openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes
const CERTIFICATE: &str = "-----BEGIN CERTIFICATE-----
MIIBfTCCASOgAwIBAgIUZLdnK7k29AycGO6RsBB0d9n5Z1YwCgYIKoZIzj0EAwIw
EzERMA8GA1UEAwwIY2FtZXJhLTEwIBcNMjYxMTI1MTcyNTM3WhgPMjEyNjExMDEx
NzI1MzdaMBMxETAPBgNVBAMMCGNhbWVyYS0xMFkwEwYHKoZIzj0CAQYIKoZIzj0D
AQcDQgAEneBgbOeSluhtzYByKv3q83JtJeptq4elRjemyxHLcKgzpaYu4+5OICMb
UAbY+TK+nLDE3non+3j/F7RLCLF98aNTMFEwHQYDVR0OBBYEFBJhjZ5x06126pgm
/bfPgndMTWoQMB8GA1UdIwQYMBaAFBJhjZ5x06126pgm/bfPgndMTWoQMA8GA1Ud
EwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIhAIeDthm0Z7Fo0pM5c/VG9nTD
euuVkNo/iX+NJiLWIkhzAiB/3FkPFt184QkXhbgOMM6EZgk7Y4WmaUzOwuPyLwps
eA==
-----END CERTIFICATE-----";
const KEY: &str = "-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgl8J6VIKiEaewHv58
Y3iHRzJoc0R4EPGAilyoPMvTwuqhRANCAASd4GBs55KW6G3NgHIq/erzcm0l6m2r
h6VGN6bLEctwqDOlpi7j7k4gIxtQBtj5Mr6csMTeeif7eP8XtEsIsX3x
-----END PRIVATE KEY-----";
/// openssl x509 -fingerprint -sha256
const FINGERPRINT: &str = "0E:69:06:94:C4:34:A1:4B:ED:02:1B:22:99:25:8F:46:F1:3E:BE:58:21:E9:51:39:AA:33:34:95:95:A2:E8:2E";
const OTHER_CERTIFICATE: &str = "-----BEGIN CERTIFICATE-----
MIIBfDCCASOgAwIBAgIUGaD7b4OtfxItVWyjvL315zISNu8wCgYIKoZIzj0EAwIw
EzERMA8GA1UEAwwIY2FtZXJhLTIwIBcNMjYxMTI1MTcyNTM3WhgPMjEyNjExMDEx
NzI1MzdaMBMxETAPBgNVBAMMCGNhbWVyYS0yMFkwEwYHKoZIzj0CAQYIKoZIzj0D
AQcDQgAEO+mtX8l4gkUICKM7tjUriGuyBlCTP4YrhETK4BHg/gtjmle/fnBrtXxm
xigLOk6PhpswLHumd+z4IdeZLhhFuaNTMFEwHQYDVR0OBBYEFIhBc/eDa2NEJzdu
ET+tYQsPwxETMB8GA1UdIwQYMBaAFIhBc/eDa2NEJzduET+tYQsPwxETMA8GA1Ud
EwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDRwAwRAIgOkj0uMYV66vytkVj5hazqGJe
+nKyAqIrhJKmrHnev7ICIGNG1zDs9yPvzs8VTm/qH7cSPBQHK1laJHFVzkVpjTYs
-----END CERTIFICATE-----";
const OTHER_KEY: &str = "-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgwCUKko0OmmKM+aoY
xx4dtQZLpdexvOuuMJAelKHSOWahRANCAAQ76a1fyXiCRQgIozu2NSuIa7IGUJM/
hiuERMrgEeD+C2OaV79+cGu1fGbGKAs6To+GmzAse6Z37Pgh15kuGEW5
-----END PRIVATE KEY-----";
