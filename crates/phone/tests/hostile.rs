//! What the server does with those who mean no good, while a phone plays.

mod common;

use common::{PHONE, SLOW_PX, World, answer_of, body, jpeg, status, wide_jpeg};
use std::{
    io::{Read, Write},
    net::{Shutdown, TcpStream},
    time::{Duration, Instant},
};
use tungstenite::Message;
use tungstenite::protocol::{Role, WebSocket};

/// The answer to every request that is refused.
fn nothing(world: &World) -> String {
    world.exchange(b"GET /nothing HTTP/1.1\r\n\r\n")
}

#[test]
fn who_has_no_key_cannot_tell_one_refusal_from_another() {
    let world = World::new();
    let nothing = nothing(&world);
    assert_eq!((status(&nothing), body(&nothing)), (404, "not found\n"));
    let host = format!("Host: {}\r\n", world.host);
    let wrong_key = "X-Setsight-Key: 00000000000000000000000000000000\r\n";
    let requests = [
        format!("GET /hello HTTP/1.1\r\n{host}\r\n"),
        format!("GET /hello HTTP/1.1\r\n{host}{wrong_key}\r\n"),
        format!("POST /photo HTTP/1.1\r\n{host}{wrong_key}Content-Length: 5\r\n\r\nhello"),
        format!("POST /photo HTTP/1.1\r\n{host}{wrong_key}Content-Length: 1000000000\r\n\r\n"),
        format!("DELETE / HTTP/1.1\r\n{host}\r\n"),
        format!("GET /../../etc/passwd HTTP/1.1\r\n{host}\r\n"),
        format!("GET /..%2f..%2fetc%2fpasswd HTTP/1.1\r\n{host}\r\n"),
        format!("GET //page.js HTTP/1.1\r\n{host}\r\n"),
        "GET / HTTP/1.1\r\nHost: rebound.example\r\n\r\n".to_owned(),
        world.live_head(PHONE).replace(&world.key, &"0".repeat(32)),
        world
            .live_head(PHONE)
            .replace(&format!("Origin: http://{}", world.host), "Origin: http://evil.example"),
        format!("{}Origin: http://evil.example\r\n\r\n", world.head("GET /hello")),
        format!("{}\r\n", world.head("GET /photo")),
        format!("{}\r\n", world.head("GET /keep")),
        "nonsense\r\n\r\n".to_owned(),
        format!("GET / HTTP/1.1\r\n{host}a: {}\r\n\r\n", "b".repeat(20_000)),
    ];
    for request in requests {
        let start = request.chars().take(60).collect::<String>();
        assert_eq!(world.exchange(request.as_bytes()), nothing, "{start}");
    }
    assert!(world.events.lock().unwrap().is_empty(), "nothing of it is news");
}

#[test]
fn a_photo_is_believed_as_far_as_it_comes() {
    let world = World::new();
    let head = world.head("POST /photo");
    let huge = world.exchange(format!("{head}Content-Length: 1000000000\r\n\r\n").as_bytes());
    assert_eq!((status(&huge), body(&huge)), (413, "{\"error\":\"too-large\"}"));
    let endless =
        world.exchange(format!("{head}Transfer-Encoding: chunked\r\n\r\nffff\r\n").as_bytes());
    assert_eq!(status(&endless), 411);
    // One that ends early, and one that has more than it said.
    let mut half = world.connect();
    half.write_all(format!("{head}Content-Length: 20000000\r\n\r\nabc").as_bytes()).unwrap();
    half.shutdown(Shutdown::Write).unwrap();
    assert_eq!(answer_of(half, b""), "");
    assert_eq!(world.exchange(format!("{head}Content-Length: 1\r\n\r\nabc").as_bytes()), "");
}

#[test]
fn a_picture_of_a_thousand_megapixels_is_not_decoded() {
    let world = World::new();
    // The size stands in the frame header (ITU T.81, B.2.2), marker C0.
    let mut bytes = jpeg(90);
    let header = bytes.windows(2).position(|two| two == [0xff, 0xc0]).unwrap();
    bytes[header + 5..header + 9].copy_from_slice(&[0x7f, 0xff, 0x7f, 0xff]);
    let answer = world.post("/photo", &bytes);
    assert_eq!((status(&answer), body(&answer)), (422, "{\"error\":\"too-large\"}"));
}

