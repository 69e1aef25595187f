//! What a phone gets that has the key.

mod common;

use base64::Engine;
use common::{PHONE, World, answer_of, body, jpeg, status};
use serde_json::Value;
use std::io::{Read, Write};
use std::{net::TcpStream, sync::Arc};
use tungstenite::Message;
use tungstenite::protocol::{Role, WebSocket};

fn live(world: &World, phone: &str) -> WebSocket<TcpStream> {
    let (stream, head) = world.live(phone);
    assert!(head.starts_with("HTTP/1.1 101 "), "{head}");
    // The example of RFC 6455, 1.3.
    assert!(head.contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), "{head}");
    assert!(head.contains("Sec-WebSocket-Protocol: setsight\r\n"), "{head}");
    WebSocket::from_raw_socket(stream, Role::Client, None)
}

fn json(answer: &str) -> Value {
    serde_json::from_str(body(answer)).unwrap()
}

fn answer_to(socket: &mut WebSocket<TcpStream>, picture: Vec<u8>) -> Value {
    socket.send(Message::binary(picture)).unwrap();
    loop {
        if let Message::Text(text) = socket.read().unwrap() {
            return serde_json::from_str(text.as_str()).unwrap();
        }
    }
}

fn place(world: &World) -> Value {
    json(&world.exchange(format!("{}\r\n", world.head("GET /hello")).as_bytes()))["place"].clone()
}

