//! All corrections of the photos that are open: with undo, written down on each change, put together
//! with what others write in the same folder meanwhile.

use crate::photos::correct::{Change, Refusal, changed, read_again};
use crate::photos::labels::{LabelProblem, is_of_deck_of, label_of, table_of};
use crate::{photos::library::Found, shared::table::Table};
use setsight_photo::{
    geometry::Quad,
    labels::{Clash, ForeignMembers, LabelFile, PHOTO_LABELS, PhotoEntry, merged, same},
};
use setsight_vision::Reading;
use std::path::{Path, PathBuf};
use std::{collections::HashMap, time::SystemTime};

/// Whether a change is a step of its own for undo, or a part of the last one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Undo {
    NewStep,
    SameStep,
}

/// When a file was written and how long it is, as far as the system says: whether it is still the same.
type Stamp = Option<(SystemTime, u64)>;

/// A photo's table with its past, and what is written of it.
struct Edited {
    history: History<Table>,
    /// How many steps lead from the table that `before` describes to the one that is now.
    steps: usize,
    /// What was written of it before the first of them.
    before: Option<PhotoEntry>,
    /// What is on the disk, as far as this window knows.
    on_disk: Option<PhotoEntry>,
    /// Whether the table that is now is not on the disk: it could not be written.
    unwritten: bool,
    /// What other programs had written of its cards before the first of them: a struck card comes
    /// back with it.
    foreign: ForeignMembers,
    /// What the reader found.
    found: Found,
}

impl Edited {
    /// What is to be written of the photo; nothing where nobody has said anything.
    fn label(&self, name: &str) -> Option<PhotoEntry> {
        let now = self.history.now();
        let untouched =
            !now.checked && !now.confirmed.contains(&true) && now.cards == self.found.table.cards;
        if self.steps == 0 || (self.before.is_none() && untouched) {
            return self.before.clone();
        }
        Some(label_of(now, &self.found, name, self.on_disk.as_ref()))
    }
}

/// The labels of one folder as they were when last looked at.
struct Folder {
    labels: Result<LabelFile, LabelProblem>,
    stamp: Stamp,
}

/// What went wrong with a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// It is not made.
    Refused(Refusal),
    /// It could not be written down; it is made all the same, and the next change writes both.
    Unwritten(LabelProblem),
    /// Another program says something else of the same card. It is made and not written: the user has
    /// to choose (see [`Corrections::resolve`]).
    Clash(Clash),
}

/// All corrections of the photos that are open.
#[derive(Default)]
pub(crate) struct Corrections {
    /// By folder; read when the first photo of it is asked for.
    folders: HashMap<PathBuf, Folder>,
    edited: HashMap<PathBuf, Edited>,
    /// Labels that cannot be read, to be reported once.
    pub(crate) problems: Vec<LabelProblem>,
}

impl Corrections {
    fn folder(&mut self, folder: &Path) -> &Folder {
        if !self.folders.contains_key(folder) {
            self.read(folder);
        }
        &self.folders[folder]
    }

    fn read(&mut self, folder: &Path) {
        // The stamp first: what is written in between is then seen as new.
        let stamp = stamp_of(folder);
        let labels = LabelFile::read_or_empty(folder).map_err(LabelProblem::from);
        self.keep(folder, labels, stamp);
    }

    fn keep(&mut self, folder: &Path, labels: Result<LabelFile, LabelProblem>, stamp: Stamp) {
        if let Err(problem) = &labels {
            self.problems.push(problem.clone());
        }
        self.folders.insert(folder.to_path_buf(), Folder { labels, stamp });
    }

    /// Looks whether somebody else has written labels in a photo's folder since, and takes them over.
    /// Whether there was anything new.
    pub(crate) fn look_again(&mut self, photo: &Path) -> bool {
        let folder = folder_of(photo);
        let changed = self.folders.get(folder).is_some_and(|read| read.stamp != stamp_of(folder));
        if changed {
            self.read(folder);
        }
        changed
    }

    /// Reads the labels beside a photo, so that a problem with them is known.
    pub(crate) fn look_at(&mut self, photo: &Path) {
        self.folder(folder_of(photo));
    }