#[test]
fn broken_frames_end_their_connection_alone() {
    let world = World::new();
    let frames: [&[u8]; 8] = [
        // A gigabyte is announced; so is more than there can be.
        &[0x82, 0xff, 0, 0, 0, 0, 0x40, 0, 0, 0, 1, 2, 3, 4],
        &[0x82, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4],
        // Without a mask, with reserved bits, of an unknown kind, a continuation of nothing.
        &[0x82, 0x02, 1, 2],
        &[0xf2, 0x80, 1, 2, 3, 4],
        &[0x8f, 0x80, 1, 2, 3, 4],
        &[0x80, 0x80, 1, 2, 3, 4],
        // A control frame in parts, and text that is none.
        &[0x09, 0x80, 1, 2, 3, 4],
        &[0x81, 0x81, 0, 0, 0, 0, 0xff],
    ];
    for frame in frames {
        let mut stream = world.live("00000000000000ff").0;
        stream.write_all(frame).unwrap();
        let mut rest = Vec::new();
        // A close frame may come before the end.
        let _ = stream.read_to_end(&mut rest);
        assert!(rest.len() < 200, "{frame:?}: {rest:?}");
    }
    assert_eq!(status(&world.post("/photo", &jpeg(90))), 200);
}

#[test]
fn a_flood_of_words_ends_its_connection_and_is_reported() {
    let world = World::new();
    let mut flood = world.live("00000000000000ff").0;
    let word = [&[0x81, 0x88, 0, 0, 0, 0][..], b"new-game"].concat();
    let _ = flood.write_all(&word.repeat(100_000));
    let mut rest = Vec::new();
    let _ = flood.read_to_end(&mut rest);
    assert!(String::from_utf8_lossy(&rest).contains("too many messages"), "{rest:?}");
    // As many as a person taps end nothing.
    let mut socket = WebSocket::from_raw_socket(world.live(PHONE).0, Role::Client, None);
    for n in 0..5 {
        for _ in 0..20 {
            socket.send(Message::text("new-game")).unwrap();
        }
        socket.send(Message::binary(jpeg(90 + n))).unwrap();
        let Message::Text(text) = socket.read().unwrap() else { panic!("a line is the answer") };
        assert!(!text.contains("error"), "{text}");
    }
}

#[test]
fn a_phone_has_one_photo_in_hand_and_the_rest_get_their_turn() {
    let world = World::new();
    let slow = wide_jpeg(SLOW_PX, 90);
    let refused = |answer: &str| (status(answer), body(answer).to_owned());
    let replaced = (409, "{\"error\":\"replaced\"}".to_owned());
    // One that has not come whole yet.
    let mut half = world.connect();
    let head = world.head("POST /photo");
    half.write_all(format!("{head}Content-Length: 2000000\r\n\r\nabc").as_bytes()).unwrap();
    std::thread::sleep(Duration::from_millis(100));
    std::thread::scope(|scope| {
        let (world, slow) = (&world, &slow);
        let posts = [PHONE, PHONE, "00000000000000aa", PHONE].map(|phone| {
            let post = scope.spawn(move || (world.post_as(phone, "/photo", slow), Instant::now()));
            std::thread::sleep(Duration::from_millis(60));
            post
        });
        assert_eq!(refused(&answer_of(half, b"")), replaced);
        let [first, second, of_other, third] = posts.map(|post| post.join().unwrap());
        // What is in hand is read to its end.
        assert_eq!((status(&first.0), status(&of_other.0), status(&third.0)), (200, 200, 200));
        assert_eq!(refused(&second.0), replaced);
        assert!(of_other.1 < third.1, "it came first");
    });
}

#[test]
fn two_hundred_silent_connections_keep_nobody_out() {
    let world = World::new();
    let silent: Vec<TcpStream> = (0..200).map(|_| world.connect()).collect();
    assert_eq!(status(&world.post("/photo", &jpeg(90))), 200);
    // The oldest were ended for the newer ones.
    assert_eq!(answer_of(silent[0].try_clone().unwrap(), b""), "");
    // So are those that dribble a head, whether or not it is TLS.
    let dribbling: Vec<TcpStream> = (0..200)
        .map(|n| {
            let mut stream = world.connect();
            let _ = stream.write_all(if n % 2 == 0 { &[22, 3, 1][..] } else { b"GET / HT" });
            stream
        })
        .collect();
    assert_eq!(status(&world.post("/photo", &jpeg(90))), 200);
    drop((silent, dribbling));
}
