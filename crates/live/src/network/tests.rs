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
    net::TcpListener,
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
fn a_login_stays_on_its_host() {
    // Another path or port of the same host: with the login.
    let (other, asked_elsewhere) =
        serve(1, |_, out| out.write_all(&[MULTIPART, &grey(45)].concat()));
    let (port, asked) = serve(2, move |number, out| match number {
        0 => write!(out, "HTTP/1.1 301 Moved\r\nLocation: /there?x=1\r\n\r\n"),
        _ => write!(out, "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:{other}/\r\n\r\n"),
    });
    assert_eq!(level(&mut opened(port).unwrap()), 4);
    let login = "authorization: Basic YW5uOnMzY3JldA==";
    assert!(asked.recv_timeout(LIMIT).unwrap().contains(login));
    let request = asked.recv_timeout(LIMIT).unwrap();
    assert!(request.starts_with("GET /there?x=1 ") && request.contains(login), "{request}");
    assert!(asked_elsewhere.recv_timeout(LIMIT).unwrap().contains(login));
    // Another host: without it.
    let (other, asked_elsewhere) =
        serve(1, |_, out| out.write_all(&[MULTIPART, &grey(75)].concat()));
    let (port, _) = serve(1, move |_, out| {
        write!(out, "HTTP/1.1 302 Found\r\nLocation: http://localhost:{other}/\r\n\r\n")
    });
    assert_eq!(level(&mut opened(port).unwrap()), 7);
    let request = asked_elsewhere.recv_timeout(LIMIT).unwrap();
    assert!(!request.contains("authorization"), "{request}");
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
fn a_head_that_dribbles_is_reported_in_time() {
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

/// Serves one picture over TLS, with a certificate that no authority has signed.
fn serve_tls() -> (u16, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let certificate = CertificateDer::from_pem_slice(CERTIFICATE.as_bytes()).unwrap();
    let key = PrivateKeyDer::from_pem_slice(KEY.as_bytes()).unwrap();
    let config =
        ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key)
            .unwrap();
    let (requests, asked) = channel();
    std::thread::spawn(move || {
        let Ok((tcp, _)) = listener.accept() else { return };
        let connection = ServerConnection::new(Arc::new(config)).unwrap();
        let mut tls = StreamOwned::new(connection, tcp);
        let _ = requests.send(request(&mut tls));
        let _ = tls.write_all(&[MULTIPART, &grey(55)].concat());
    });
    (port, asked)
}

#[test]
fn no_secret_is_sent_to_whoever_has_an_unknown_certificate() {
    let (port, asked) = serve_tls();
    let address = format!("https://127.0.0.1:{port}/video").parse().unwrap();
    let mut camera = NetworkCamera { address, patience: LIMIT }.open(&CameraChoice::First).unwrap();
    assert_eq!(level(&mut camera), 5);
    assert!(!asked.recv_timeout(LIMIT).unwrap().contains("authorization"));
    // ffmpeg does not accept it; without ffmpeg nobody asks.
    for (login, query) in [("ann:s3cret@", ""), ("", "?pwd=s3cret")] {
        let (port, asked) = serve_tls();
        let address = format!("https://{login}127.0.0.1:{port}/video{query}").parse().unwrap();
        let camera = NetworkCamera { address, patience: PATIENCE };
        let error = camera.open(&CameraChoice::First).err().unwrap().to_string();
        assert!(!error.contains("s3cret"), "{error}");
        assert!(!asked.recv_timeout(PATIENCE).unwrap_or_default().contains("s3cret"), "{error}");
    }
}

#[test]
fn an_address_keeps_its_secrets() {
    let address: Address = "http://ann:s3cret%21@10.0.0.7:8080/video?pwd=hidden".parse().unwrap();
    assert_eq!(address.to_string(), "http://10.0.0.7:8080/video");
    assert_eq!(format!("{address:?}"), "Address(http://10.0.0.7:8080/video)");
    let (name, password) = address.credentials().unwrap();
    assert_eq!((&*name, password.as_deref()), ("ann", Some("s3cret!")));
    let words = "rtsp failed: http://ann:s3cret%21@10.0.0.7:8080/video?pwd=hidden: s3cret%21";
    let cleaned = address.without_secrets(words);
    assert!(!cleaned.contains("s3cret") && !cleaned.contains("hidden"), "{cleaned}");
    assert_eq!("http://10.0.0.7/".parse::<Address>().unwrap().credentials(), None);
}

#[test]
fn an_address_without_a_scheme_is_http() {
    for (text, expected) in [
        ("192.168.1.20:8080/video", "http://192.168.1.20:8080/video"),
        ("phone:8080/video", "http://phone:8080/video"),
        ("ann:s3cret@phone", "http://phone/"),
        ("rtsp://phone:8554/live", "rtsp://phone:8554/live"),
    ] {
        assert_eq!(text.parse::<Address>().unwrap().to_string(), expected);
    }
}

#[test]
fn a_port_that_looks_like_a_refusal_is_none() {
    let address: Address = "rtsp://10.0.0.7:40187/live403".parse().unwrap();
    let camera = NetworkCamera::at(address);
    let error_for = |words: &str| camera.stream_error(FfmpegError::Message(words.to_owned()));
    let refused = error_for("Connection to tcp://10.0.0.7:40187?timeout=5 failed: /live403");
    assert!(matches!(refused, CameraError::Unreachable { .. }), "{refused:?}");
    let denied = error_for("method DESCRIBE failed: 401 Unauthorized");
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
