//! The thread that learns: it takes in photos and what a person says of the cards, one thing after the
//! other, and keeps a picture of where it stands for the window.

use crate::shared::{reasons::Reason, tab::Eye};
use eframe::egui::ColorImage;
use setsight_decks::{Draft, DraftCard, LearnError, Note, Place, detect};
use setsight_desktop::color_image;
use setsight_game::cards::{Deck, Property};
use setsight_photo::{pixels::straightened, source::Photo};
use setsight_vision::{ReadingPlan, Trace, find::CardFinder};
use std::{
    collections::{HashMap, VecDeque},
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
};

/// Columns and rows of a card's picture.
pub(crate) const CUT_PX: (u32, u32) = (144, 96);

/// Something to do.
pub(crate) enum Job {
    /// Learn from one more photo.
    Photo(PathBuf),
    Forget(PathBuf),
    /// A card has this value of a property.
    Put(Place, Property, usize),
    /// A card is not part of this deck.
    LeaveOut(Place),
    /// What looks alike is different.
    Confirm(Property),
    StartAgain,
}

/// What became of a photo.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    /// It is being looked at.
    InHand,
    /// So many cards were seen.
    Cards(usize),
    /// It is too blurred to learn from.
    Blurred,
    /// It cannot be used.
    Failed(Reason),
}

/// A card that is learnt from.
#[derive(Clone)]
pub(crate) struct Cut {
    pub(crate) place: Place,
    /// Its values, 0 to 2, as [`Property::ALL`] names the properties.
    pub(crate) values: [usize; 4],
    /// Its picture, [`CUT_PX`].
    pub(crate) picture: Arc<ColorImage>,
}

/// How many different cards are seen and what may be wrong; or what stands in the way of a deck.
type Checked = Result<(usize, Vec<Note>), LearnError>;

#[derive(Clone, Default)]
pub(crate) struct Standing {
    /// The photos in the order in which they came.
    pub(crate) photos: Vec<(PathBuf, Outcome)>,
    /// The cards, once enough are seen to be grouped.
    pub(crate) cards: Vec<Cut>,
    /// What the deck is called if the reader knows it without being taught.
    pub(crate) recognised: Option<String>,
    pub(crate) one_fill: bool,
    /// The deck as it would be drawn.
    pub(crate) deck: Option<Arc<Deck>>,
    /// Whether it is in order; none before the first photo.
    pub(crate) checked: Option<Arc<Checked>>,
}

#[derive(Default)]
struct Plan {
    jobs: VecDeque<Job>,
    /// Whether a job, or the deck's drawing, is in hand.
    busy: bool,
    stopped: bool,
}

struct Shared {
    plan: Mutex<Plan>,
    changed: Condvar,
    standing: Mutex<Arc<Standing>>,
    wake: Box<dyn Fn() + Send + Sync>,
}

/// The thread.
pub(crate) struct Work {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Work {
    /// Begins with nothing. `wake` is called, on the thread, when there is news.
    pub(crate) fn begin(eye: Arc<dyn Eye>, wake: impl Fn() + Send + Sync + 'static) -> Self {
        let shared = Arc::new(Shared {
            plan: Mutex::default(),
            changed: Condvar::new(),
            standing: Mutex::default(),
            wake: Box::new(wake),
        });
        let of_thread = Arc::clone(&shared);
        let thread = thread::Builder::new()
            .name("learn-deck".to_owned())
            .spawn(move || Learner::new(&of_thread, eye).run())
            .ok();
        Self { shared, thread }
    }

    /// Has something done. What a person says goes before photos that wait.
    pub(crate) fn want(&self, job: Job) {
        let mut plan = self.shared.plan();
        if matches!(job, Job::StartAgain) {
            plan.jobs.clear();
        }
        if matches!(job, Job::Photo(_)) {
            plan.jobs.push_back(job);
        } else {
            let before = plan.jobs.iter().position(|job| matches!(job, Job::Photo(_)));
            let at = before.unwrap_or(plan.jobs.len());
            plan.jobs.insert(at, job);
        }
        drop(plan);
        self.shared.changed.notify_all();
    }

    /// How many photos wait to be looked at.
    pub(crate) fn waiting(&self) -> usize {
        self.shared.plan().jobs.iter().filter(|job| matches!(job, Job::Photo(_))).count()
    }

    /// Whether anything is being done, or is to be.
    pub(crate) fn is_busy(&self) -> bool {
        let plan = self.shared.plan();
        plan.busy || !plan.jobs.is_empty()
    }

