//! What is left after a camera was opened hundreds of times. Alone in its file: it counts the threads
//! and files of the whole process.

#![cfg(target_os = "linux")]

use setsight_live::{CameraChoice, Cameras, cameras::NetworkCamera};
use setsight_testkit::camera::grey;
use std::{
    io::{Read, Write},
    net::TcpListener,
    time::{Duration, Instant},
};

/// Threads and open files of this process.
fn used() -> (usize, usize) {
    ["/proc/self/task", "/proc/self/fd"]
        .map(|folder| std::fs::read_dir(folder).unwrap().count())
        .into()
}

#[test]
fn three_hundred_reconnects_leave_no_thread_and_no_file_open() {
    const TIMES: usize = 300;
    let jpeg = grey(90);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = std::thread::spawn(move || {
        let mut held = Vec::new();
        for number in 0..TIMES {
            let (mut tcp, _) = listener.accept().unwrap();
            let mut asked = [0; 1024];
            let _ = tcp.read(&mut asked);
            let head = "HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace\r\n\r\n";
            let _ = tcp.write_all(&[head.as_bytes(), &jpeg].concat());
            // Some hang up, some fall silent.
            if number % 2 == 0 {
                held.push(tcp);
            }
            held.truncate(3);
        }
    });
    let address = format!("http://127.0.0.1:{port}/video").parse().unwrap();
    let camera = NetworkCamera { address, patience: Duration::from_millis(300) };
    let before = used();
    for _ in 0..TIMES {
        let mut open = camera.open(&CameraChoice::First).unwrap();
        assert!(open.read().unwrap().is_some());
    }
    server.join().unwrap();
    // The threads end with the patience at the latest.
    let until = Instant::now() + Duration::from_secs(20);
    while used().0 > before.0 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    let after = used();
    // The server's own thread was counted before.
    assert!(after.0 <= before.0 && after.1 <= before.1, "{before:?} {after:?}");
}
