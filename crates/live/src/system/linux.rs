//! Cameras on Linux, and their exposure and focus by Video4Linux's controls, as USB cameras offer them.

use crate::camera::{Camera, CameraError, CameraInfo, Shot};
use crate::camera::{CameraControl, CameraOffer, CameraWish, Span};
use crate::jpeg;
use image::RgbImage;
use setsight_photo::source::MIN_SIDE_PX;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{collections::BTreeSet, io, sync::Arc};
use v4l::buffer::{Flags, Type};
use v4l::capability::Flags as Capabilities;
use v4l::control::{Control, Value};
use v4l::format::FourCC;
use v4l::framesize::FrameSizeEnum;
use v4l::io::{mmap::Stream, traits::CaptureStream};
use v4l::video::{Capture, capture::Parameters};
use v4l::{Device, Format, control};

/// Where Linux lists its cameras.
const LISTED: &str = "/sys/class/video4linux";
/// Size requested from a camera, which chooses the nearest it has.
const WISHED_PX: (u32, u32) = (1280, 720);
const WISHED_FPS: u32 = 30;
/// Formats that can be decoded, best first: at the requested size, most cables are only fast enough
/// for compressed frames.
const DECODED: [&[u8; 4]; 6] = [b"MJPG", b"JPEG", b"YUYV", b"UYVY", b"RGB3", b"GREY"];
/// Number of frames that the driver may buffer; more would only get old.
const BUFFERS: u32 = 3;
/// A camera that gives nothing for this long is silent.
const SILENT: Duration = Duration::from_secs(5);
/// Number of broken frames in a row before an error is reported.
const MOST_BROKEN: u32 = 30;
/// Drivers of devices that only return pictures that were sent to them.
const NO_CAMERAS: [&str; 2] = ["bcm2835-isp", "bcm2835-codec"];

fn device(number: u32) -> PathBuf {
    PathBuf::from(format!("/dev/video{number}"))
}

pub(super) fn list() -> Vec<CameraInfo> {
    listed(Path::new(LISTED), |number| {
        let device = Device::with_path(device(number)).ok()?;
        let queried = device.query_caps();
        Some(queried.is_ok_and(|queried| {
            is_camera(queried.capabilities, &queried.driver)
                && device.enum_formats().is_ok_and(|all| {
                    all.iter().any(|format| DECODED.contains(&&format.fourcc.repr))
                })
        }))
    })
}

/// Linux can always list its cameras.
pub(super) fn cannot_list() -> Option<CameraError> {
    None
}

/// `asked` says whether the device of a number is a camera, or `None` if access is denied. Such a
/// device is listed, and opening it reports what is wrong.
fn listed(folder: &Path, asked: impl Fn(u32) -> Option<bool>) -> Vec<CameraInfo> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut cameras: Vec<CameraInfo> = entries
        .flatten()
        .filter_map(|entry| {
            let number = entry.file_name().to_str()?.strip_prefix("video")?.parse().ok()?;
            let line = |name: &str| std::fs::read_to_string(entry.path().join(name)).ok();
            // If a camera has several devices, only the first gives pictures.
            let is_usable = asked(number)
                .unwrap_or_else(|| line("index").is_none_or(|index| index.trim() == "0"));
            if !is_usable {
                return None;
            }
            let name = line("name").map_or_else(|| format!("camera {number}"), |n| n.trim().into());
            Some(CameraInfo { number, name })
        })
        .collect();
    cameras.sort_by_key(|camera| camera.number);
    cameras
}

/// Whether a device captures pictures. A device for metadata does not, nor does one that converts
/// pictures.
fn is_camera(can: Capabilities, driver: &str) -> bool {
    can.contains(Capabilities::VIDEO_CAPTURE)
        && !can.intersects(Capabilities::VIDEO_M2M | Capabilities::VIDEO_M2M_MPLANE)
        && !NO_CAMERAS.iter().any(|name| driver.starts_with(name))
}

pub(super) fn open(
    info: &CameraInfo,
    control: &Arc<CameraControl>,
) -> Result<Box<dyn Camera>, CameraError> {
    open_at(&device(info.number), &info.name, control)
}

