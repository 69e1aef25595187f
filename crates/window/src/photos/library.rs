//! The photos that are open, read by threads in the background.
//!
//! Three kinds of threads work here. One decodes the photo that is looked at, and nothing else, so
//! that its pixels never wait for a reading. One is quick: it reads that photo, and makes the
//! thumbnails that are in view. The others read all photos, those in view first; they begin nothing
//! while the one that is looked at is not read. All that they
//! have to say comes over one bounded channel, of which the window takes a little in each frame:
//! when the window is slow, they wait, and nothing piles up.

mod work;

use crate::shared::{reasons::Reason, tab::Eye};
use image::RgbImage;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, JoinHandle, available_parallelism};
use std::{collections::HashSet, path::PathBuf};
pub(crate) use work::{CardWanted, Found, LibraryEvent, Pasted};
use work::{MOST_EVENTS, Plan, Shared, list, list_named, work};

/// A photo of the folder.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) path: PathBuf,
    /// What it holds, or why it cannot be read, once it has been looked at.
    pub(crate) found: Option<Result<Found, Reason>>,
}

/// The open photos.
pub(crate) struct Library {
    /// The photos, in the order in which people count.
    pub(crate) entries: Vec<Entry>,
    /// Whether the folder has been looked through.
    pub(crate) listed: bool,
    /// How many photos have been read, or cannot be.
    pub(crate) read: usize,
    shared: Arc<Shared>,
    events: Receiver<LibraryEvent>,
    threads: Vec<JoinHandle<()>>,
}

impl Library {
    /// Begins to list and read what these paths mean. `wake` is called, on any thread, when there
    /// is news.
    pub(crate) fn open(
        paths: Vec<PathBuf>,
        eye: Arc<dyn Eye>,
        wake: impl Fn() + Send + Sync + 'static,
    ) -> Self {
        Self::begin(eye, None, wake, move |shared| {
            let (found, problems, at) = list(&paths);
            shared.tell(LibraryEvent::Listed(found, problems, at));
        })
    }

    /// One picture that lies in no file, under a name of the caller's.
    pub(crate) fn paste(
        picture: RgbImage,
        name: &str,
        eye: Arc<dyn Eye>,
        wake: impl Fn() + Send + Sync + 'static,
    ) -> Self {
        let name = PathBuf::from(name);
        Self::begin(eye, Some(Arc::new(picture)), wake, |shared| {
            shared.tell(LibraryEvent::Listed(vec![name], Vec::new(), 0));
        })
    }

    /// The same photos, to be read anew; the one at `first` is to be seen first.
    pub(crate) fn again(
        &self,
        first: usize,
        eye: Arc<dyn Eye>,
        wake: impl Fn() + Send + Sync + 'static,
    ) -> Self {
        let paths = self.entries.iter().map(|entry| entry.path.clone()).collect();
        Self::begin(eye, self.shared.pasted.clone(), wake, move |shared| {
            shared.tell(LibraryEvent::Listed(paths, Vec::new(), first));
        })
    }

    fn begin(
        eye: Arc<dyn Eye>,
        pasted: Option<Pasted>,
        wake: impl Fn() + Send + Sync + 'static,
        list: impl FnOnce(&Shared) + Send + 'static,
    ) -> Self {
        let (sender, events) = sync_channel(MOST_EVENTS);
        let shared = Arc::new(Shared {
            plan: Mutex::default(),
            changed: Condvar::new(),
            eye,
            pasted,
            events: sender,
            wake: Box::new(wake),
        });
        let lister = Arc::clone(&shared);
        let mut threads = Vec::new();
        threads.extend(spawn("list", move || list(&lister)));
        let opener = Arc::clone(&shared);
        threads.extend(spawn("open", move || work(&opener, Plan::open_job)));
        let quick = Arc::clone(&shared);
        threads.extend(spawn("quick", move || work(&quick, Plan::quick_job)));
        // One core stays for the window.
        let readers = available_parallelism().map_or(1, |n| n.get().saturating_sub(1).max(1));
        for _ in 0..readers {
            let reader = Arc::clone(&shared);
            threads.extend(spawn("read", move || work(&reader, Plan::read_job)));
        }
        Self { entries: Vec::new(), listed: false, read: 0, shared, events, threads }
    }

