//! Runs a camera on its own thread: keeps only the newest frame, in a slot, and reconnects after a failure.

use super::camera::{Camera, CameraChoice, CameraError, Cameras, Shot, choose};
use super::session::Notice;
use setsight_photo::Frame;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A message from a camera's thread.
#[derive(Clone, Debug)]
pub enum Captured {
    Shot(Shot),
    /// Something is wrong; frames may follow once it is over.
    Trouble(Notice),
    End,
}

/// How a failing camera is tried again.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// Time between two attempts.
    pub retry: Duration,
    /// Number of black frames in a row before they are reported; cameras often begin with some.
    pub black_frames: u32,
}

impl Default for Patience {
    fn default() -> Self {
        Self { retry: Duration::from_secs(1), black_frames: 30 }
    }
}

/// The camera to run.
pub struct Job<'a> {
    pub cameras: &'a dyn Cameras,
    /// The camera that the user wants.
    pub choice: &'a CameraChoice,
    /// The camera if it is already open; few cameras can be opened twice.
    pub opened: Option<Box<dyn Camera>>,
    /// Receives the frames.
    pub out: &'a Latest<Captured>,
    /// How a failing camera is tried again.
    pub patience: Patience,
    /// Start of the clock for all frames. Each time a camera is opened, it counts its frames from
    /// 0, but the tracker needs times that do not decrease.
    pub began: Instant,
}

/// Runs until `out` is closed, a film ends, or an error that cannot pass occurs.
pub fn run(job: Job) {
    let Job { cameras, choice, mut opened, out, patience, began } = job;
    let mut progress = Progress { reported: None, last_ms: 0.0 };
    while !out.is_closed() {
        let opened = opened.take().map_or_else(|| cameras.open(choice), Ok);
        let offset_ms = began.elapsed().as_secs_f64() * 1e3;
        let error = match opened {
            Ok(camera) => {
                let name = || match choose(&cameras.list(), choice) {
                    Ok(camera) => camera.name,
                    Err(_) => choice.to_string(),
                };
                match watch(camera, &name, out, patience, offset_ms, &mut progress) {
                    Ok(()) => return,
                    Err(error) => error,
                }
            }
            Err(error) => error,
        };
        let may_pass = error.may_pass();
        if progress.reported.as_ref() != Some(&error) {
            let mut notice = Notice::from(&error);
            if may_pass {
                notice.advice += "; it is tried again every second";
                notice.tried_again = true;
            }
            out.put(Captured::Trouble(notice));
            progress.reported = Some(error);
        }
        if !may_pass || !out.pause(patience.retry) {
            return;
        }
    }
}

/// The state that survives reopening the camera.
struct Progress {
    /// The last error reported; each error is reported once, not at every attempt.
    reported: Option<CameraError>,
    /// Time of the last frame, in milliseconds.
    last_ms: f64,
}

/// Passes on an open camera's frames, until it fails or `out` is closed.
fn watch(
    mut camera: Box<dyn Camera>,
    name: &dyn Fn() -> String,
    out: &Latest<Captured>,
    patience: Patience,
    offset_ms: f64,
    progress: &mut Progress,
) -> Result<(), CameraError> {
    let mut black = 0;
    loop {
        let Some(mut shot) = camera.read()? else {
            out.put(Captured::End);
            return Ok(());
        };
        shot.time_ms = (shot.time_ms + offset_ms).max(progress.last_ms);
        progress.last_ms = shot.time_ms;
        black = if is_black(&shot.frame) { black + 1 } else { 0 };
        let goes_on = if black <= patience.black_frames {
            progress.reported = None;
            out.put(Captured::Shot(shot))
        } else if matches!(progress.reported, Some(CameraError::Black { .. })) {
            !out.is_closed()
        } else {
            let error = CameraError::Black { camera: name() };
            let notice = Notice::from(&error);
            progress.reported = Some(error);
            out.put(Captured::Trouble(notice))
        };
        if !goes_on {
            return Ok(());
        }
    }
}

/// Whether a frame shows nothing: it is dark everywhere.
fn is_black(frame: &Arc<Frame>) -> bool {
    /// Above a sensor's noise in the dark.
    const DARK: u8 = 24;
    // A few hundred samples suffice.
    let bytes = frame.as_raw();
    let step = (bytes.len() / 997).max(1);
    bytes.iter().step_by(step).all(|&v| v < DARK)
}

/// A slot between two threads. A new item replaces one that was not taken.
#[derive(Debug)]
pub struct Latest<T> {
    inner: Mutex<Inner<T>>,
    changed: Condvar,
}

#[derive(Debug)]
struct Inner<T> {
    item: Option<T>,
    closed: bool,
}