fn open_at(
    path: &Path,
    name: &str,
    control: &Arc<CameraControl>,
) -> Result<Box<dyn Camera>, CameraError> {
    let refused = |error: io::Error| refusal(&error, name);
    let device = Device::with_path(path).map_err(refused)?;
    // Query first: a device that is no camera just offers no formats.
    device.query_caps().map_err(refused)?;
    let offered = device.enum_formats().map_err(refused)?;
    let codes = offered.iter().map(|format| format.fourcc.repr);
    let Some(code) = best(codes) else {
        let reason = "it gives no pictures of a kind that can be decoded".to_owned();
        return Err(CameraError::Unopened { camera: name.to_owned(), reason });
    };
    let wish = control.wish();
    let (stream, format) = begin(&device, code, wish.size_px).map_err(refused)?;
    let (exposure, focus) = spans(&device);
    control.tell(CameraOffer { sizes_px: sizes_px(&device, code), exposure, focus });
    if wish.exposure.is_some() || wish.focus.is_some() {
        apply(&device, &wish);
    }
    let (name, control, opened) = (name.to_owned(), Arc::clone(control), Instant::now());
    let stream = Some(stream);
    Ok(Box::new(LinuxCamera { device, stream, format, code, wish, control, name, opened }))
}

/// Begins to capture in a format, at the requested size or the nearest one.
fn begin(
    device: &Device,
    code: [u8; 4],
    size_px: Option<(u32, u32)>,
) -> io::Result<(Stream<'static>, Format)> {
    let (width, height) = size_px.unwrap_or(WISHED_PX);
    let format = device.set_format(&Format::new(width, height, FourCC::new(&code)))?;
    // Some cameras do not support choosing the frame rate.
    let _ = device.set_params(&Parameters::with_fps(WISHED_FPS));
    let mut stream = Stream::with_buffers(device, Type::VideoCapture, BUFFERS)?;
    stream.set_timeout(SILENT);
    Ok((stream, format))
}

/// The sizes that a device lists for a format.
fn sizes_px(device: &Device, code: [u8; 4]) -> Vec<(u32, u32)> {
    let offered = device.enum_framesizes(FourCC::new(&code)).unwrap_or_default();
    let discrete = offered.into_iter().filter_map(|offered| match offered.size {
        FrameSizeEnum::Discrete(size) => Some((size.width, size.height)),
        FrameSizeEnum::Stepwise(_) => None,
    });
    let sizes: BTreeSet<_> =
        discrete.filter(|(width, height)| *width.min(height) >= MIN_SIDE_PX).collect();
    sizes.into_iter().collect()
}

fn best(offered: impl Iterator<Item = [u8; 4]>) -> Option<[u8; 4]> {
    let ranked = offered
        .filter_map(|code| Some((DECODED.iter().position(|decoded| **decoded == code)?, code)));
    ranked.min_by_key(|(rank, _)| *rank).map(|(_, code)| code)
}

/// The meaning of a system error.
fn refusal(error: &io::Error, camera: &str) -> CameraError {
    // From Linux's errno.h.
    const NO_ENTRY: i32 = 2;
    const NO_SUCH_DEVICE_OR_ADDRESS: i32 = 6;
    const BUSY: i32 = 16;
    const NO_SUCH_DEVICE: i32 = 19;
    const NOT_A_DEVICE: i32 = 25;
    let camera = camera.to_owned();
    match error.raw_os_error() {
        _ if error.kind() == io::ErrorKind::PermissionDenied => CameraError::Permission { camera },
        Some(BUSY) => CameraError::Busy { camera },
        Some(NO_ENTRY | NO_SUCH_DEVICE_OR_ADDRESS | NO_SUCH_DEVICE) => {
            CameraError::Unplugged { camera }
        }
        Some(NOT_A_DEVICE) => {
            CameraError::Unopened { camera, reason: "it is not a camera".to_owned() }
        }
        _ => CameraError::Unopened { camera, reason: error.to_string() },
    }
}

struct LinuxCamera {
    device: Device,
    /// `None` only while the size is being changed.
    stream: Option<Stream<'static>>,
    format: Format,
    code: [u8; 4],
    wish: CameraWish,
    control: Arc<CameraControl>,
    name: String,
    opened: Instant,
}

impl LinuxCamera {
    /// Applies the user's settings.
    fn adjust(&mut self, wish: CameraWish) -> Result<(), CameraError> {
        if wish.size_px != self.wish.size_px {
            // A device that is streaming does not allow its size to be changed.
            self.stream = None;
            let begun = begin(&self.device, self.code, wish.size_px);
            let (stream, format) = begun.map_err(|error| refusal(&error, &self.name))?;
            (self.stream, self.format) = (Some(stream), format);
        }
        if (wish.exposure, wish.focus) != (self.wish.exposure, self.wish.focus) {
            apply(&self.device, &wish);
        }
        self.wish = wish;
        Ok(())
    }
}