    /// The table of a photo as corrected, and whether anything is written of it.
    pub(crate) fn table(&mut self, photo: &Path, found: &Found) -> (Table, bool) {
        let written = self.written(photo);
        if self.edited.contains_key(photo) {
            // What contradicts is asked when this window writes the next time.
            let _ = self.rebase(photo, found, written);
            let edited = &self.edited[photo];
            let is_labelled = edited.steps > 0 || edited.before.is_some();
            return (edited.history.now().clone(), is_labelled);
        }
        match written {
            Some(label) if is_of_deck_of(&label, found) => (table_of(&label, found), true),
            _ => (found.table.clone(), false),
        }
    }

    fn written(&mut self, photo: &Path) -> Option<PhotoEntry> {
        if folder_of(photo).as_os_str().is_empty() && !photo.exists() {
            // A pasted picture.
            return None;
        }
        self.folder(folder_of(photo)).labels.as_ref().ok()?.photo(&name_of(photo)?)
    }

    /// Puts what others have written of a photo under what was changed here, in the past, too.
    fn rebase(
        &mut self,
        photo: &Path,
        found: &Found,
        theirs: Option<PhotoEntry>,
    ) -> Result<(), Clash> {
        let (Some(name), Some(edited)) = (name_of(photo), self.edited.get_mut(photo)) else {
            return Ok(());
        };
        if same(theirs.as_ref(), edited.on_disk.as_ref()) {
            return Ok(());
        }
        // Nothing written means: what the reader found.
        let or_found = |written: &Option<PhotoEntry>| {
            written.clone().unwrap_or_else(|| label_of(&found.table, found, &name, None))
        };
        let (base, new) = (or_found(&edited.on_disk), or_found(&theirs));
        let on_theirs = |table: &Table| -> Result<Table, Clash> {
            let mine = label_of(table, found, &name, edited.on_disk.as_ref());
            let merged = merged(&base, &mine, &new)?;
            Ok(table_of(&merged, found))
        };
        on_theirs(edited.history.now())?;
        edited.history.rewrite(|table| on_theirs(table).unwrap_or_else(|_| table.clone()));
        // Where undo ends lies what the others say, too, and nothing of this window's.
        if edited.before.is_some() || theirs.is_some() {
            edited.before = merged(&base, &or_found(&edited.before), &new).ok().or(theirs.clone());
        }
        edited.on_disk = theirs;
        Ok(())
    }

    /// Makes a change and writes it down, unless it is a part of one that goes on, such as a drag.
    pub(crate) fn apply(
        &mut self,
        photo: &Path,
        found: &Found,
        change: Change,
        undo: Undo,
    ) -> Result<(), Trouble> {
        let (now, _) = self.table(photo, found);
        let next = changed(&now, change, found.size_px).map_err(Trouble::Refused)?;
        self.put(photo, found, next, undo)?;
        if undo == Undo::SameStep { Ok(()) } else { self.write(photo, found) }
    }

    /// Back to what the reader found. It can be undone like any other change.
    pub(crate) fn start_over(&mut self, photo: &Path, found: &Found) -> Result<(), Trouble> {
        self.put(photo, found, found.table.clone(), Undo::NewStep)?;
        self.write(photo, found)
    }

    /// Takes over what the reader says of a card at a place where a person has put one.
    pub(crate) fn read_again(
        &mut self,
        photo: &Path,
        found: &Found,
        at: &Quad,
        reading: &Reading,
    ) -> Result<(), Trouble> {
        let (now, _) = self.table(photo, found);
        let next = read_again(&now, at, reading);
        if next == now || !self.edited.contains_key(photo) {
            return Ok(());
        }
        self.put(photo, found, next, Undo::SameStep)?;
        self.write(photo, found)
    }

