//! "Learn from my corrections": the training as a process of its own at the lowest priority, so that the
//! window stays smooth and a stop loses nothing.

use crate::shared::theme::GOOD;
use crate::shared::words::t;
use eframe::egui::{Context, Grid, ProgressBar, Ui};
use setsight_eval::gain::{self, Change, Counts, Verdict, Worth};
use setsight_files::{programs::in_background, small_file::portable};
use setsight_nets::engine::used;
use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Stdio},
    sync::{Arc, Mutex, PoisonError},
    thread::JoinHandle,
    time::{Duration, Instant},
};

/// What the training has reported so far.
#[derive(Clone, Debug, Default)]
struct Progress {
    /// Part that is done, 0 to 1.
    done: f32,
    /// Which of how many parts it is at.
    part: Option<(usize, usize)>,
    /// Its last line that is no figure: what went wrong, if it fails.
    line: String,
}

/// A training, or what came of one.
#[derive(Default)]
enum State {
    #[default]
    Idle,
    Running(Running),
    /// It can go on.
    Stopped(PathBuf),
    Failed(String),
    Done {
        models: PathBuf,
        worth: Box<Worth>,
        /// What was read with before these were used; none while they are not.
        before: Option<Option<PathBuf>>,
    },
}

struct Running {
    child: Child,
    /// Takes over what it says, until it has said all.
    listener: Option<JoinHandle<()>>,
    progress: Arc<Mutex<Progress>>,
    models: PathBuf,
    since: Instant,
    /// How far it was when it began: one that goes on begins in the middle.
    from: Option<f32>,
}

#[derive(Default)]
pub(crate) struct Learning {
    state: State,
    /// The program that trains: this one unless another is put in its place.
    program: Option<PathBuf>,
    /// Where folders of models are made: the user's data folder unless another is put in its place.
    place: Option<PathBuf>,
    /// The photos for which a training that was stopped has been looked for.
    looked: Option<PathBuf>,
}

/// How often the window looks at a training that reports nothing.
const LOOK_AGAIN: Duration = Duration::from_millis(500);