impl Camera for LinuxCamera {
    fn read(&mut self) -> Result<Option<Shot>, CameraError> {
        if let Some(wish) = self.control.changed() {
            self.adjust(wish)?;
        }
        let stream = self.stream.as_mut();
        let stream = stream.ok_or_else(|| CameraError::Unplugged { camera: self.name.clone() })?;
        for _ in 0..MOST_BROKEN {
            let (bytes, about) = stream.next().map_err(|error| match error.kind() {
                io::ErrorKind::TimedOut => CameraError::Silent {
                    camera: format!("camera {}", self.name),
                    seconds: SILENT.as_secs(),
                },
                _ => CameraError::Unplugged { camera: self.name.clone() },
            })?;
            let taken = Instant::now();
            let used = bytes.len().min(about.bytesused as usize);
            if about.flags.contains(Flags::ERROR) {
                continue;
            }
            if let Some(image) = picture(&bytes[..used], &self.format) {
                let time_ms = taken.duration_since(self.opened).as_secs_f64() * 1e3;
                let is_jpeg = [b"MJPG", b"JPEG"].contains(&&self.format.fourcc.repr);
                let jpeg = is_jpeg.then(|| bytes[..used].into());
                let (frame, times) = (Arc::new(image), Vec::new());
                return Ok(Some(Shot { frame, time_ms, taken, jpeg, times }));
            }
        }
        Err(CameraError::Broken { camera: format!("camera {}", self.name) })
    }
}

/// The pixels of a frame; `None` if it is broken.
fn picture(bytes: &[u8], format: &Format) -> Option<RgbImage> {
    jpeg::check_frame(format.width, format.height).ok()?;
    let rgb = match &format.fourcc.repr {
        b"YUYV" => of_pairs(&rows(bytes, format, 2)?, |[y, u, next, v]| ([y, next], u, v)),
        b"UYVY" => of_pairs(&rows(bytes, format, 2)?, |[u, y, v, next]| ([y, next], u, v)),
        b"GREY" => rows(bytes, format, 1)?.into_iter().flat_map(|grey| [grey; 3]).collect(),
        b"RGB3" => rows(bytes, format, 3)?,
        _ => return jpeg::decode(bytes).ok(),
    };
    RgbImage::from_raw(format.width, format.height, rgb)
}

/// Pairs of pixels with a luma each and common chroma, as `parts` splits them, in R, G, B: ITU-R BT.601
/// with luma from 16 to 235, in 4096ths.
fn of_pairs(packed: &[u8], parts: impl Fn([u8; 4]) -> ([u8; 2], u8, u8)) -> Vec<u8> {
    let rgb = packed.as_chunks::<4>().0.iter().flat_map(|&pair| {
        let (lumas, u, v) = parts(pair);
        let (u, v) = (i32::from(u) - 128, i32::from(v) - 128);
        let of = [6537 * v, -1605 * u - 3330 * v, 8263 * u];
        lumas.map(|luma| of.map(|chroma| (4769 * (i32::from(luma) - 16) + chroma + 2048) >> 12))
    });
    rgb.flatten().map(|value| value.clamp(0, 255) as u8).collect()
}

/// The rows of a frame without padding; `None` if some are missing.
fn rows(bytes: &[u8], format: &Format, bytes_per_pixel: usize) -> Option<Vec<u8>> {
    let row = format.width as usize * bytes_per_pixel;
    let stride = (format.stride as usize).max(row);
    let height = format.height as usize;
    let is_complete = bytes.len() >= stride * height.saturating_sub(1) + row && row > 0;
    is_complete
        .then(|| bytes.chunks(stride).take(height).flat_map(|line| &line[..row]).copied().collect())
}

// Constants of Linux's v4l2-controls.h.
const EXPOSURE_AUTO: u32 = 0x009a_0901;
const EXPOSURE_ABSOLUTE: u32 = 0x009a_0902;
const FOCUS_ABSOLUTE: u32 = 0x009a_090a;
const FOCUS_AUTO: u32 = 0x009a_090c;
/// Manual exposure, in the menu of `EXPOSURE_AUTO`.
const BY_HAND: i64 = 1;
/// Automatic exposure: complete, or with a fixed aperture. A camera offers one of the two.
const BY_CAMERA: [i64; 2] = [0, 3];

