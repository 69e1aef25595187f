//! A camera of the network, on this machine.

use crate::pictures::encoded;
use image::{ImageFormat, Rgb, RgbImage};
use std::{
    io::{self, Read, Write},
    net::TcpListener,
    sync::mpsc::{Receiver, channel},
    time::Duration,
};

/// Answers so many connections, one after the other; gives its port and what each asked.
pub fn serve<F>(connections: usize, answer: F) -> (u16, Receiver<String>)
where
    F: Fn(usize, &mut dyn Write) -> io::Result<()> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (sender, requests) = channel();
    std::thread::spawn(move || {
        for number in 0..connections {
            let Ok((mut tcp, _)) = listener.accept() else { return };
            tcp.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
            // The client may be gone, and so may the reader of its requests.
            let _ = sender.send(request(&mut tcp));
            let _ = answer(number, &mut tcp);
        }
    });
    (port, requests)
}

/// What is asked: all up to the empty line.
pub fn request(stream: &mut impl Read) -> String {
    let (mut text, mut byte) = (Vec::new(), [0]);
    while !text.ends_with(b"\r\n\r\n") && text.len() < 10_000 {
        if stream.read(&mut byte).unwrap_or(0) == 0 {
            break;
        }
        text.push(byte[0]);
    }
    String::from_utf8(text).unwrap()
}

/// A picture of one grey, 64 x 48 pixels.
pub fn grey(level: u8) -> Vec<u8> {
    encoded(RgbImage::from_pixel(64, 48, Rgb([level; 3])), ImageFormat::Jpeg)
}