impl Learning {
    /// What there is to say and to press about the corrections in a folder of photos.
    // One page from top to bottom.
    #[expect(clippy::too_many_lines)]
    pub(crate) fn show(&mut self, ui: &mut Ui, folder: &Path) {
        self.update(ui.ctx());
        let is_new = self.looked.as_deref() != Some(folder);
        if is_new && matches!(self.state, State::Idle | State::Stopped(_)) {
            self.looked = Some(folder.to_owned());
            self.state =
                unfinished(self.place.as_deref(), folder).map_or(State::Idle, State::Stopped);
        }
        let mut next = None;
        match &mut self.state {
            State::Idle => {
                let button = ui.button(t!("learn-from-mine"));
                if button.on_hover_text(t!("learn-help")).clicked() {
                    let models = new_folder(self.place.as_deref(), folder);
                    next = Some(start(self.program.as_deref(), &models, folder, false, ui.ctx()));
                }
            }
            State::Running(running) => {
                let progress =
                    running.progress.lock().unwrap_or_else(PoisonError::into_inner).clone();
                ui.label(match progress.part {
                    Some((part, parts)) => t!("learning-part", n = part, all = parts),
                    None => t!("learning"),
                });
                let left = running.time_left(progress.done);
                // Below the bar: within it a short bar cuts it off. An empty line keeps its height, so that
                // the button does not move away from the pointer when the time is known.
                ui.add(ProgressBar::new(progress.done));
                ui.weak(left);
                if ui.button(t!("stop")).clicked() {
                    let _ = running.child.kill();
                    let _ = running.child.wait();
                    next = Some(State::Stopped(running.models.clone()));
                }
            }
            State::Stopped(models) => {
                ui.label(t!("learning-stopped"));
                ui.horizontal(|ui| {
                    if ui.button(t!("go-on")).clicked() {
                        let program = self.program.as_deref();
                        next = Some(start(program, models, folder, true, ui.ctx()));
                    }
                    if ui.button(t!("give-up")).clicked() {
                        let _ = std::fs::remove_dir_all(&*models);
                        next = Some(State::Idle);
                    }
                });
            }
            State::Failed(reason) => {
                ui.colored_label(ui.visuals().error_fg_color, reason.as_str());
                if ui.button(t!("all-right-then")).clicked() {
                    next = Some(State::Idle);
                }
            }
            State::Done { models, worth, before } => {
                ui.label(in_words(worth));
                let aside = t!("kept-aside", n = worth.kept_aside.cards);
                counts(ui, "kept-aside", aside, &worth.kept_aside);
                let drawn = t!("drawn-cards", n = worth.drawn.cards);
                counts(ui, "drawn", drawn, &worth.drawn);
                if let Some(was) = before {
                    ui.colored_label(GOOD, t!("in-use-now"));
                    if ui.button(t!("undo")).clicked() {
                        let undone = match &*was {
                            Some(folder) => used::choose(folder).map(drop),
                            None => used::reset(),
                        };
                        match undone {
                            Ok(()) => *before = None,
                            Err(error) => next = Some(State::Failed(error.to_string())),
                        }
                    }
                } else {
                    ui.horizontal(|ui| {
                        let word = if worth.verdict == Verdict::Worse {
                            t!("use-it-all-the-same")
                        } else {
                            t!("use-it")
                        };
                        if ui.button(word).clicked() {
                            let was = used::chosen();
                            match used::choose(models) {
                                Ok(_) => *before = Some(was),
                                Err(error) => next = Some(State::Failed(error.to_string())),
                            }
                        }
                        if ui.button(t!("leave-it")).clicked() {
                            next = Some(State::Idle);
                        }
                    });
                }
            }
        }
        if let Some(next) = next {
            self.state = next;
        }
    }

    /// Whether a training would be stopped if the window were shut.
    pub(crate) fn is_running(&mut self, ctx: &Context) -> bool {
        self.update(ctx);
        matches!(self.state, State::Running(_))
    }

    /// Takes in how a training ended.
    fn update(&mut self, ctx: &Context) {
        let State::Running(running) = &mut self.state else { return };
        ctx.request_repaint_after(LOOK_AGAIN);
        let Ok(Some(status)) = running.child.try_wait() else { return };
        if running.listener.as_ref().is_some_and(|listener| !listener.is_finished()) {
            return;
        }
        let progress = running.progress.lock().unwrap_or_else(PoisonError::into_inner).clone();
        self.state = match gain::of_folder(&running.models) {
            Some(worth) if status.success() => {
                let worth = Box::new(worth);
                State::Done { models: running.models.clone(), worth, before: None }
            }
            _ => State::Failed(progress.line),
        };
    }
}

impl Drop for Learning {
    /// A window that is shut leaves nothing running.
    fn drop(&mut self) {
        if let State::Running(running) = &mut self.state {
            let _ = running.child.kill();
            let _ = running.child.wait();
        }
    }
}

impl Running {
    /// How long it takes from now on, once that can be said.
    fn time_left(&mut self, done: f32) -> String {
        let from = *self.from.get_or_insert(done);
        let gained = done - from;
        let elapsed = self.since.elapsed().as_secs_f32();
        if gained < 0.02 {
            return String::new();
        }
        let left = elapsed * (1.0 - done) / gained;
        if left < 90.0 {
            t!("seconds-left", n = (left / 10.0).ceil() * 10.0)
        } else {
            t!("minutes-left", n = (left / 60.0).ceil())
        }
    }
}

/// What a training was worth and by how many cards that is known, in a sentence.
fn in_words(worth: &Worth) -> String {
    let (n, Change { before, after }) = (worth.kept_aside.cards, worth.kept_aside.right);
    match worth.verdict {
        Verdict::Better => t!("worth-better", n = n, before = before, after = after),
        Verdict::Same => t!("worth-same", n = n, before = before, after = after),
        Verdict::Worse => t!("worth-worse", n = n, drawn = worth.drawn.cards),
        Verdict::Unknown => t!("worth-unknown"),
    }
}