    /// Lists more photos, and reads them too.
    pub(crate) fn add(&mut self, paths: Vec<PathBuf>) {
        let shared = Arc::clone(&self.shared);
        self.threads.extend(spawn("list", move || {
            let (found, problems, _) = list_named(&paths);
            shared.tell(LibraryEvent::Added(found, problems));
        }));
    }

    /// Whether it is a picture that lies in no file.
    pub(crate) fn is_pasted(&self) -> bool {
        self.shared.pasted.is_some()
    }

    /// Stops reading and waits for what has been begun: before the program ends, whose networks
    /// must not be taken apart while a thread runs them.
    pub(crate) fn close(mut self) {
        self.shared.plan().stopped = true;
        self.shared.changed.notify_all();
        // A thread that waits to send learns that nobody listens.
        self.events = sync_channel(0).1;
        for thread in std::mem::take(&mut self.threads) {
            // A panic in it has been reported already.
            let _ = thread.join();
        }
    }

    /// The next news, if there is any. What it says of entries is taken over first.
    pub(crate) fn next_event(&mut self) -> Option<LibraryEvent> {
        let mut event = self.events.try_recv().ok()?;
        match &mut event {
            LibraryEvent::Added(paths, _) => {
                let listed: HashSet<&PathBuf> = self.entries.iter().map(|e| &e.path).collect();
                let mut new = std::mem::take(paths);
                new.retain(|path| !listed.contains(path));
                paths.clone_from(&new);
                let mut plan = self.shared.plan();
                let mut all = (*plan.paths).clone();
                all.extend(new.iter().cloned());
                plan.read_taken.resize(all.len(), false);
                plan.paths = Arc::new(all);
                drop(plan);
                self.entries.extend(new.into_iter().map(|path| Entry { path, found: None }));
                self.shared.changed.notify_all();
            }
            LibraryEvent::Listed(paths, _, first) => {
                self.listed = true;
                self.entries =
                    paths.iter().map(|path| Entry { path: path.clone(), found: None }).collect();
                let mut plan = self.shared.plan();
                plan.read_taken = vec![false; paths.len()];
                plan.looked_at = (*first < paths.len()).then_some(*first);
                plan.paths = Arc::new(std::mem::take(paths));
                drop(plan);
                self.shared.changed.notify_all();
            }
            LibraryEvent::Thumb(i, _) => {
                self.shared.plan().thumbs_taken.remove(i);
            }
            LibraryEvent::Read(i, result) => {
                let entry = &mut self.entries[*i];
                self.read += usize::from(entry.found.is_none());
                entry.found = Some((**result).clone());
            }
            LibraryEvent::Opened(i, Err(reason)) => {
                let entry = &mut self.entries[*i];
                self.read += usize::from(entry.found.is_none());
                entry.found = Some(Err(reason.clone()));
            }
            LibraryEvent::Opened(..)
            | LibraryEvent::Cards(..)
            | LibraryEvent::Card(..)
            | LibraryEvent::Stages(..) => {}
        }
        Some(event)
    }

    /// Has a photo decoded and read before everything else.
    pub(crate) fn want_open(&self, index: usize) {
        let mut plan = self.shared.plan();
        (plan.open, plan.looked_at) = (Some(index), Some(index));
        drop(plan);
        self.shared.changed.notify_all();
    }

    /// Has a card read; one that was wanted before and has not been begun is forgotten.
    pub(crate) fn want_card(&self, card: CardWanted) {
        self.shared.plan().card = Some(card);
        self.shared.changed.notify_all();
    }

    /// Has the pictures of a photo's stages made.
    pub(crate) fn want_stages(&self, index: usize) {
        self.shared.plan().stages = Some(index);
        self.shared.changed.notify_all();
    }

    /// Has these thumbnails made and these photos read first; what was wanted before and has not
    /// been begun is forgotten.
    pub(crate) fn want_in_view(&self, thumbs: Vec<usize>, first: Vec<usize>) {
        let mut plan = self.shared.plan();
        plan.thumbs = thumbs.into();
        plan.first = first.into();
        let work = !(plan.thumbs.is_empty() && plan.first.is_empty());
        drop(plan);
        if work {
            self.shared.changed.notify_all();
        }
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        self.shared.plan().stopped = true;
        self.shared.changed.notify_all();
    }
}

