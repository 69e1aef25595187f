//! A camera of the network: a server on this machine that stalls, sends halves, lies about lengths,
//! and refuses.

use crate::common::called::program;
use crate::common::{Signal, Start};
use setsight_live::cameras::{Address, NetworkCamera};
use setsight_live::parts::capture::{self, Captured, Job, Patience};
use setsight_live::parts::{Latest, Taken};
use setsight_live::{CameraChoice, CameraError, Cameras};
use setsight_testkit::camera::{grey, serve};
use std::sync::{Arc, mpsc::Receiver};
use std::time::{Duration, Instant};

/// What a connection gets.
#[derive(Clone)]
enum Answer {
    /// These bytes and nothing else.
    Bytes(Vec<u8>),
    /// These bytes, and then silence for so long.
    Stall(Vec<u8>, Duration),
}

/// Answers its connections one after the other, all beyond the last answer with that one, and ends after twenty.
struct Server {
    port: u16,
    /// What each connection asked for.
    asked: Receiver<String>,
}

impl Server {
    fn start(answers: Vec<Answer>) -> Self {
        let (port, asked) =
            serve(20, move |number, out| match &answers[number.min(answers.len() - 1)] {
                Answer::Bytes(bytes) => out.write_all(bytes),
                Answer::Stall(bytes, pause) => {
                    let sent = out.write_all(bytes);
                    std::thread::sleep(*pause);
                    sent
                }
            });
        Self { port, asked }
    }

    fn camera(&self) -> NetworkCamera {
        let address: Address =
            format!("http://ann:s3cret@127.0.0.1:{}/video", self.port).parse().unwrap();
        NetworkCamera { address, patience: Duration::from_millis(400) }
    }
}

fn head(status: &str, kind: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n").into_bytes()
}

/// The head of a stream, and its parts: bytes and the length that is announced.
fn stream(parts: &[(&[u8], usize)]) -> Vec<u8> {
    let mut all = head("200 OK", "multipart/x-mixed-replace; boundary=frame");
    for (bytes, length) in parts {
        let part =
            format!("--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {length}\r\n\r\n");
        all.extend_from_slice(part.as_bytes());
        all.extend_from_slice(bytes);
        all.extend_from_slice(b"\r\n");
    }
    all
}

/// What a camera of this server reports, until `count` frames came: words of trouble, and levels.
fn captured(camera: &NetworkCamera, count: usize) -> Vec<String> {
    let out: Arc<Latest<Captured>> = Arc::default();
    let patience = Patience { retry: Duration::from_millis(50), black_frames: 1_000 };
    let mut lines = Vec::new();
    let (mut frames, mut last_ms) = (0, 0.0);
    std::thread::scope(|scope| {
        let (choice, out) = (&CameraChoice::First, &*out);
        let began = Instant::now();
        scope.spawn(move || {
            capture::run(Job { cameras: camera, choice, opened: None, out, patience, began });
        });
        while frames < count {
            match out.take(Duration::from_secs(20)) {
                Taken::Item(Captured::Shot(shot)) => {
                    assert!(shot.time_ms >= last_ms, "{} after {last_ms}", shot.time_ms);
                    last_ms = shot.time_ms;
                    frames += 1;
                    lines.push(format!("frame {}", shot.frame[(3, 3)].0[0] / 10));
                }
                Taken::Item(Captured::Trouble(notice)) => {
                    lines.push(format!("{}; {}", notice.title, notice.advice));
                }
                Taken::Item(Captured::End) | Taken::Nothing | Taken::Closed => break,
            }
        }
        out.close();
    });
    lines
}

