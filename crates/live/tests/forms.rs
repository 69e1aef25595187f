//! Motion JPEG over HTTP in the forms in which cameras and apps send it.

use setsight_live::{CameraChoice, Cameras, cameras::NetworkCamera};
use setsight_testkit::camera::{grey, serve};
use std::time::Duration;

/// An answer, with each line's end written as `\n`.
struct Form {
    name: &'static str,
    head: &'static str,
    /// What precedes the first part.
    preamble: &'static str,
    /// What precedes each JPEG; `LENGTH` stands for its length in bytes.
    before: &'static str,
    /// What follows each JPEG.
    after: &'static str,
}

const fn form(
    name: &'static str,
    head: &'static str,
    before: &'static str,
    after: &'static str,
) -> Form {
    Form { name, head, preamble: "", before, after }
}

const HEAD: &str = "HTTP/1.1 200 OK\nContent-Type: multipart/x-mixed-replace; boundary=frame\n\n";
const BEFORE: &str = "--frame\nContent-Type: image/jpeg\nContent-Length: LENGTH\n\n";

/// Sent with CRLF at each line's end.
const FORMS: &[Form] = &[
    // What programs and apps send, from their sources or as recorded.
    form(
        "ustreamer",
        "HTTP/1.0 200 OK\nAccess-Control-Allow-Origin: *\n\
         Set-Cookie: stream_client=0/5f2c; path=/; max-age=30\n\
         Cache-Control: no-store, no-cache, must-revalidate, proxy-revalidate, pre-check=0, \
         post-check=0, max-age=0\nPragma: no-cache\nExpires: Mon, 3 Jan 2000 12:34:56 GMT\n\
         Content-Type: multipart/x-mixed-replace;boundary=boundarydonotcross\n\n--boundarydonotcross\n",
        "Content-Type: image/jpeg\nContent-Length: LENGTH\nX-Timestamp: 1764412800.123456\n\n",
        "\n--boundarydonotcross\n",
    ),
    form(
        "ustreamer with its extra headers",
        "HTTP/1.0 200 OK\nContent-Type: multipart/x-mixed-replace;boundary=boundarydonotcross\n\n\
         --boundarydonotcross\n",
        "Content-Type: image/jpeg\nContent-Length: LENGTH\nX-Timestamp: 1764412800.123456\n\
         X-UStreamer-Online: true\nX-UStreamer-Width: 64\nX-UStreamer-Height: 48\n\
         X-UStreamer-Latency: 0.012345\n\n",
        "\n--boundarydonotcross\n",
    ),
    form(
        "mjpg-streamer",
        "HTTP/1.0 200 OK\nAccess-Control-Allow-Origin: *\nConnection: close\n\
         Server: MJPG-Streamer/0.2\nCache-Control: no-store, no-cache, must-revalidate, \
         pre-check=0, post-check=0, max-age=0\nPragma: no-cache\n\
         Expires: Mon, 3 Jan 2000 12:34:56 GMT\n\
         Content-Type: multipart/x-mixed-replace;boundary=boundarydonotcross\n\n--boundarydonotcross\n",
        "Content-Type: image/jpeg\nContent-Length: LENGTH\nX-Timestamp: 0.000000\n\n",
        "\n--boundarydonotcross\n",
    ),
    form(
        "IP Webcam",
        "HTTP/1.0 200 OK\nConnection: close\nServer: IP Webcam Server 0.4\n\
         Cache-Control: no-store, no-cache, must-revalidate, pre-check=0, post-check=0, max-age=0\n\
         Pragma: no-cache\nExpires: -1\nAccess-Control-Allow-Origin: *\n\
         Content-Type: multipart/x-mixed-replace;boundary=Ba4oTvQMY8ew04N8dcnM\n\n",
        "--Ba4oTvQMY8ew04N8dcnM\nContent-Type: image/jpeg\nContent-Length: LENGTH\n\n",
        "\n",
    ),
    form(
        "DroidCam",
        "HTTP/1.1 200 OK\nConnection: Keep-Alive\n\
         Content-Type: multipart/x-mixed-replace;boundary=--dcmjpeg\nExpires: 0\nVary: *\n\
         Cache-Control: no-store, must-revalidate\nAccess-Control-Allow-Origin: *\n\n",
        "--dcmjpeg\nContent-Type: image/jpeg\nContent-Length: LENGTH\n\n",
        "\n",
    ),
    form(
        "ESP32's camera server",
        "HTTP/1.1 200 OK\n\
         Content-Type: multipart/x-mixed-replace;boundary=123456789000000000000987654321\n\
         Transfer-Encoding: chunked\nAccess-Control-Allow-Origin: *\nX-Framerate: 60\n\n",
        "\n--123456789000000000000987654321\nContent-Type: image/jpeg\nContent-Length: LENGTH\n\
         X-Timestamp: 12.345678\n\n",
        "",
    ),
    form(
        "ffmpeg's mpjpeg",
        "HTTP/1.1 200 OK\nContent-Type: multipart/x-mixed-replace;boundary=ffmpeg\n\
         Transfer-Encoding: chunked\n\n",
        "--ffmpeg\nContent-type: image/jpeg\nContent-length: LENGTH\n\n",
        "\n",
    ),
    form(
        "a generator of Python",
        "HTTP/1.1 200 OK\nServer: Werkzeug/3.0.1 Python/3.11.2\n\
         Date: Sun, 29 Nov 2026 10:00:00 GMT\n\
         Content-Type: multipart/x-mixed-replace; boundary=frame\nConnection: close\n\n",
        "--frame\nContent-Type: image/jpeg\n\n",
        "\n",
    ),
    // The boundary.
    form("plain", HEAD, BEFORE, "\n"),
    form(
        "dashes are in the head and not added",
        "HTTP/1.1 200 OK\nContent-Type: multipart/x-mixed-replace; boundary=--frame\n\n",
        BEFORE,
        "\n",
    ),
    form(
        "dashes are in the head and added again",
        "HTTP/1.1 200 OK\nContent-Type: multipart/x-mixed-replace; boundary=--frame\n\n",
        "----frame\nContent-Type: image/jpeg\n\n",
        "\n",
    ),
    form("no dashes in the body", HEAD, "frame\nContent-Type: image/jpeg\n\n", "\n"),
    form(
        "quoted",
        "HTTP/1.1 200 OK\nContent-Type: multipart/x-mixed-replace; boundary=\"frame\"\n\n",
        BEFORE,
        "\n",
    ),
    form(
        "quoted, with a space",
        "HTTP/1.1 200 OK\nContent-Type: multipart/x-mixed-replace; boundary=\"my frame\"\n\n",
        "--my frame\nContent-Type: image/jpeg\n\n",
        "\n",
    ),
    form(
        "spaces around the sign",
        "HTTP/1.1 200 OK\nContent-Type: multipart/x-mixed-replace ; boundary = frame\n\n",
        BEFORE,
        "\n",
    ),
    form(
        "another parameter first",
        "HTTP/1.1 200 OK\nContent-Type: multipart/x-mixed-replace; charset=utf-8; boundary=frame\n\n",
        BEFORE,
        "\n",
    ),
    form(
        "none in the head",
        "HTTP/1.1 200 OK\nContent-Type: multipart/x-mixed-replace\n\n",
        BEFORE,
        "\n",
    ),
    form(
        "another one than the head says",
        HEAD,
        "--other\nContent-Type: image/jpeg\nContent-Length: LENGTH\n\n",
        "\n",
    ),
    form("before and after each picture", HEAD, BEFORE, "\n--frame\n"),
    form("an end after each picture", HEAD, BEFORE, "\n--frame--\n"),
    // The head.
    form(
        "capitals",
        "HTTP/1.1 200 OK\nCONTENT-TYPE: Multipart/X-Mixed-Replace; Boundary=frame\n\n",
        BEFORE,
        "\n",
    ),
    form(
        "small letters, no spaces",
        "HTTP/1.1 200 OK\ncontent-type:multipart/x-mixed-replace;boundary=frame\n\n",
        BEFORE,
        "\n",
    ),
    form(
        "multipart/mixed",
        "HTTP/1.1 200 OK\nContent-Type: multipart/mixed; boundary=frame\n\n",
        BEFORE,
        "\n",
    ),
    form("no type", "HTTP/1.1 200 OK\nServer: camera\n\n", BEFORE, "\n"),
    form("no header at all", "HTTP/1.0 200 OK\n\n", BEFORE, "\n"),
    form(
        "bytes of any kind",
        "HTTP/1.1 200 OK\nContent-Type: application/octet-stream\n\n",
        BEFORE,
        "\n",
    ),
    form(
        "no reason",
        "HTTP/1.1 200\nContent-Type: multipart/x-mixed-replace; boundary=frame\n\n",
        BEFORE,
        "\n",
    ),
    form(
        "another reason",
        "HTTP/1.0 200 Stream follows\nContent-Type: multipart/x-mixed-replace; boundary=frame\n\n",
        BEFORE,
        "\n",
    ),
    form(
        "a length without an end",
        "HTTP/1.1 200 OK\nContent-Type: multipart/x-mixed-replace; boundary=frame\n\
         Content-Length: 9999999\n\n",
        BEFORE,
        "\n",
    ),
    form(
        "chunks",
        "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\
         Content-Type: multipart/x-mixed-replace; boundary=frame\n\n",
        BEFORE,
        "\n",
    ),
    // The parts.
    form("no length", HEAD, "--frame\nContent-Type: image/jpeg\n\n", "\n"),
    form("no headers", HEAD, "--frame\n\n", "\n"),
    form("no headers and no empty line", HEAD, "--frame\n", "\n"),
    form("a length of 0", HEAD, "--frame\nContent-Type: image/jpeg\nContent-Length: 0\n\n", "\n"),
    form("a short length", HEAD, "--frame\nContent-Type: image/jpeg\nContent-Length: 7\n\n", "\n"),
    form(
        "a long length",
        HEAD,
        "--frame\nContent-Type: image/jpeg\nContent-Length: 999999\n\n",
        "\n",
    ),
    form(
        "the length first",
        HEAD,
        "--frame\ncontent-length:LENGTH\ncontent-type:image/jpg\n\n",
        "",
    ),
    form("no line end after a picture", HEAD, BEFORE, ""),
    form("empty lines between parts", HEAD, BEFORE, "\n\n\n\n"),
    form("zeros after a picture", HEAD, BEFORE, "\0\0\0\0\n"),
    form(
        "a part of text before each picture",
        HEAD,
        "--frame\nContent-Type: text/plain\n\nmotion 12\n--frame\nContent-Type: image/jpeg\n\n",
        "\n",
    ),
    form("pictures alone", "HTTP/1.1 200 OK\nContent-Type: image/jpeg\n\n", "", ""),
    form("pictures alone, image/jpg", "HTTP/1.1 200 OK\nContent-Type: image/jpg\n\n", "", ""),
    Form { name: "a preamble", head: HEAD, preamble: "Hello\n\n", before: BEFORE, after: "\n" },
    Form { name: "empty lines first", head: HEAD, preamble: "\n\n", before: BEFORE, after: "\n" },
];