/// Without threads the window still opens and says nothing: there is no better answer.
fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> Option<JoinHandle<()>> {
    thread::Builder::new().name(name.to_owned()).spawn(run).ok()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::shared::table::Table;
    use setsight_photo::source::{Photo, SourceError};
    use setsight_photo::{Frame, geometry::Quad};
    use setsight_vision::{
        CardImage, PhotoReading, PipelineOutput, Reading, StageTime, TableFacts, Trace,
    };
    use std::{
        path::Path,
        sync::atomic::{AtomicUsize, Ordering},
        time::{Duration, Instant},
    };

    /// Sees the same cards in every photo, which it does not open.
    struct FakeEye {
        table: Table,
        reads: AtomicUsize,
        /// While it is held no photo is read.
        may_read: Mutex<()>,
    }

    impl FakeEye {
        fn seeing(table: Table) -> Arc<Self> {
            Arc::new(Self { table, reads: AtomicUsize::new(0), may_read: Mutex::new(()) })
        }
    }

    impl Eye for FakeEye {
        fn load(&self, path: &Path) -> Result<Photo, SourceError> {
            if path.to_string_lossy().contains("bad") {
                return Err(SourceError::Truncated { format: "JPEG" });
            }
            let image = RgbImage::from_pixel(480, 360, image::Rgb([90, 120, 90]));
            Ok(Photo::of_picture(image))
        }

        fn read_card(
            &self,
            _: &Frame,
            _: Quad,
            _: TableFacts,
        ) -> Result<(CardImage, Reading), String> {
            Ok((setsight_vision::CardImage::from_crop(RgbImage::new(96, 64)), Reading::UNKNOWN))
        }

        fn read(&self, photo: Photo, trace: &mut Trace<'_>) -> Result<PhotoReading, String> {
            let _waits = self.may_read.lock().unwrap();
            self.reads.fetch_add(1, Ordering::Relaxed);
            for stage in ["load", "segment", "board"] {
                trace.picture(stage, || photo.frame.clone()).map_err(|error| error.to_string())?;
            }
            let readings = self.table.readings.iter();
            let image = setsight_vision::CardImage::from_crop(RgbImage::new(96, 64));
            trace.times.push(StageTime { stage: "segment", elapsed_ms: 12.0, cpu_ms: 12.0 });
            let output = PipelineOutput {
                table: self.table.reading.clone(),
                readings: readings.map(|r| r.clone().unwrap_or(Reading::UNKNOWN)).collect(),
                images: vec![image; self.table.cards.len()],
                ..PipelineOutput::default()
            };
            Ok(PhotoReading::new(photo, output))
        }
    }

    /// A folder of files with these names, which [`FakeEye`] never opens.
    pub(crate) fn folder_of(names: &[&str]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for name in names {
            std::fs::write(dir.path().join(name), b"x").unwrap();
        }
        dir
    }

    fn wait_for(
        library: &mut Library,
        mut done: impl FnMut(&Library, Option<LibraryEvent>) -> bool,
    ) {
        let start = Instant::now();
        loop {
            let event = library.next_event();
            let none = event.is_none();
            if let Some(LibraryEvent::Listed(_, _, at)) = event {
                library.want_open(at); // As the window does.
            }
            if done(library, event) {
                return;
            }
            assert!(start.elapsed() < Duration::from_secs(60), "nothing more comes");
            if none {
                thread::sleep(Duration::from_millis(1));
            }
        }
    }

    #[test]
    fn every_photo_is_read_once_and_a_bad_one_is_named() {
        let dir = folder_of(&["a.jpg", "bad.jpg", "c.jpg"]);
        let eye = FakeEye::seeing(Table::default());
        let mut library = Library::open(vec![dir.path().to_path_buf()], eye.clone(), || ());
        wait_for(&mut library, |library, _| library.listed && library.read == 3);
        assert_eq!(eye.reads.load(Ordering::Relaxed), 2);
        let reasons: Vec<bool> =
            library.entries.iter().map(|e| e.found.as_ref().unwrap().is_ok()).collect();
        assert_eq!(reasons, [true, false, true]);
    }

    #[test]
    fn folders_of_folders_and_neighbours_are_found_and_more_can_be_added() {
        let dir = folder_of(&[]);
        for name in ["sub/deep/1.jpg", "sub/2.jpg", "other/3.jpg", "other/4.jpg"] {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, b"x").unwrap();
        }
        let eye = FakeEye::seeing(Table::default());
        let mut library = Library::open(vec![dir.path().join("sub")], eye.clone(), || ());
        wait_for(&mut library, |library, _| library.listed && library.read == 1);
        library.add(vec![dir.path().join("other/3.jpg"), dir.path().join("sub/2.jpg")]);
        wait_for(&mut library, |library, _| library.read == 2);
        assert_eq!(library.entries.len(), 2, "what is there already does not come twice");
        let mut library = Library::open(vec![dir.path().to_path_buf()], eye.clone(), || ());
        wait_for(&mut library, |library, _| library.listed && library.read == 4);
        let mut library = Library::open(vec![dir.path().join("other/4.jpg")], eye, || ());
        let mut first = None;
        wait_for(&mut library, |library, event| {
            if let Some(LibraryEvent::Listed(_, _, at)) = event {
                first = Some(at);
            }
            library.listed && library.read == 2
        });
        assert_eq!(first, Some(1));
    }

    #[test]
    fn nothing_piles_up_when_nobody_listens() {
        let names: Vec<String> = (0..60).map(|i| format!("{i}.jpg")).collect();
        let dir = folder_of(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let eye = FakeEye::seeing(Table::default());
        let mut library = Library::open(vec![dir.path().to_path_buf()], eye.clone(), || ());
        wait_for(&mut library, |library, _| library.listed);
        thread::sleep(Duration::from_millis(200));
        let threads = available_parallelism().map_or(1, usize::from) + 1;
        assert!(eye.reads.load(Ordering::Relaxed) <= MOST_EVENTS + threads);
        wait_for(&mut library, |library, _| library.read > 20);
        // Closing waits for nothing but what is in hand.
        library.close();
        assert!(eye.reads.load(Ordering::Relaxed) < 60);
    }

    #[test]
    fn pixels_do_not_wait_for_readings() {
        let dir = folder_of(&["a.jpg", "b.jpg", "c.jpg"]);
        let eye = FakeEye::seeing(Table::default());
        let held = eye.may_read.lock().unwrap();
        let mut library = Library::open(vec![dir.path().to_path_buf()], eye.clone(), || ());
        wait_for(&mut library, |library, _| library.listed);
        // Each thread that reads has one in hand.
        for photo in [0, 2, 1] {
            library.want_open(photo);
            wait_for(
                &mut library,
                |_, event| matches!(event, Some(LibraryEvent::Opened(i, Ok(_))) if i == photo),
            );
        }
        assert_eq!(library.read, 0);
        drop(held);
        wait_for(&mut library, |library, _| library.read == 3);
    }

    #[test]
    fn what_is_looked_at_comes_with_its_cards_and_stages() {
        let dir = folder_of(&["a.jpg", "b.jpg"]);
        let table = crate::shared::table::tests::table_of("1fgd 2fgd 3fgd");
        let eye = FakeEye::seeing(table.clone());
        let mut library = Library::open(vec![dir.path().to_path_buf()], eye, || ());
        wait_for(&mut library, |library, _| library.listed);
        library.want_open(1);
        library.want_in_view(vec![0], vec![]);
        let (mut opened, mut cards, mut thumb) = (false, 0, false);
        wait_for(&mut library, |_, event| {
            match event {
                Some(LibraryEvent::Opened(1, Ok(_))) => opened = true,
                Some(LibraryEvent::Cards(1, images)) => cards = images.len(),
                Some(LibraryEvent::Thumb(0, Ok(picture))) => thumb = picture.size == [240, 180],
                _ => {}
            }
            opened && cards == 3 && thumb
        });
        library.want_stages(1);
        wait_for(&mut library, |_, event| match event {
            Some(LibraryEvent::Stages(1, Ok(stages))) => {
                assert_eq!(
                    stages.iter().map(|s| s.0.as_str()).collect::<Vec<_>>(),
                    ["load", "segment", "board"]
                );
                true
            }
            _ => false,
        });
        let Some(Ok(found)) = &library.entries[1].found else { panic!("not read") };
        assert_eq!(found.table.cards, table.cards);
    }
}