#[test]
fn a_phones_pictures_come_with_name_and_password() {
    let (one, two) = (grey(45), grey(85));
    // A wrong length says nothing: a JPEG ends where it ends.
    let parts = [(&one[..], one.len()), (&two[..], 7)];
    let server =
        Server::start(vec![Answer::Stall(stream(&parts[..1]), Duration::from_millis(100))]);
    let mut camera = server.camera().open(&CameraChoice::First).unwrap();
    assert_eq!(camera.read().unwrap().unwrap().frame.dimensions(), (64, 48));
    let asked = server.asked.recv().unwrap();
    assert!(asked.starts_with("GET /video HTTP/1.1"), "{asked}");
    assert!(asked.to_lowercase().contains("authorization: basic yw5uonmzy3jlda=="), "{asked}");
    let server = Server::start(vec![Answer::Bytes(stream(&parts))]);
    let mut camera = server.camera().open(&CameraChoice::First).unwrap();
    // The first may have been replaced by the second before anybody took it.
    while camera.read().unwrap().unwrap().frame[(3, 3)].0[0] / 10 != 8 {}
}

#[test]
fn each_fault_is_reported_and_the_pictures_come_again() {
    let (good, half) = (grey(65), &grey(65)[..300]);
    let good = Answer::Stall(stream(&[(&good, good.len())]), Duration::from_millis(1));
    let many_halves = stream(&[(half, 300); 4_000]);
    let troubles = [
        (Answer::Bytes(head("401 Unauthorized", "text/html")), "asks for a name and a password"),
        (Answer::Bytes(head("404 Not Found", "text/html")), "HTTP 404"),
        (Answer::Bytes(head("500 Oops", "text/html")), "HTTP 500"),
        (Answer::Bytes(head("200 OK", "text/html; charset=utf-8")), "it sends text/html"),
        (Answer::Bytes(b"SSH-2.0-OpenSSH\r\n".to_vec()), "does not answer"),
        (Answer::Stall(Vec::new(), Duration::from_secs(1)), "no answer within"),
        (Answer::Stall(stream(&[]), Duration::from_secs(1)), "has sent no picture"),
        (Answer::Stall(stream(&[(half, 300)]), Duration::from_secs(1)), "has sent no picture"),
        (Answer::Bytes(many_halves), "ended the stream"),
    ];
    for (answer, words) in troubles {
        let server = Server::start(vec![answer, good.clone()]);
        let lines = captured(&server.camera(), 1);
        let all = lines.join("\n");
        assert!(lines[0].contains(words), "\"{words}\" is not in {all}");
        assert!(lines[0].contains("tried again") && lines[0].contains("127.0.0.1"), "{all}");
        assert!(lines.last().unwrap().starts_with("frame"), "goes on: {all}");
        assert!(!all.contains("s3cret") && !all.contains("ann"), "{all}");
    }
}

#[test]
fn a_login_by_digest_is_left_to_ffmpeg() {
    let mut refused =
        b"HTTP/1.1 401 Unauthorized\r\nConnection: close\r\nContent-Length: 0\r\n".to_vec();
    refused.extend_from_slice(
        b"WWW-Authenticate: Digest realm=\"cam\", nonce=\"6629fae49393a05397450978507c4ef1\", qop=\"auth\"\r\n\r\n",
    );
    let good = grey(65);
    let parts = [(&good[..], good.len()); 12];
    let refused = Answer::Bytes(refused);
    if crate::common::on_path("ffmpeg") {
        let pictures = Answer::Stall(stream(&parts), Duration::from_millis(500));
        let server = Server::start(vec![refused.clone(), refused.clone(), pictures]);
        let camera = NetworkCamera { patience: Duration::from_secs(20), ..server.camera() };
        let mut camera = camera.open(&CameraChoice::First).unwrap();
        assert_eq!(camera.read().unwrap().unwrap().frame.dimensions(), (64, 48));
        let asked = server.asked.iter().nth(2).unwrap().to_lowercase();
        assert!(
            asked.contains("authorization: digest") && asked.contains("username=\"ann\""),
            "{asked}"
        );
    } else {
        crate::common::not_run("in part: there is no ffmpeg");
    }
    // Without a name there is nothing to log in with.
    let server = Server::start(vec![refused]);
    let address = format!("http://127.0.0.1:{}/video", server.port).parse().unwrap();
    let error = NetworkCamera::at(address).open(&CameraChoice::First).err().unwrap();
    assert!(matches!(error, CameraError::Denied { status: 401, .. }), "{error}");
    assert!(error.advice().contains("http://NAME:PASSWORD@"));
}