    fn put(&mut self, photo: &Path, found: &Found, next: Table, undo: Undo) -> Result<(), Trouble> {
        if let Err(problem) = &self.folder(folder_of(photo)).labels {
            return Err(Trouble::Unwritten(problem.clone()));
        }
        if let Some(other) = self.written(photo).filter(|label| !is_of_deck_of(label, found)) {
            let path = folder_of(photo).join(PHOTO_LABELS);
            return Err(Trouble::Unwritten(LabelProblem::OtherDeck(path, other.label.deck)));
        }
        if !self.edited.contains_key(photo) {
            let (now, _) = self.table(photo, found);
            let before = self.written(photo);
            let on_disk = before.clone();
            let foreign = match (&self.folder(folder_of(photo)).labels, name_of(photo)) {
                (Ok(labels), Some(name)) => labels.foreign_members(&name),
                _ => ForeignMembers::default(),
            };
            let (history, found) = (History::new(now), found.clone());
            let edited =
                Edited { history, steps: 0, before, on_disk, unwritten: false, foreign, found };
            self.edited.insert(photo.to_path_buf(), edited);
        }
        let edited = self.edited.get_mut(photo).expect("just put there");
        if undo == Undo::SameStep && edited.steps > 0 {
            edited.history.amend(next);
        } else if next != *edited.history.now() {
            edited.history.change(next);
            edited.steps += 1;
        }
        Ok(())
    }

    /// Takes the last change of a photo back, or makes it again. Whether there was one.
    pub(crate) fn step(
        &mut self,
        photo: &Path,
        found: &Found,
        forward: bool,
    ) -> Result<bool, Trouble> {
        let Some(edited) = self.edited.get_mut(photo) else { return Ok(false) };
        let stepped = if forward { edited.history.redo() } else { edited.history.undo() };
        if stepped {
            edited.steps = if forward { edited.steps + 1 } else { edited.steps - 1 };
            self.write(photo, found)?;
        }
        Ok(stepped)
    }

    /// Whether there is anything to undo, and to redo.
    pub(crate) fn steps(&self, photo: &Path) -> (bool, bool) {
        let edited = self.edited.get(photo);
        edited.map_or((false, false), |e| (e.history.can_undo(), e.history.can_redo()))
    }

    /// After a [`Trouble::Clash`]: what this window says of the photo counts, or what the other one does.
    pub(crate) fn resolve(
        &mut self,
        photo: &Path,
        found: &Found,
        mine: bool,
    ) -> Result<(), Trouble> {
        let theirs = self.written(photo);
        let Some(edited) = self.edited.get_mut(photo) else { return Ok(()) };
        edited.on_disk.clone_from(&theirs);
        if mine {
            return self.write(photo, found);
        }
        let table = theirs.as_ref().map_or_else(|| found.table.clone(), |w| table_of(w, found));
        edited.history.change(table);
        edited.steps += 1;
        edited.unwritten = false;
        Ok(())
    }

    /// Writes the table of a photo as it is now: reads the labels once more, puts together what others
    /// have written since, and replaces the file, while no other window does the same.
    pub(crate) fn write(&mut self, photo: &Path, found: &Found) -> Result<(), Trouble> {
        let (Some(name), true) = (name_of(photo), self.edited.contains_key(photo)) else {
            return Ok(());
        };
        self.edited.get_mut(photo).expect("looked at above").unwritten = true;
        let folder = folder_of(photo).to_path_buf();
        let unwritten = |error| Trouble::Unwritten(LabelProblem::from(error));
        let lock = LabelFile::lock(&folder).map_err(unwritten)?;
        let stamp = stamp_of(&folder);
        let mut labels = match LabelFile::read_or_empty(&folder) {
            Ok(labels) => labels,
            Err(error) => {
                let problem = LabelProblem::from(error);
                let trouble = Trouble::Unwritten(problem.clone());
                self.folders.insert(folder, Folder { labels: Err(problem), stamp });
                return Err(trouble);
            }
        };
        if let Err(clash) = self.rebase(photo, found, labels.photo(&name)) {
            self.keep(&folder, Ok(labels), stamp);
            return Err(Trouble::Clash(clash));
        }
        let put = self.put_unwritten(&folder, &mut labels);
        labels.write(&lock).map_err(unwritten)?;
        for photo in put {
            let on_disk = name_of(&photo).and_then(|name| labels.photo(&name));
            let edited = self.edited.get_mut(&photo).expect("put by it");
            (edited.unwritten, edited.on_disk) = (false, on_disk);
        }
        self.keep(&folder, Ok(labels), stamp_of(&folder));
        Ok(())
    }