/// The result of [`Latest::take`].
#[derive(Debug, PartialEq)]
pub enum Taken<T> {
    Item(T),
    /// No item came in time.
    Nothing,
    /// The slot is closed; no item will come.
    Closed,
}

impl<T> Default for Latest<T> {
    fn default() -> Self {
        let inner = Inner { item: None, closed: false };
        Self { inner: Mutex::new(inner), changed: Condvar::new() }
    }
}

impl<T> Latest<T> {
    fn lock(&self) -> MutexGuard<'_, Inner<T>> {
        // A thread that panicked leaves either a complete item or none.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts an item in. False if the slot is closed.
    pub fn put(&self, item: T) -> bool {
        let mut inner = self.lock();
        if inner.closed {
            return false;
        }
        inner.item = Some(item);
        self.changed.notify_all();
        true
    }

    /// Takes the newest item out, and waits for one up to the given time.
    pub fn take(&self, wait: Duration) -> Taken<T> {
        let inner = self.lock();
        let (mut inner, _) = self
            .changed
            .wait_timeout_while(inner, wait, |inner| inner.item.is_none() && !inner.closed)
            .unwrap_or_else(PoisonError::into_inner);
        match inner.item.take() {
            Some(item) => Taken::Item(item),
            None if inner.closed => Taken::Closed,
            None => Taken::Nothing,
        }
    }

    /// Closes the slot: no more items are put in.
    pub fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.lock().closed
    }

    /// Whether the slot holds no item.
    pub(crate) fn is_empty(&self) -> bool {
        self.lock().item.is_none()
    }

    /// Waits for the given time or until the slot is closed. False if it is closed.
    pub(crate) fn pause(&self, wait: Duration) -> bool {
        let inner = self.lock();
        let (inner, _) = self
            .changed
            .wait_timeout_while(inner, wait, |inner| !inner.closed)
            .unwrap_or_else(PoisonError::into_inner);
        !inner.closed
    }
}

#[cfg(test)]
mod tests {
    use super::super::camera::CameraInfo;
    use super::*;
    use image::{Rgb, RgbImage};
    use std::collections::VecDeque;

    type Opening = Result<(Vec<u8>, CameraError), CameraError>;

    /// What happens each time a camera is opened: an error, or frames of these grey levels followed
    /// by an error.
    struct Script(Mutex<VecDeque<Opening>>, Arc<Latest<Captured>>);

    struct Scripted(VecDeque<u8>, CameraError, Arc<Latest<Captured>>, f64);

    /// The slot holds only the newest item, so on a busy machine a script must not run ahead of its
    /// reader.
    fn wait_until_taken(out: &Latest<Captured>) {
        while !out.is_empty() && !out.is_closed() {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    impl Cameras for Script {
        fn list(&self) -> Vec<CameraInfo> {
            vec![CameraInfo { number: 0, name: "Script".into() }]
        }
        fn open(&self, _: &CameraChoice) -> Result<Box<dyn Camera>, CameraError> {
            wait_until_taken(&self.1);
            let next = self.0.lock().unwrap().pop_front();
            let (levels, end) = next.unwrap_or(Err(CameraError::None))?;
            Ok(Box::new(Scripted(levels.into(), end, Arc::clone(&self.1), -100.0)))
        }
    }

    impl Camera for Scripted {
        fn read(&mut self) -> Result<Option<Shot>, CameraError> {
            wait_until_taken(&self.2);
            let level = self.0.pop_front().ok_or_else(|| self.1.clone())?;
            let image = RgbImage::from_pixel(64, 48, Rgb([level; 3]));
            let frame = Arc::new(image);
            self.3 += 100.0;
            Ok(Some(Shot {
                frame,
                time_ms: self.3,
                taken: Instant::now(),
                jpeg: None,
                times: Vec::new(),
            }))
        }
    }

    fn job<'a>(
        cameras: &'a dyn Cameras,
        choice: &'a CameraChoice,
        out: &'a Latest<Captured>,
        patience: Patience,
    ) -> Job<'a> {
        Job { cameras, choice, opened: None, out, patience, began: Instant::now() }
    }

    /// All messages until `count` items have arrived.
    fn messages(script: Vec<Opening>, count: usize) -> Vec<String> {
        let out: Arc<Latest<Captured>> = Arc::default();
        let cameras = Script(Mutex::new(script.into()), Arc::clone(&out));
        let patience = Patience { retry: Duration::from_millis(10), black_frames: 2 };
        std::thread::scope(|scope| {
            scope.spawn(|| run(job(&cameras, &CameraChoice::First, &out, patience)));
            let mut lines = Vec::new();
            while lines.len() < count {
                match out.take(Duration::from_secs(20)) {
                    Taken::Item(Captured::Shot(shot)) => {
                        lines.push(format!("frame {}", shot.frame.as_raw()[0]));
                    }
                    Taken::Item(Captured::Trouble(notice)) => lines.push(notice.title),
                    Taken::Item(Captured::End) => lines.push("end".into()),
                    Taken::Nothing | Taken::Closed => break,
                }
            }
            out.close();
            lines
        })
    }

