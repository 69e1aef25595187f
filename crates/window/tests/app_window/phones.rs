//! A phone as the camera: the page with its code, and what the phone sends.

use crate::harness::{ONE_SET, Test};
use eframe::egui::{Key, Modifiers};
use setsight_phone::Listen;
use setsight_phone::Options;
use setsight_window::Page;
use setsight_window::Photos;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};

/// Serves on this machine alone, with a certificate that is kept nowhere.
pub fn on_loopback(test: &mut Test) {
    let listen = Listen::At(Ipv4Addr::LOCALHOST.into(), None);
    test.window_mut().phones.options = Options { listen, certificate: None };
}

/// Sends a photo as the page does, and gives the answer.
fn send(address: &str, photo: &[u8]) -> String {
    let (host, key) = address.strip_prefix("http://").unwrap().split_once("/#").unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    let head = format!(
        "POST /photo HTTP/1.1\r\nHost: {host}\r\nX-Setsight-Key: {key}\r\n\
         X-Setsight-Phone: 0123456789abcdef\r\nContent-Length: {}\r\n\r\n",
        photo.len()
    );
    stream.write_all(&[head.as_bytes(), photo].concat()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn sample() -> Vec<u8> {
    let path = "/../../datasets/samples/1-plain-on-wood.jpg";
    std::fs::read(format!("{}{path}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

#[test]
fn photos_of_a_phone_open_in_the_window_until_it_is_stopped() {
    let mut test = Test::new(ONE_SET, &[]);
    on_loopback(&mut test);
    test.press("Use a phone as the camera");
    assert_eq!(test.window().page, Some(Page::Phone));
    test.shows("The code to scan");
    test.shows("No phone is connected yet.");
    test.shows_part(" and then ");
    let address = test.window().phones.address().unwrap().to_owned();
    test.shows(&address);
    let answer = send(&address, &sample());
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("2fgd"), "{answer}");
    test.until(|window| window.tab::<Photos>().shelf.progress() == (1, 1) && window.is_settled());
    assert_eq!((test.window().page, test.window().seen()), (None, "photos"));
    assert_eq!(test.codes(), ONE_SET.split(' ').collect::<Vec<_>>());
    test.shows("A phone can send photos and live pictures.");
    // The next one is seen beside it, and who plays is told.
    send(&address, &sample());
    test.until(|window| window.tab::<Photos>().shelf.progress() == (2, 2));
    assert_eq!(test.photos().shelf.current, 1);
    test.keys(Modifiers::COMMAND, Key::Num2);
    send(&address, &sample());
    // It is told for some seconds alone, and reading may take longer.
    test.until(|window| window.said() == Some("A photo has arrived from a phone."));
    test.until(|window| window.tab::<Photos>().shelf.progress() == (3, 3));
    assert_eq!(test.window().seen(), "deal");
    test.press("Show code");
    test.shows(&address);
    test.press("Stop phones sending pictures");
    assert!(!test.window().phones.are_served() && test.window().page.is_none());
    test.shows_not("A phone can send");
    test.window_mut().close();
    assert!(TcpStream::connect(address[7..].split('/').next().unwrap()).is_err());
}

#[test]
fn what_keeps_phones_out_is_said() {
    let mut test = Test::new(ONE_SET, &[]);
    on_loopback(&mut test);
    // Of the range that is for documentation: no machine has it.
    let listen = Listen::At(Ipv4Addr::new(198, 51, 100, 7).into(), None);
    test.window_mut().phones.options.listen = listen;
    test.keys(Modifiers::COMMAND, Key::P);
    assert_eq!(test.window().page, None);
    let said = test.window().said().unwrap();
    assert!(said.starts_with("Phones cannot connect: 198.51.100.7"), "{said}");
}