    /// Puts what is not on the disk yet: photos of the folder whose last change could not be written come
    /// with the next one. What has come to contradict others meanwhile waits until its photo is changed
    /// again. The photos that were put.
    fn put_unwritten(&self, folder: &Path, labels: &mut LabelFile) -> Vec<PathBuf> {
        let mut put = Vec::new();
        for (photo, edited) in &self.edited {
            let Some(name) = name_of(photo).filter(|_| edited.unwritten) else { continue };
            let on_disk = labels.photo(&name);
            if folder_of(photo) == folder && same(on_disk.as_ref(), edited.on_disk.as_ref()) {
                labels.put(&name, edited.label(&name).as_ref(), &edited.foreign);
                put.push(photo.clone());
            }
        }
        put
    }
}

fn folder_of(photo: &Path) -> &Path {
    photo.parent().unwrap_or(Path::new(""))
}

fn name_of(photo: &Path) -> Option<String> {
    Some(photo.file_name()?.to_string_lossy().into_owned())
}

fn stamp_of(folder: &Path) -> Stamp {
    let data = std::fs::metadata(folder.join(PHOTO_LABELS)).ok()?;
    Some((data.modified().ok()?, data.len()))
}

/// A value with its past and, after undoing, its future.
#[derive(Clone, Debug)]
struct History<T> {
    past: Vec<T>,
    now: T,
    future: Vec<T>,
}

impl<T: Clone + PartialEq> History<T> {
    /// Nothing has happened yet.
    fn new(now: T) -> Self {
        Self { past: Vec::new(), now, future: Vec::new() }
    }

    fn now(&self) -> &T {
        &self.now
    }

    /// Changes it. What was undone before can no longer be redone.
    fn change(&mut self, to: T) {
        if to != self.now {
            self.past.push(std::mem::replace(&mut self.now, to));
            self.future.clear();
        }
    }

    /// Changes it as a part of the change before: a drag is one change.
    fn amend(&mut self, to: T) {
        self.now = to;
        self.future.clear();
    }

    /// Changes all that was, is and was taken back.
    fn rewrite(&mut self, new: impl Fn(&T) -> T) {
        self.now = new(&self.now);
        for state in self.past.iter_mut().chain(&mut self.future) {
            *state = new(state);
        }
    }

    /// Goes back; whether there was anything to go back to.
    fn undo(&mut self) -> bool {
        let Some(before) = self.past.pop() else { return false };
        self.future.push(std::mem::replace(&mut self.now, before));
        true
    }

    /// Goes forward again; whether there was anything.
    fn redo(&mut self) -> bool {
        let Some(after) = self.future.pop() else { return false };
        self.past.push(std::mem::replace(&mut self.now, after));
        true
    }

    fn can_undo(&self) -> bool {
        !self.past.is_empty()
    }