pub(super) trait Controls {
    /// The range of a control; `None` if the device does not have it.
    fn span(&self, id: u32) -> Option<Span>;
    /// Sets a control; false if the camera refuses.
    fn set(&self, id: u32, value: i64) -> bool;
}

impl Controls for Device {
    fn span(&self, id: u32) -> Option<Span> {
        let all = self.query_controls().ok()?;
        let one = all.iter().find(|c| c.id == id && !c.flags.contains(control::Flags::DISABLED))?;
        let now = match self.control(id).ok()?.value {
            Value::Integer(value) => value,
            Value::Boolean(value) => value.into(),
            _ => return None,
        };
        Some(Span { least: one.minimum, most: one.maximum, now })
    }

    fn set(&self, id: u32, value: i64) -> bool {
        self.set_control(Control { id, value: Value::Integer(value) }).is_ok()
    }
}

/// The ranges of exposure and focus, if they can be set.
pub(super) fn spans(device: &impl Controls) -> (Option<Span>, Option<Span>) {
    let span = |id| device.span(id).filter(|span| span.least < span.most);
    (span(EXPOSURE_ABSOLUTE), span(FOCUS_ABSOLUTE))
}

/// Applies the user's settings. Controls that are missing or refused stay unchanged.
pub(super) fn apply(device: &impl Controls, wish: &CameraWish) {
    let (exposure, focus) = spans(device);
    // A value only takes effect once automatic control is off.
    if let Some(span) = exposure {
        match wish.exposure {
            Some(value) => {
                device.set(EXPOSURE_AUTO, BY_HAND);
                device.set(EXPOSURE_ABSOLUTE, value.clamp(span.least, span.most));
            }
            None => {
                let _ = BY_CAMERA.iter().any(|&way| device.set(EXPOSURE_AUTO, way));
            }
        }
    }
    if let Some(span) = focus {
        device.set(FOCUS_AUTO, i64::from(wish.focus.is_none()));
        if let Some(value) = wish.focus {
            device.set(FOCUS_ABSOLUTE, value.clamp(span.least, span.most));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn linux_names_its_cameras_and_nothing_else() {
        let home = tempfile::tempdir().unwrap();
        for (folder, index, name) in [
            ("video2", "0", "Desk\n"),
            ("video0", "0", "Lid\n"),
            ("video1", "1", "Lid\n"),
            ("video10", "0", "bcm2835-codec-decode\n"),
            ("video3", "1", "Locked\n"),
        ] {
            let folder = home.path().join(folder);
            std::fs::create_dir(&folder).unwrap();
            std::fs::write(folder.join("index"), index).unwrap();
            std::fs::write(folder.join("name"), name).unwrap();
        }
        // Access to 0 and 3 is denied.
        let cameras = listed(home.path(), |number| match number {
            0 | 3 => None,
            number => Some(number == 2),
        });
        let lines: Vec<String> = cameras.iter().map(CameraInfo::to_string).collect();
        assert_eq!(lines, ["0  Lid", "2  Desk"]);
        assert!(listed(Path::new("/no/such/folder"), |_| Some(true)).is_empty());
    }

    #[test]
    fn metadata_and_codecs_are_no_cameras() {
        let camera = Capabilities::VIDEO_CAPTURE | Capabilities::STREAMING;
        assert!(is_camera(camera, "uvcvideo"));
        assert!(!is_camera(Capabilities::STREAMING, "uvcvideo"), "metadata");
        assert!(!is_camera(camera | Capabilities::VIDEO_M2M, "some-codec"));
        assert!(!is_camera(camera, "bcm2835-isp"));
    }

    #[test]
    fn a_plain_file_in_place_of_a_device_is_no_camera_and_not_in_use() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("video0");
        std::fs::write(&file, "no device").unwrap();
        let error = |path: &Path| open_at(path, "Lid", &Arc::default()).err().unwrap();
        assert_eq!(error(&file).to_string(), "camera Lid cannot be opened: it is not a camera");
        let none = error(&home.path().join("video1"));
        assert_eq!(none, CameraError::Unplugged { camera: "Lid".into() });
        let busy = refusal(&io::Error::from_raw_os_error(16), "Lid");
        assert_eq!(busy, CameraError::Busy { camera: "Lid".into() });
    }

    #[test]
    fn lumas_and_chromas_become_red_green_and_blue() {
        let yuyv = |packed: &[u8]| of_pairs(packed, |[y, u, next, v]| ([y, next], u, v));
        // Black, white and two greys, beyond whose range nothing is.
        assert_eq!(yuyv(&[16, 128, 235, 128]), [0, 0, 0, 255, 255, 255]);
        assert_eq!(yuyv(&[0, 128, 255, 128]), [0, 0, 0, 255, 255, 255]);
        assert_eq!(yuyv(&[126, 128, 125, 128]), [128, 128, 128, 127, 127, 127]);
        // Red, green and blue as BT.601 has them, to a level.
        for (yuv, rgb) in [
            ([81, 90, 240], [255, 0, 0]),
            ([145, 54, 34], [0, 255, 0]),
            ([41, 240, 110], [0, 0, 255]),
        ] {
            let converted = yuyv(&[yuv[0], yuv[1], yuv[0], yuv[2]]);
            let off = converted.iter().zip(rgb.iter().cycle()).map(|(a, b)| a.abs_diff(*b)).max();
            assert!(off <= Some(1), "{yuv:?}: {converted:?}");
        }
        // The same pair in the other order.
        let uyvy = of_pairs(&[90, 81, 240, 100], |[u, y, v, next]| ([y, next], u, v));
        assert_eq!(uyvy, yuyv(&[81, 90, 100, 240]));
    }

    #[test]
    fn compressed_frames_are_taken_first() {
        let of = |codes: &[&[u8; 4]]| best(codes.iter().map(|code| **code));
        assert_eq!(of(&[b"YUYV", b"MJPG"]), Some(*b"MJPG"));
        assert_eq!(of(&[b"GREY", b"H264", b"YUYV"]), Some(*b"YUYV"));
        assert_eq!(of(&[b"H264", b"BA81"]), None);
    }

    #[test]
    fn raw_frames_become_pictures() {
        let mut format = Format::new(64, 48, FourCC::new(b"YUYV"));
        format.stride = 64 * 2 + 16;
        let mut bytes = vec![0; format.stride as usize * 48];
        for line in bytes.chunks_mut(format.stride as usize) {
            line[..128].chunks_mut(4).for_each(|two| two.copy_from_slice(&[126, 128, 126, 128]));
        }
        let image = picture(&bytes, &format).unwrap();
        let grey = image[(10, 40)].0;
        assert!(grey.iter().all(|v| v.abs_diff(128) < 4), "{grey:?}");
        assert!(picture(&bytes[..bytes.len() / 2], &format).is_none());
        let rgb = Format::new(64, 48, FourCC::new(b"RGB3"));
        assert!(picture(&[7; 64 * 48 * 3], &rgb).is_some());
    }

    /// A camera with exposure and, if true, focus. Its automatic exposure offers the fixed aperture
    /// only.
    struct Fake(bool, RefCell<Vec<(u32, i64)>>);

    impl Controls for Fake {
        fn span(&self, id: u32) -> Option<Span> {
            match id {
                EXPOSURE_ABSOLUTE => Some(Span { least: 3, most: 2047, now: 250 }),
                FOCUS_ABSOLUTE if self.0 => Some(Span { least: 0, most: 255, now: 0 }),
                _ => None,
            }
        }

        fn set(&self, id: u32, value: i64) -> bool {
            let taken = (id, value) != (EXPOSURE_AUTO, 0);
            if taken {
                self.1.borrow_mut().push((id, value));
            }
            taken
        }
    }

    #[test]
    fn exposure_and_focus_are_set_by_hand_and_left_to_the_camera() {
        let fake = Fake(true, RefCell::default());
        assert_eq!(spans(&fake).0.unwrap().now, 250);
        apply(&fake, &CameraWish { exposure: Some(9_999), focus: Some(40), size_px: None });
        let asked = fake.1.take();
        let expected =
            [(EXPOSURE_AUTO, 1), (EXPOSURE_ABSOLUTE, 2047), (FOCUS_AUTO, 0), (FOCUS_ABSOLUTE, 40)];
        assert_eq!(asked, expected);
        apply(&fake, &CameraWish::default());
        assert_eq!(fake.1.take(), [(EXPOSURE_AUTO, 3), (FOCUS_AUTO, 1)]);
        let fixed = Fake(false, RefCell::default());
        apply(&fixed, &CameraWish { focus: Some(40), ..CameraWish::default() });
        assert_eq!(fixed.1.take(), [(EXPOSURE_AUTO, 3)], "it has no focus to set");
    }
}