    fn unplugged() -> CameraError {
        CameraError::Unplugged { camera: "Script".into() }
    }

    #[test]
    fn an_unplugged_camera_is_reported_and_goes_on_by_itself() {
        let script = vec![
            Ok((vec![90, 91], unplugged())),
            Err(CameraError::None),
            Err(CameraError::None),
            Err(CameraError::Busy { camera: "Script".into() }),
            Err(CameraError::Permission { camera: "Script".into() }),
            Ok((vec![92], unplugged())),
        ];
        let lines = messages(script, 7);
        let expected = [
            "frame 90",
            "frame 91",
            "camera Script is unplugged or switched off",
            "no camera is connected",
            "camera Script is in use by another program",
            "camera Script may not be used by this user",
            "frame 92",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn a_camera_that_is_unplugged_ten_times_comes_back_ten_times() {
        let script = (100..111)
            .flat_map(|level| [Ok((vec![level], unplugged())), Err(CameraError::None)])
            .collect();
        let lines = messages(script, 31);
        let again = (100..110).flat_map(|level| {
            let words = ["camera Script is unplugged or switched off", "no camera is connected"];
            [format!("frame {level}"), words[0].to_owned(), words[1].to_owned()]
        });
        let expected: Vec<String> = again.chain(["frame 110".to_owned()]).collect();
        assert_eq!(lines, expected);
    }

    #[test]
    fn a_camera_that_comes_back_does_not_turn_the_clock_back() {
        let out: Arc<Latest<Captured>> = Arc::default();
        let script = vec![Ok((vec![90, 91], unplugged())), Ok((vec![92, 93], unplugged()))];
        let cameras = Script(Mutex::new(script.into()), Arc::clone(&out));
        let patience = Patience { retry: Duration::from_millis(300), black_frames: 2 };
        let mut times = Vec::new();
        std::thread::scope(|scope| {
            scope.spawn(|| run(job(&cameras, &CameraChoice::First, &out, patience)));
            while times.len() < 4 {
                match out.take(Duration::from_secs(20)) {
                    Taken::Item(Captured::Shot(shot)) => times.push(shot.time_ms),
                    Taken::Item(_) => {}
                    Taken::Nothing | Taken::Closed => break,
                }
            }
            out.close();
        });
        // Each opening in the script gives its frames the times 0 and 100 ms.
        assert!(times.is_sorted() && times[1] - times[0] == 100.0, "{times:?}");
        assert!(times[2] - times[0] >= 300.0, "the pause counts: {times:?}");
    }

    #[test]
    fn black_pictures_are_reported_once_and_pictures_come_again() {
        let script = vec![Ok((vec![80, 3, 3, 3, 3, 3, 81, 3, 3, 3], unplugged()))];
        let lines = messages(script, 8);
        let black = "camera Script gives black pictures";
        let expected =
            ["frame 80", "frame 3", "frame 3", black, "frame 81", "frame 3", "frame 3", black];
        assert_eq!(lines, expected);
    }

    #[test]
    fn a_camera_that_does_not_exist_is_not_tried_again() {
        let no_such = CameraError::NoSuch { choice: "camera 7".into(), have: Vec::new() };
        let out: Arc<Latest<Captured>> = Arc::default();
        let cameras = Script(Mutex::new([Err(no_such)].into()), Arc::clone(&out));
        // It returns by itself.
        run(job(&cameras, &CameraChoice::Number(7), &out, Patience::default()));
        assert!(matches!(out.take(Duration::ZERO), Taken::Item(Captured::Trouble(_))));
    }

    #[test]
    fn only_the_newest_item_is_kept() {
        let slot = Latest::default();
        for i in 0..5 {
            assert!(slot.put(i));
        }
        assert_eq!(slot.take(Duration::ZERO), Taken::Item(4));
        assert_eq!(slot.take(Duration::ZERO), Taken::Nothing);
        slot.put(7);
        slot.close();
        assert!(!slot.put(8) && !slot.pause(Duration::from_secs(100)));
        assert_eq!(slot.take(Duration::from_secs(100)), Taken::Item(7));
        assert_eq!(slot.take(Duration::from_secs(100)), Taken::Closed);
    }
}