    fn can_redo(&self) -> bool {
        !self.future.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::table::tests::table_of as cards;
    use image::metadata::Orientation;
    use proptest::prelude::*;
    use setsight_game::cards::Card;
    use setsight_photo::geometry::Point;

    fn found() -> Found {
        let (size, orientation) = ((480, 360), Orientation::NoTransforms);
        let mut table = cards("1fgd 2fgd 3srs 1ord");
        table.cards[3].unsure = true;
        Found { table, times: Vec::new(), size_px: size, stored_px: size, orientation }
    }

    fn card(code: &str) -> Card {
        code.parse().unwrap()
    }

    fn codes(table: &Table) -> Vec<String> {
        table.cards.iter().map(|card| card.card.to_string()).collect()
    }

    #[test]
    fn a_correction_is_on_disk_at_once_and_gone_after_undo() {
        let dir = tempfile::tempdir().unwrap();
        let (photo, found) = (dir.path().join("a.jpg"), found());
        let mut corrections = Corrections::default();
        assert_eq!(corrections.table(&photo, &found), (found.table.clone(), false));
        corrections.apply(&photo, &found, Change::Be(3, card("3ogo")), Undo::NewStep).unwrap();
        corrections.apply(&photo, &found, Change::Strike(0), Undo::NewStep).unwrap();
        let (now, is_labelled) = corrections.table(&photo, &found);
        assert!(is_labelled && now.cards.len() == 3);
        // Another window sees the same.
        let (read, is_labelled) = Corrections::default().table(&photo, &found);
        assert!(is_labelled && !read.checked);
        assert_eq!(codes(&read), codes(&now));
        assert_eq!(corrections.step(&photo, &found, false), Ok(true));
        assert_eq!(corrections.step(&photo, &found, false), Ok(true));
        assert_eq!(corrections.step(&photo, &found, false), Ok(false));
        assert!(!dir.path().join(PHOTO_LABELS).exists());
        assert_eq!(corrections.table(&photo, &found), (found.table.clone(), false));
        assert_eq!(corrections.step(&photo, &found, true), Ok(true));
        assert!(dir.path().join(PHOTO_LABELS).exists());
        corrections.start_over(&photo, &found).unwrap();
        assert!(!dir.path().join(PHOTO_LABELS).exists(), "the reader's own result is no label");
        assert_eq!(corrections.step(&photo, &found, false), Ok(true));
        assert_eq!(codes(&corrections.table(&photo, &found).0)[3], "3ogo");
    }

    #[test]
    fn foreign_members_of_a_struck_card_come_back_with_it() {
        let dir = tempfile::tempdir().unwrap();
        let (photo, found) = (dir.path().join("a.jpg"), found());
        let path = dir.path().join(PHOTO_LABELS);
        let text = || std::fs::read_to_string(&path).unwrap();
        Corrections::default().apply(&photo, &found, Change::Confirm(0), Undo::NewStep).unwrap();
        let noted = text().replacen("\"said_by\"", "\"worn\": true,\n\"said_by\"", 1);
        std::fs::write(&path, noted).unwrap();
        let mut corrections = Corrections::default();
        // The first card that the reader has read: the one before it is a person's word.
        corrections.apply(&photo, &found, Change::Be(1, card("3ogo")), Undo::NewStep).unwrap();
        assert!(text().contains("worn"), "another code, the same card");
        corrections.apply(&photo, &found, Change::Strike(1), Undo::NewStep).unwrap();
        assert!(!text().contains("worn"));
        corrections.step(&photo, &found, false).unwrap();
        assert!(text().contains("worn"));
    }

    #[test]
    fn labels_that_cannot_be_read_are_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(PHOTO_LABELS);
        std::fs::write(&path, "not json").unwrap();
        let mut corrections = Corrections::default();
        let photo = dir.path().join("a.jpg");
        let answer = corrections.apply(&photo, &found(), Change::Strike(0), Undo::NewStep);
        assert!(matches!(answer, Err(Trouble::Unwritten(_))));
        assert_eq!(std::fs::read_to_string(path).unwrap(), "not json");
        assert_eq!(corrections.problems.len(), 1);
    }