/// A table of four lines: before and after.
fn counts(ui: &mut Ui, id: &str, name: String, counts: &Counts) {
    if counts.cards == 0 {
        return;
    }
    Grid::new(id).num_columns(3).show(ui, |ui| {
        ui.weak(name);
        ui.weak(t!("before"));
        ui.weak(t!("after"));
        ui.end_row();
        let rows = [
            (t!("right"), counts.right),
            (t!("wrong"), counts.wrong),
            (t!("unsure"), counts.unsure),
        ];
        for (word, Change { before, after }) in rows {
            ui.label(word);
            ui.label(before.to_string());
            ui.label(after.to_string());
            ui.end_row();
        }
    });
}

/// Folders for the models of these photos, in the order in which they are made.
fn folders(place: Option<&Path>, photos: &Path) -> impl Iterator<Item = PathBuf> {
    let name = photos.file_name().map_or("photos".into(), |name| portable(&name.to_string_lossy()));
    // On Windows and macOS `setsight/models` is the file that names those in use.
    let data = dirs::data_local_dir().unwrap_or_else(std::env::temp_dir);
    let place = place.map_or_else(|| data.join("setsight").join("trained"), Path::to_owned);
    (1..).map(move |n| place.join(format!("{name}-{n}")))
}

/// The first of them that does not exist yet.
fn new_folder(place: Option<&Path>, photos: &Path) -> PathBuf {
    folders(place, photos).find(|folder| !folder.exists()).expect("numbers enough")
}

/// The last one, if its training was stopped: `train` leaves a folder in it to go on with.
fn unfinished(place: Option<&Path>, photos: &Path) -> Option<PathBuf> {
    let last = folders(place, photos).take_while(|folder| folder.exists()).last()?;
    last.join("training").is_dir().then_some(last)
}