    pub(crate) fn standing(&self) -> Arc<Standing> {
        Arc::clone(&self.shared.standing.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Stops and waits for what has been begun: networks must not be taken apart while they run.
    pub(crate) fn close(mut self) {
        self.stop();
        if let Some(thread) = self.thread.take() {
            // A panic in it has been reported already.
            let _ = thread.join();
        }
    }

    fn stop(&self) {
        self.shared.plan().stopped = true;
        self.shared.changed.notify_all();
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Shared {
    fn plan(&self) -> MutexGuard<'_, Plan> {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next job; waits for one if `wait`. None when there is none, or all is over.
    fn next(&self, wait: bool) -> Option<Job> {
        let mut plan = self.plan();
        loop {
            if plan.stopped {
                return None;
            }
            if let Some(job) = plan.jobs.pop_front() {
                plan.busy = true;
                return Some(job);
            }
            if !wait {
                return None;
            }
            if std::mem::take(&mut plan.busy) {
                (self.wake)();
            }
            plan = self.changed.wait(plan).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn tell(&self, standing: &Standing) {
        *self.standing.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(standing.clone());
        (self.wake)();
    }
}

struct Learner<'a> {
    shared: &'a Shared,
    eye: Arc<dyn Eye>,
    finder: Option<Box<dyn CardFinder>>,
    draft: Draft,
    pictures: HashMap<(String, usize, usize), Arc<ColorImage>>,
    standing: Standing,
}

impl<'a> Learner<'a> {
    fn new(shared: &'a Shared, eye: Arc<dyn Eye>) -> Self {
        Self {
            shared,
            eye,
            finder: None,
            draft: Draft::default(),
            pictures: HashMap::new(),
            standing: Standing::default(),
        }
    }

    fn run(mut self) {
        let mut is_drawn = true;
        loop {
            // The deck is drawn when nothing else waits: that takes a second or two.
            let job = self.shared.next(false).or_else(|| {
                if !std::mem::replace(&mut is_drawn, true) {
                    self.draw();
                }
                self.shared.next(true)
            });
            let Some(job) = job else { return };
            is_drawn = false;
            let step = AssertUnwindSafe(|| {
                self.take(job);
                self.group();
            });
            if catch_unwind(step).is_err() {
                self.fail();
            }
            self.shared.tell(&self.standing);
        }
    }

    /// After a panic nothing is left to build on; each photo says so and can be taken again.
    fn fail(&mut self) {
        self.draft = Draft::default();
        let photos = std::mem::take(&mut self.standing).photos;
        self.standing.photos =
            photos.into_iter().map(|(path, _)| (path, Outcome::Failed(Reason::Fault))).collect();
    }

    fn take(&mut self, job: Job) {
        match job {
            Job::Photo(path) => {
                let listed = self.standing.photos.iter().any(|(of, _)| *of == path);
                if !listed {
                    self.standing.photos.push((path.clone(), Outcome::InHand));
                }
                self.shared.tell(&self.standing);
                // A panic costs one photo, not the deck.
                let look = AssertUnwindSafe(|| self.look(&path));
                let outcome = catch_unwind(look).unwrap_or(Err(Reason::Fault));
                let outcome = outcome.unwrap_or_else(Outcome::Failed);
                if let Some(photo) = self.standing.photos.iter_mut().find(|(of, _)| *of == path) {
                    photo.1 = outcome;
                }
            }
            Job::Forget(path) => {
                self.standing.photos.retain(|(of, _)| *of != path);
                self.draft.remove(&path.display().to_string());
            }
            Job::Put(place, property, value) => self.draft.put(&place, property, value),
            Job::LeaveOut(place) => self.draft.leave_out(&place),
            Job::Confirm(property) => self.draft.confirm(property),
            Job::StartAgain => {
                self.draft = Draft::default();
                self.standing = Standing::default();
                self.pictures.clear();
            }
        }
    }

    fn look(&mut self, path: &Path) -> Result<Outcome, Reason> {
        let photo = self.eye.load(path)?;
        let finder = match self.finder.take() {
            Some(finder) => finder,
            None => {
                let finder = ReadingPlan::default().build_finder();
                finder.map_err(|error| Reason::Reader(error.to_string()))?
            }
        };
        let name = path.display().to_string();
        let detected = detect(&name, &photo.frame, &*finder);
        self.finder = Some(finder);
        let detected = detected.map_err(|error| Reason::Reader(error.to_string()))?;
        let image = &photo.frame;
        for (row, column, corners) in detected.cards() {
            let cut = straightened(image.as_raw(), image.dimensions(), &corners, CUT_PX);
            let picture = cut.map_or_else(ColorImage::default, |cut| color_image(&cut));
            self.pictures.insert((name.clone(), row, column), Arc::new(picture));
        }
        let outcome = if detected.is_blurred() {
            Outcome::Blurred
        } else {
            Outcome::Cards(detected.cards().count())
        };
        // One photo is enough: reading takes longer than all the rest.
        if matches!(outcome, Outcome::Cards(1..)) && self.standing.photos.len() == 1 {
            self.standing.recognised = self.recognise(photo);
        }
        self.draft.add(detected);
        Ok(outcome)
    }

    /// What the deck on a photo is called, if most of its cards are read clearly as they are.
    fn recognise(&self, photo: Photo) -> Option<String> {
        let table = self.eye.read(photo, &mut Trace::default()).ok()?.table;
        let deck = table.facts.deck()?;
        (2 * table.unsure() < table.cards.len()).then(|| deck.title.clone())
    }

    /// A card with its picture, once it is in a group of each property.
    fn cut(&self, card: &DraftCard<'_>) -> Option<Cut> {
        let values = Property::ALL.map(|property| card.value(property));
        let key = (card.place.photo.clone(), card.place.row, card.place.column);
        let [Some(number), Some(shading), Some(color), Some(shape)] = values else {
            return None;
        };
        Some(Cut {
            place: card.place.clone(),
            values: [number, shading, color, shape],
            picture: Arc::clone(self.pictures.get(&key)?),
        })
    }

    /// Takes over how the cards are grouped now.
    fn group(&mut self) {
        self.standing.cards = self.draft.cards().filter_map(|card| self.cut(&card)).collect();
        self.standing.one_fill = self.draft.has_one_fill();
        if self.standing.cards.is_empty() {
            self.standing.deck = None;
        }
        let any = !self.standing.photos.is_empty();
        self.standing.checked = any.then(|| Arc::new(self.draft.check()));
    }

    /// Draws the deck by its groups, which takes a second or two.
    fn draw(&mut self) {
        if self.shared.plan().stopped {
            return;
        }
        // The name does not matter here; the deck gets one when it is written.
        let deck = catch_unwind(AssertUnwindSafe(|| self.draft.drawn("-", &|_| {})));
        self.standing.deck = deck.ok().flatten().map(Arc::new);
        self.shared.tell(&self.standing);
    }
}