/// Sent with LF alone, in the head or in the parts.
const LF: Form = form("LF alone", HEAD, BEFORE, "\n");

fn crlf(text: &str) -> String {
    text.replace('\n', "\r\n")
}

fn send(out: &mut dyn std::io::Write, bytes: &[u8], is_chunked: bool) -> std::io::Result<()> {
    if is_chunked && !bytes.is_empty() {
        write!(out, "{:x}\r\n", bytes.len())?;
        out.write_all(bytes)?;
        return out.write_all(b"\r\n");
    }
    out.write_all(bytes)
}

/// The brightness of the last of three pictures that are sent, in tens.
fn last_level(head: String, preamble: String, before: String, after: String) -> Result<u8, String> {
    let is_chunked = head.contains("chunked");
    let (port, _) = serve(1, move |_, out| {
        out.write_all(head.as_bytes())?;
        let mut send = |bytes: &[u8]| send(out, bytes, is_chunked);
        send(preamble.as_bytes())?;
        for level in [35, 65, 95] {
            let jpeg = grey(level);
            send(before.replace("LENGTH", &jpeg.len().to_string()).as_bytes())?;
            // No chunk ends where a picture does.
            let (one, two) = jpeg.split_at(jpeg.len() / 2);
            send(one)?;
            send(&[two, after.as_bytes()].concat())?;
        }
        Ok(())
    });
    let address = format!("http://127.0.0.1:{port}/video").parse()?;
    let camera = NetworkCamera { address, patience: Duration::from_secs(20) };
    let mut camera = camera.open(&CameraChoice::First).map_err(|error| error.to_string())?;
    loop {
        let shot = camera.read().map_err(|error| error.to_string())?.ok_or("it ends")?;
        // Only the newest picture counts, so the first ones may be missing.
        match shot.frame[(3, 3)].0[0] / 10 {
            3 | 6 => {}
            level => return Ok(level),
        }
    }
}

#[test]
fn every_form_of_motion_jpeg_is_read() {
    for Form { name, head, preamble, before, after } in FORMS {
        let level = last_level(crlf(head), crlf(preamble), crlf(before), crlf(after));
        assert_eq!(level, Ok(9), "{name}");
    }
    let Form { name, head, before, after, .. } = LF;
    for (place, head) in [("in the parts", crlf(head)), ("everywhere", head.to_owned())] {
        let (preamble, before, after) = (String::new(), before.to_owned(), after.to_owned());
        assert_eq!(last_level(head, preamble, before, after), Ok(9), "{name} {place}");
    }
    let level = last_level(head.to_owned(), String::new(), crlf(before), crlf(after));
    assert_eq!(level, Ok(9), "{name} in the head");
}