fn start(
    program: Option<&Path>,
    models: &Path,
    photos: &Path,
    resume: bool,
    ctx: &Context,
) -> State {
    let program = program.map_or_else(std::env::current_exe, |program| Ok(program.to_owned()));
    let begun = program.and_then(|program| {
        let mut command = in_background(program);
        command.args(["train", "--in-background", "--add"]).arg(photos).arg("--out").arg(models);
        if resume {
            command.arg("--resume");
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()
    });
    let mut child = match begun {
        Ok(child) => child,
        Err(error) => return State::Failed(t!("training-not-started", error = error.to_string())),
    };
    let progress = Arc::new(Mutex::new(Progress::default()));
    let listener = child.stderr.take().map(|lines| {
        let (progress, ctx) = (Arc::clone(&progress), ctx.clone());
        std::thread::spawn(move || {
            for line in BufReader::new(lines).lines().map_while(Result::ok) {
                let mut progress = progress.lock().unwrap_or_else(PoisonError::into_inner);
                match line.strip_prefix("done ").and_then(|part| part.parse().ok()) {
                    Some(done) => progress.done = done,
                    None if !line.trim().is_empty() => {
                        progress.part = part_of(&line).or(progress.part);
                        progress.line = line;
                    }
                    None => {}
                }
                drop(progress);
                ctx.request_repaint();
            }
        })
    });
    State::Running(Running {
        child,
        listener,
        progress,
        models: models.to_owned(),
        since: Instant::now(),
        from: None,
    })
}

/// Two of three in "part 2 of 3: learning from all of your photos".
fn part_of(line: &str) -> Option<(usize, usize)> {
    let (part, parts) = line.strip_prefix("part ")?.split_once(':')?.0.split_once(" of ")?;
    Some((part.parse().ok()?, parts.parse().ok()?))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use egui_kittest::{Harness, kittest::Queryable};
    use setsight_eval::Comparison;
    use std::os::unix::fs::PermissionsExt;

    /// In place of the training: it is stopped, goes on and says what it was worth, or it fails.
    const PROGRAM: &str = r#"#!/bin/sh
out=$6
echo "$@" >> "$(dirname "$0")/calls"
[ "$(basename "$4")" = bad ] && { echo "error: too little to learn from" >&2; exit 2; }
mkdir -p "$out/training"
echo "part 1 of 3: learning" >&2
while ! [ -e "$(dirname "$0")/on" ]; do sleep 0.01; done
echo "done 0.250" >&2
[ "$7" = --resume ] || exec sleep 60
cp "$(dirname "$0")/worth.json" "$out"
"#;

    fn learning(folder: &Path) -> Learning {
        let program = folder.join("train");
        std::fs::write(&program, PROGRAM).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let change = |before, after| Change { before, after };
        let kept_aside = Counts {
            cards: 150,
            right: change(59, 125),
            wrong: change(32, 0),
            unsure: change(59, 25),
            ..Counts::default()
        };
        let worth = Worth {
            verdict: Verdict::Better,
            kept_aside,
            drawn: Counts::default(),
            cards: Comparison::default(),
            photos: 10,
        };
        std::fs::write(folder.join("worth.json"), serde_json::to_vec(&worth).unwrap()).unwrap();
        let mut learning = Learning::default();
        learning.program = Some(program);
        learning.place = Some(folder.join("models"));
        learning
    }

    /// Draws frames until a label is there.
    fn wait_for(harness: &mut Harness<'_>, label: &str) {
        for _ in 0..2_000 {
            harness.step();
            if harness.query_by_label_contains(label).is_some() {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("{label} never came");
    }

    #[test]
    fn a_training_is_followed_stopped_resumed_and_reported() {
        let folder = tempfile::tempdir().unwrap();
        let mut learning = learning(folder.path());
        let photos = folder.path().join("photos");
        let mut harness = Harness::new_ui(|ui| learning.show(ui, &photos));
        harness.get_by_label("Learn from my corrections").click();
        wait_for(&mut harness, "Learning, part 1 of 3");
        let stop = harness.get_by_label("Stop").rect();
        std::fs::write(folder.path().join("on"), "").unwrap();
        wait_for(&mut harness, "left");
        assert_eq!(harness.get_by_label("Stop").rect(), stop, "it moved under the pointer");
        harness.get_by_label("Stop").click();
        wait_for(&mut harness, "Learning was stopped.");
        // Another window offers to go on.
        let mut again = Learning::default();
        again.place = Some(folder.path().join("models"));
        let mut other = Harness::new_ui(|ui| again.show(ui, &photos));
        wait_for(&mut other, "Learning was stopped.");
        drop(other);
        harness.get_by_label("Go on").click();
        wait_for(&mut harness, "Better: 125 of 150 cards set aside are now read correctly");
        for number in ["125", "32"] {
            harness.get_by_label(number);
        }
        harness.get_by_label("Use it");
        harness.get_by_label("Don't use it").click();
        wait_for(&mut harness, "Learn from my corrections");
        let calls = std::fs::read_to_string(folder.path().join("calls")).unwrap();
        let calls: Vec<&str> = calls.lines().collect();
        assert!(
            calls[0].ends_with("models/photos-1") && calls[1].ends_with("--resume"),
            "{calls:?}"
        );
    }

    #[test]
    fn a_training_that_fails_says_why() {
        let folder = tempfile::tempdir().unwrap();
        let mut learning = learning(folder.path());
        let photos = folder.path().join("bad");
        let mut harness = Harness::new_ui(|ui| learning.show(ui, &photos));
        harness.get_by_label("Learn from my corrections").click();
        wait_for(&mut harness, "too little to learn from");
        harness.get_by_label("All right").click();
        wait_for(&mut harness, "Learn from my corrections");
    }
}