    #[test]
    fn two_windows_on_one_folder_lose_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b, found) = (dir.path().join("a.jpg"), dir.path().join("b.jpg"), found());
        let (mut one, mut two) = (Corrections::default(), Corrections::default());
        one.table(&a, &found);
        two.table(&a, &found);
        one.apply(&a, &found, Change::Be(0, card("1ogd")), Undo::NewStep).unwrap();
        two.apply(&b, &found, Change::Be(1, card("2ogd")), Undo::NewStep).unwrap();
        // The same photo, another card.
        two.apply(&a, &found, Change::Be(2, card("3ogs")), Undo::NewStep).unwrap();
        assert!(one.look_again(&a));
        assert_eq!(codes(&one.table(&a, &found).0), ["1ogd", "2fgd", "3ogs", "1ord"]);
        assert_eq!(codes(&one.table(&b, &found).0)[1], "2ogd");
        // Undo takes back what this window did, and nothing else.
        assert_eq!(one.step(&a, &found, false), Ok(true));
        let (read, _) = Corrections::default().table(&a, &found);
        assert_eq!(codes(&read), ["1fgd", "2fgd", "3ogs", "1ord"]);
        assert_eq!(LabelFile::read(dir.path()).unwrap().photos().unwrap().len(), 2);
    }

    #[test]
    fn what_two_say_of_one_card_is_asked() {
        let dir = tempfile::tempdir().unwrap();
        let (photo, found) = (dir.path().join("a.jpg"), found());
        for mine in [true, false] {
            let (mut one, mut two) = (Corrections::default(), Corrections::default());
            one.apply(&photo, &found, Change::Be(1, card("3fgd")), Undo::NewStep).unwrap();
            two.apply(&photo, &found, Change::Be(0, card("1ogd")), Undo::NewStep).unwrap();
            let answer = one.apply(&photo, &found, Change::Be(0, card("1opd")), Undo::NewStep);
            assert_eq!(answer, Err(Trouble::Clash(Clash { cards: 1 })));
            let on_disk = || codes(&Corrections::default().table(&photo, &found).0);
            assert_eq!(on_disk()[0], "1ogd", "nothing is written before the answer");
            one.resolve(&photo, &found, mine).unwrap();
            let wanted = if mine { "1opd" } else { "1ogd" };
            assert_eq!(on_disk()[..2], [wanted, "3fgd"]);
            assert_eq!(codes(&one.table(&photo, &found).0)[..2], [wanted, "3fgd"]);
            let _ = std::fs::remove_file(dir.path().join(PHOTO_LABELS));
        }
    }

    #[test]
    fn a_drag_is_written_when_it_ends() {
        let dir = tempfile::tempdir().unwrap();
        let (photo, found) = (dir.path().join("a.jpg"), found());
        let mut corrections = Corrections::default();
        let to = |x: f64| Change::MoveCorner(0, 0, Point::new(x, 12.0));
        corrections.apply(&photo, &found, to(11.0), Undo::NewStep).unwrap();
        let before = std::fs::read(dir.path().join(PHOTO_LABELS)).unwrap();
        corrections.apply(&photo, &found, to(9.0), Undo::SameStep).unwrap();
        assert_eq!(std::fs::read(dir.path().join(PHOTO_LABELS)).unwrap(), before);
        corrections.write(&photo, &found).unwrap();
        let (read, _) = Corrections::default().table(&photo, &found);
        assert!((read.cards[0].corners_in_image.0[0].x - 9.0).abs() < 1e-9);
    }

    #[cfg(unix)]
    #[test]
    fn what_could_not_be_written_comes_with_the_next_change() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let (a, b, found) = (dir.path().join("a.jpg"), dir.path().join("b.jpg"), found());
        let allow = |mode| {
            let permissions = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(dir.path(), permissions).unwrap();
        };
        allow(0o555);
        let mut corrections = Corrections::default();
        let answer = corrections.apply(&a, &found, Change::Be(0, card("1ogd")), Undo::NewStep);
        allow(0o755);
        if answer.is_ok() {
            return setsight_testkit::not_run("this user may write wherever they like");
        }
        let Err(Trouble::Unwritten(problem)) = answer else { panic!("{answer:?}") };
        let words = problem.words();
        assert!(words.contains("labels.json") && !words.contains(".setsight-"), "{words}");
        corrections.apply(&b, &found, Change::Be(1, card("2ogd")), Undo::NewStep).unwrap();
        assert_eq!(LabelFile::read(dir.path()).unwrap().photos().unwrap().len(), 2);
    }

    proptest! {
        #[test]
        fn undo_and_redo_walk_the_same_way(changes in prop::collection::vec(0u8..4, 0..20)) {
            let mut history = History::new(0);
            let mut way = vec![0];
            for to in changes {
                history.change(to);
                if *way.last().unwrap() != to {
                    way.push(to);
                }
            }
            let mut back = vec![*history.now()];
            while history.undo() {
                back.push(*history.now());
            }
            back.reverse();
            prop_assert_eq!(&back, &way);
            let mut forth = vec![*history.now()];
            while history.redo() {
                forth.push(*history.now());
            }
            prop_assert_eq!(forth, way);
        }
    }

    #[test]
    fn a_change_ends_the_future_and_an_amendment_is_no_step() {
        let mut history = History::new(1);
        history.change(2);
        history.amend(3);
        assert!(history.undo() && *history.now() == 1 && !history.can_undo());
        history.change(7);
        assert!(!history.can_redo());
    }
}