#[test]
fn pictures_that_are_never_complete_are_reported() {
    // Halves without an end, for longer than the patience.
    let (port, _) = serve(1, |_, out| {
        let part = &grey(65)[..300];
        out.write_all(&stream(&[]))?;
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(20) {
            out.write_all(part)?;
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    });
    let address = format!("http://127.0.0.1:{port}/video").parse().unwrap();
    let camera = NetworkCamera { address, patience: Duration::from_millis(300) };
    let mut camera = camera.open(&CameraChoice::First).unwrap();
    let error = camera.read().unwrap_err();
    assert!(matches!(error, CameraError::Broken { .. }), "{error}");
}

#[test]
fn a_picture_every_other_second_is_enough() {
    let (port, _) = serve(1, |_, out| {
        out.write_all(&stream(&[]))?;
        for level in [35, 75, 115] {
            out.write_all(&grey(level))?;
            std::thread::sleep(Duration::from_millis(200));
        }
        Ok(())
    });
    let address = format!("http://127.0.0.1:{port}/video").parse().unwrap();
    // The pause between two pictures is two fifths of the patience, as 2 s are of 5 s.
    let camera = NetworkCamera { address, patience: Duration::from_millis(500) };
    let mut camera = camera.open(&CameraChoice::First).unwrap();
    let levels: Vec<u8> =
        (0..3).map(|_| camera.read().unwrap().unwrap().frame[(3, 3)].0[0] / 10).collect();
    assert_eq!(levels, [3, 7, 11]);
}

/// The decoders that a process has started. Before it is one, nothing ends it with that process.
#[cfg(target_os = "linux")]
fn decoders_of(parent: u32) -> Vec<String> {
    let tasks = std::fs::read_dir(format!("/proc/{parent}/task")).into_iter().flatten().flatten();
    tasks
        .filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok())
        .flat_map(|ids| ids.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        .filter(|id| {
            let name = std::fs::read_to_string(format!("/proc/{id}/comm"));
            name.is_ok_and(|name| name.trim() == "ffmpeg")
        })
        .collect()
}

#[cfg(target_os = "linux")]
#[test]
fn no_decoder_outlives_the_program() {
    if !["ffmpeg", "setpriv"].into_iter().all(crate::common::on_path) {
        return crate::common::not_run("there is no ffmpeg, or no setpriv");
    }
    for signal in [Signal::KILL, Signal::INT] {
        // A port that nobody sends to: ffmpeg waits in silence.
        let port = std::net::UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let address = format!("udp://127.0.0.1:{port}");
        let mut live = program()
            .args(["live", "--headless", "--url", &address])
            .stderr(std::process::Stdio::null())
            .started();
        let (parent, mut decoders) = (live.id(), Vec::new());
        live.until(|| {
            decoders = decoders_of(parent);
            !decoders.is_empty()
        });
        live.signal(signal);
        live.end();
        let until = Instant::now() + Duration::from_secs(3);
        while decoders.iter().any(|id| is_running(id)) && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(!decoders.iter().any(|id| is_running(id)), "{signal:?}: it still runs");
    }
}

#[cfg(target_os = "linux")]
fn is_running(process: &str) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    !(status.is_empty() || status.contains(") Z "))
}

#[test]
fn the_command_reads_an_address_and_never_says_its_password() {
    let good = grey(65);
    let parts = [(&good[..], good.len())];
    let server = Server::start(vec![
        Answer::Stall(stream(&parts), Duration::from_secs(3)),
        Answer::Bytes(Vec::new()),
    ]);
    let address = format!("http://ann:s3cret@127.0.0.1:{}/video", server.port);
    let call = ["live", "--headless", "--format", "json", "--frames", "1", "--url", &address];
    let output = program().args(call).ended();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let line = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(line.starts_with(r#"{"version":1,"frame":0,"#), "{line}");
}