#[test]
fn the_page_holds_together() {
    let world = World::new();
    let get = |path: &str| {
        world.exchange(format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", world.host).as_bytes())
    };
    let page = get("/");
    assert_eq!(status(&page), 200);
    let parts = body(&page)
        .split(['"', '\n'])
        .filter(|part| part.ends_with(".js") || part.ends_with(".css"));
    let parts: Vec<&str> = parts.chain(["icon.svg"]).collect();
    assert!(parts.len() > 6 && body(&page).contains("icon.svg"), "{parts:?}");
    for part in parts {
        assert_eq!(status(&get(&format!("/{part}"))), 200, "{part}");
    }
    assert_eq!(status(&get("/local.js")), 404, "here the computer reads");
    assert!(page.contains("Content-Security-Policy: default-src 'none'; script-src 'self'"));
    assert!(!body(&page).contains("//"), "nothing comes from elsewhere");
}

#[test]
fn a_photo_is_answered_as_scan_prints_it_but_without_a_path() {
    let world = World::new();
    let answer = world.post("/photo", &jpeg(90));
    assert_eq!(status(&answer), 200, "{answer}");
    let line: Value = serde_json::from_str(body(&answer)).unwrap();
    assert_eq!(line["width"], 320);
    assert_eq!(line["cards"][0]["code"], "2spd");
    assert!(line.get("image").is_none() && line["stage_ms"]["load"].is_number(), "{line}");
    assert_eq!(
        *world.events.lock().unwrap(),
        ["1 came".to_owned(), format!("1 photo {}", jpeg(90).len())]
    );
}

#[test]
fn what_is_no_picture_gets_a_word_that_the_page_knows() {
    let world = World::new();
    let words = include_str!("../page/words.js");
    for (photo, status_, word) in [
        (&b"hello"[..], 422, "unreadable"),
        (&jpeg(90)[..400], 422, "unreadable"),
        (b"", 422, "unreadable"),
        (b"GIF89a................", 422, "format"),
    ] {
        for path in ["/photo", "/picture"] {
            let answer = world.post(path, photo);
            let line: Value = serde_json::from_str(body(&answer)).unwrap();
            assert_eq!((status(&answer), line["error"].as_str()), (status_, Some(word)), "{path}");
            assert!(words.matches(&format!("\"{word}\":")).count() == 2, "{word}");
        }
    }
}

#[test]
fn the_page_has_words_for_each_warning() {
    let words = include_str!("../page/words.js");
    let schema = include_str!("../../../docs/reference/schemas/scan.json");
    let schema: Value = serde_json::from_str(schema).unwrap();
    let kinds =
        &schema["oneOf"][0]["properties"]["warnings"]["items"]["properties"]["kind"]["enum"];
    let kinds = kinds.as_array().expect("the kinds of warnings");
    assert!(kinds.len() > 1, "{kinds:?}");
    for kind in kinds {
        let key = format!("\"warning-{}\":", kind.as_str().unwrap());
        assert_eq!(words.matches(&key).count(), 2, "{key} in English and German");
    }
}

#[test]
fn a_browser_that_cannot_show_a_photo_gets_a_jpeg() {
    let world = World::new();
    let answer = world.post("/picture", &jpeg(90));
    assert_eq!(status(&answer), 200);
    assert!(answer.contains("Content-Type: image/jpeg"));
}

#[test]
fn live_pictures_are_answered_one_by_one_and_the_game_outlives_the_connection() {
    let world = World::new();
    let mut socket = live(&world, PHONE);
    let first = answer_to(&mut socket, jpeg(90));
    assert_eq!((&first["frame"], &first["width"]), (&0.into(), &320.into()), "{first}");
    assert_eq!(answer_to(&mut socket, b"no picture".to_vec())["error"], "unreadable");
    assert_eq!(answer_to(&mut socket, jpeg(95))["frame"], 1);
    // The network is lost: nothing says goodbye.
    let mut again = live(&world, PHONE);
    assert_eq!(answer_to(&mut again, jpeg(99))["frame"], 2);
    assert!(socket.read().is_err(), "the older connection has ended");
    again.close(None).unwrap();
    while again.read().is_ok() {}
    let events = world.events.lock().unwrap().clone();
    assert_eq!(events.iter().filter(|line| *line == "1 came").count(), 1, "{events:?}");
    // Each time that it begins to send pictures.
    assert_eq!(events.iter().filter(|line| *line == "1 live").count(), 2, "{events:?}");
}

/// As aiohttp, websockets and websocket-client open it: with headers, and without protocols.
#[test]
fn other_programs_open_a_websocket_by_the_headers_of_every_request() {
    let world = World::new();
    let protocols = format!("Sec-WebSocket-Protocol: setsight, {}, {PHONE}", world.key);
    let headers = format!("X-Setsight-Key: {}\r\nX-Setsight-Phone: {PHONE}", world.key);
    let (stream, head) = world.opened(&world.live_head(PHONE).replace(&protocols, &headers));
    assert!(head.starts_with("HTTP/1.1 101 "), "{head}");
    assert!(!head.contains("Sec-WebSocket-Protocol"), "it has not named one: {head}");
    let mut socket = WebSocket::from_raw_socket(stream, Role::Client, None);
    assert_eq!(answer_to(&mut socket, jpeg(90))["frame"], 0);
    for text in ["newgame", "", "{}"] {
        socket.send(Message::text(text)).unwrap();
        let Message::Text(answer) = socket.read().unwrap() else { panic!("{text}: no answer") };
        assert_eq!(answer.as_str(), "{\"error\":\"unknown\"}", "{text}");
    }
    assert_eq!(answer_to(&mut socket, jpeg(95))["frame"], 1, "it stays open");
}

#[test]
fn head_is_answered_as_get_without_a_body() {
    let world = World::new();
    let asks = ["/", "/page.css", "/page.js", "/icon.svg", "/hello", "/photo", "/nothing"];
    for path in asks {
        let [get, head] = ["GET", "HEAD"].map(|method| {
            world.exchange(format!("{}\r\n", world.head(&format!("{method} {path}"))).as_bytes())
        });
        let body = body(&get);
        assert_eq!(Some(&*head), get.strip_suffix(body), "{path}");
        assert!(head.contains(&format!("\r\nContent-Length: {}\r\n", body.len())), "{head}");
    }
}

#[test]
fn pictures_by_post_belong_to_the_same_game() {
    let world = World::new();
    for (number, event) in [(0, "1 live"), (1, "1 view 1")] {
        let answer = world.post("/live", &jpeg(90));
        assert_eq!(status(&answer), 200, "{answer}");
        assert_eq!(json(&answer)["frame"], number, "{answer}");
        assert!(world.events.lock().unwrap().iter().any(|line| line == event), "{event}");
    }
    assert_eq!(json(&world.post("/live", b"no picture"))["error"], "unreadable");
    assert_eq!(json(&world.post("/live", b"new-game")), serde_json::json!({}));
}

/// As curl sends large photos: the head first, and the body when that is wanted.
#[test]
fn a_body_that_waits_is_asked_for() {
    let world = World::new();
    let photo = jpeg(90);
    let head = world.head("POST /photo");
    let head = format!("{head}Content-Length: {}\r\nExpect: 100-continue\r\n\r\n", photo.len());
    let mut stream = world.connect();
    stream.write_all(head.as_bytes()).unwrap();
    let mut asked = [0; 25];
    stream.read_exact(&mut asked).unwrap();
    assert_eq!(&asked, b"HTTP/1.1 100 Continue\r\n\r\n");
    assert_eq!(status(&answer_of(stream, &photo)), 200);
}

/// 127.0.0.2 is this machine's, and stands in no list of its addresses, as one that is new.
#[cfg(target_os = "linux")]
#[test]
fn who_listens_on_all_addresses_answers_on_new_ones() {
    let mut world = World::listening(std::net::Ipv4Addr::UNSPECIFIED);
    let port = world.host.rsplit_once(':').unwrap().1.to_owned();
    assert!(!world.server.follow_network(), "nothing has changed");
    for ip in ["127.0.0.1", "127.0.0.2"] {
        world.host = format!("{ip}:{port}");
        let page =
            world.exchange(format!("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", world.host).as_bytes());
        assert_eq!(status(&page), 200, "{ip}");
    }
    let evil = format!("GET / HTTP/1.1\r\nHost: evil.example:{port}\r\n\r\n");
    assert_eq!(status(&world.exchange(evil.as_bytes())), 404);
}

#[test]
fn a_fifth_phone_waits() {
    let world = World::new();
    let phone = |n: u8| format!("00000000000000f{n}");
    let mut four: Vec<_> = (0..4).map(|n| live(&world, &phone(n))).collect();
    for socket in &mut four {
        answer_to(socket, jpeg(90));
    }
    let answer = world.exchange(world.live_head(&phone(4)).as_bytes());
    assert_eq!((status(&answer), body(&answer)), (503, "{\"error\":\"full\"}"));
    // Whether there is a place is another question than whether a WebSocket opens.
    assert_eq!(place(&world), false);
    let photo = world.post("/photo", &jpeg(90));
    assert_eq!(status(&photo), 503, "{PHONE} is a fifth one, too");
    let mut gone = four.pop().unwrap();
    gone.close(None).unwrap();
    while gone.read().is_ok() {}
    // Its thread may still be at it.
    let mut answer = world.post("/photo", &jpeg(90));
    for _ in 0..100 {
        if status(&answer) == 200 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
        answer = world.post("/photo", &jpeg(90));
    }
    assert_eq!(status(&answer), 200, "{answer}");
    assert_eq!(place(&world), true);
}

#[test]
fn the_same_port_speaks_tls() {
    use rustls::{
        ClientConfig, ClientConnection, RootCertStore, StreamOwned, pki_types::ServerName,
    };
    let world = World::new();
    let kept: Value =
        serde_json::from_slice(&std::fs::read(world.home.path().join("certificate.json")).unwrap())
            .unwrap();
    let der =
        base64::engine::general_purpose::STANDARD.decode(kept["certificate"].as_str().unwrap());
    let mut roots = RootCertStore::empty();
    roots.add(der.unwrap().into()).unwrap();
    let config =
        ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
    let name = ServerName::try_from("127.0.0.1").unwrap();
    let client = ClientConnection::new(Arc::new(config), name).unwrap();
    let mut stream = StreamOwned::new(client, world.connect());
    let head = world
        .head("GET /hello")
        .replace("Host", &format!("Origin: https://{}\r\nHost", world.host));
    stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert_eq!(status(&answer), 200, "{answer}");
}

#[test]
fn a_server_that_stops_is_gone() {
    let world = World::new();
    let mut socket = live(&world, PHONE);
    answer_to(&mut socket, jpeg(90));
    let idle = world.connect();
    let hello = format!("{}\r\n", world.head("GET /hello"));
    let World { server, host, .. } = world;
    assert!(server.is_in_use());
    server.stop();
    assert!(socket.read().is_err());
    drop(idle);
    // The port may by now be another test's, where the key is wrong.
    let answer = TcpStream::connect(host).map(|stream| answer_of(stream, hello.as_bytes()));
    assert!(!answer.is_ok_and(|answer| status(&answer) == 200), "nothing listens any longer");
}
