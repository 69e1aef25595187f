//! Every action has a key. This table and those of tabs and pages say which; the help page shows them.

use crate::shared::look::Mode;
use crate::shared::words::{Word, t};
use crate::window::pages::{PAGES, Page, PageSpec};
use crate::{TABS, shared::tab::TabSpec};
use eframe::egui::{Context, Event, FocusDirection, Id, Key, Modifiers};

/// What a key can do; [`BINDINGS`] has words for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Shows or hides a page over the window.
    Page(Page),
    OpenFolder,
    OpenPhoto,
    /// Asks for a path to be typed.
    TypePath,
    Sample,
    /// Goes to the tab of this name.
    Tab(&'static str),
    /// Goes to the tab that was seen before.
    Back,
    ExportPicture,
    ExportJson,
    ExportAll,
    CopyPicture,
    /// Copies the board as text; the key is the system's own.
    Copy,
    ScaleUp,
    ScaleDown,
    Brightness,
    FullScreen,
    Quit,
    Photo(Go),
    NextUnsure,
    PreviousUnsure,
    /// Looks at the cards this way.
    Look(Mode),
    Correct,
    Stages,
    NextSet,
    PreviousSet,
    AllSets,
    Why,
    MoreHint,
    AnotherHint,
    Clear,
    /// Goes to the next card in this direction.
    Card(Direction),
    AllRight,
    StartOver,
    Check,
    Confirm,
    Guesses,
    AddCard,
    Strike,
    Undo,
    Redo,
    NextCorner,
    /// Moves the corner of a card.
    Corner(Direction),
    NextStage,
    PreviousStage,
    /// A step of a game that is watched.
    Step(Go),
    DealRandom,
    DealDaily,
    OpenDeals,
    TypeCodes,
    PrintBoards,
    /// Plays: lays the cards out, then lets the clock run.
    Play,
    /// Lets the clock run where the cards lie ready.
    Start,
    WatchGame,
    Pause,
    NoSet,
    DealHint,
    NextDeal,
    Freeze,
    SaveFrame,
    Turn,
    Straighten,
    Record,
    NewGame,
}

impl Action {
    /// Whether it is done while something lies over the window, which would hide what else it did.
    pub(crate) const fn is_done_under_a_page(self) -> bool {
        matches!(
            self,
            Self::Page(_) | Self::Brightness | Self::Quit | Self::ScaleDown | Self::ScaleUp
        )
    }
}

/// Where an arrow leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Left,
    Right,
    Up,
    Down,
}

impl Direction {
    /// One to the right or down, or one back.
    pub(crate) const fn step(self) -> (f64, f64) {
        match self {
            Self::Left => (-1.0, 0.0),
            Self::Right => (1.0, 0.0),
            Self::Up => (0.0, -1.0),
            Self::Down => (0.0, 1.0),
        }
    }
}

/// Where one goes among photos or steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Go {
    First,
    Previous,
    Next,
    Last,
}

/// Where a key works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Window,
    /// Whatever is done with the photos.
    Photos,
    Solve,
    Hint,
    Learn,
    Correct,
    Stages,
    /// In the dealt game, as long as none is played.
    Deal,
    Watch,
    Play,
    Live,
    Deck,
}

impl Place {
    /// All places, in the order of the help page.
    pub(crate) const ALL: [Self; 12] = {
        use Place::{
            Correct, Deal, Deck, Hint, Learn, Live, Photos, Play, Solve, Stages, Watch, Window,
        };
        [Window, Photos, Solve, Hint, Learn, Correct, Stages, Deal, Watch, Play, Live, Deck]
    };

    /// Its heading.
    pub(crate) const fn word(self) -> Word {
        match self {
            Self::Window => Word("keys-everywhere"),
            Self::Photos => Word("tab-photos"),
            Self::Solve => Word("mode-solve"),
            Self::Hint => Word("mode-hint"),
            Self::Learn => Word("mode-learn"),
            Self::Correct => Word("task-correct"),
            Self::Stages => Word("task-stages"),
            Self::Deal => Word("tab-deal"),
            Self::Watch => Word("keys-watching"),
            Self::Play => Word("keys-playing"),
            Self::Live => Word("tab-live"),
            Self::Deck => Word("teach-a-deck"),
        }
    }
}

/// A key and what it does.
#[derive(Clone, Copy)]
pub(crate) struct Binding {
    pub(crate) place: Place,
    pub(crate) held: Modifiers,
    pub(crate) key: Key,
    pub(crate) action: Action,
    pub(crate) word: Word,
}

const fn bind(place: Place, held: Modifiers, key: Key, action: Action, word: Word) -> Binding {
    Binding { place, held, key, action, word }
}

const NO: Modifiers = Modifiers::NONE;
/// The key that is held for most of what the whole window does.
pub(crate) const CTRL: Modifiers = Modifiers::COMMAND;
const ALT: Modifiers = Modifiers::ALT;
const SHIFT: Modifiers = Modifiers::SHIFT;
const CTRL_SHIFT: Modifiers = Modifiers::COMMAND.plus(Modifiers::SHIFT);

/// All keys but those that lead to tabs and pages.
#[rustfmt::skip]
const BINDINGS: &[Binding] = &[
    bind(Place::Window, CTRL, Key::O, Action::OpenPhoto, Word("ask-photos")),
    bind(Place::Window, CTRL_SHIFT, Key::O, Action::OpenFolder, Word("ask-folder")),
    bind(Place::Window, CTRL, Key::T, Action::Sample, Word("try-sample")),
    bind(Place::Window, CTRL, Key::L, Action::TypePath, Word("keys-type-path")),
    bind(Place::Window, CTRL, Key::Plus, Action::ScaleUp, Word("keys-larger")),
    // On keyboards with + above =, and where = is pressed for it.
    bind(Place::Window, CTRL_SHIFT, Key::Plus, Action::ScaleUp, Word("keys-larger")),
    bind(Place::Window, CTRL, Key::Equals, Action::ScaleUp, Word("keys-larger")),
    bind(Place::Window, CTRL_SHIFT, Key::Equals, Action::ScaleUp, Word("keys-larger")),
    bind(Place::Window, CTRL, Key::Minus, Action::ScaleDown, Word("keys-smaller")),
    bind(Place::Window, CTRL, Key::D, Action::Brightness, Word("light-or-dark")),
    bind(Place::Window, NO, Key::F11, Action::FullScreen, Word("keys-full-screen")),
    bind(Place::Window, CTRL, Key::Q, Action::Quit, Word("keys-leave")),
    bind(Place::Photos, NO, Key::PageDown, Action::Photo(Go::Next), Word("keys-next-photo")),
    bind(Place::Photos, NO, Key::PageUp, Action::Photo(Go::Previous), Word("keys-previous-photo")),
    bind(Place::Photos, NO, Key::Home, Action::Photo(Go::First), Word("keys-first-photo")),
    bind(Place::Photos, NO, Key::End, Action::Photo(Go::Last), Word("keys-last-photo")),
    bind(Place::Photos, NO, Key::U, Action::NextUnsure, Word("keys-next-unsure")),
    bind(Place::Photos, SHIFT, Key::U, Action::PreviousUnsure, Word("keys-previous-unsure")),
    bind(Place::Photos, NO, Key::F2, Action::Look(Mode::Solve), Word("keys-solve")),
    bind(Place::Photos, NO, Key::F3, Action::Look(Mode::Hint), Word("keys-hint")),
    bind(Place::Photos, NO, Key::F4, Action::Look(Mode::Learn), Word("keys-learn")),
    bind(Place::Photos, NO, Key::F5, Action::Correct, Word("keys-correct")),
    bind(Place::Photos, NO, Key::F6, Action::Stages, Word("keys-stages")),
    bind(Place::Photos, NO, Key::F7, Action::Check, Word("keys-check")),
    bind(Place::Photos, CTRL, Key::E, Action::ExportPicture, Word("keys-save-picture")),
    bind(Place::Photos, CTRL_SHIFT, Key::E, Action::ExportAll, Word("keys-save-all")),
    bind(Place::Photos, CTRL_SHIFT, Key::C, Action::CopyPicture, Word("copy-picture")),
    bind(Place::Photos, CTRL, Key::J, Action::ExportJson, Word("keys-save-json")),
    bind(Place::Solve, NO, Key::ArrowRight, Action::NextSet, Word("next-set")),
    bind(Place::Solve, NO, Key::ArrowLeft, Action::PreviousSet, Word("previous-set")),
    bind(Place::Solve, NO, Key::ArrowUp, Action::AllSets, Word("all-sets")),
    bind(Place::Solve, NO, Key::W, Action::Why, Word("keys-why")),
    bind(Place::Solve, NO, Key::Escape, Action::Clear, Word("keys-all-of-it")),
    bind(Place::Hint, NO, Key::H, Action::MoreHint, Word("keys-more-hint")),
    bind(Place::Hint, NO, Key::N, Action::AnotherHint, Word("keys-another-hint")),
    bind(Place::Hint, NO, Key::Escape, Action::Clear, Word("keys-hide-hint")),
    bind(Place::Learn, NO, Key::ArrowRight, Action::Card(Direction::Right), Word("keys-card-right")),
    bind(Place::Learn, NO, Key::ArrowLeft, Action::Card(Direction::Left), Word("keys-card-left")),
    bind(Place::Learn, NO, Key::ArrowUp, Action::Card(Direction::Up), Word("keys-card-up")),
    bind(Place::Learn, NO, Key::ArrowDown, Action::Card(Direction::Down), Word("keys-card-down")),
    bind(Place::Learn, NO, Key::Escape, Action::Clear, Word("keys-other-cards")),
    bind(Place::Correct, NO, Key::ArrowRight, Action::Card(Direction::Right), Word("keys-card-right")),
    bind(Place::Correct, NO, Key::ArrowLeft, Action::Card(Direction::Left), Word("keys-card-left")),
    bind(Place::Correct, NO, Key::ArrowUp, Action::Card(Direction::Up), Word("keys-card-up")),
    bind(Place::Correct, NO, Key::ArrowDown, Action::Card(Direction::Down), Word("keys-card-down")),
    bind(Place::Correct, CTRL, Key::Enter, Action::AllRight, Word("keys-all-right")),
    bind(Place::Correct, CTRL, Key::Delete, Action::StartOver, Word("keys-start-over")),
    bind(Place::Correct, NO, Key::Enter, Action::Confirm, Word("keys-confirm")),
    bind(Place::Correct, NO, Key::W, Action::Guesses, Word("keys-guesses")),
    bind(Place::Correct, NO, Key::A, Action::AddCard, Word("keys-add-card")),
    bind(Place::Correct, NO, Key::Delete, Action::Strike, Word("keys-strike")),
    bind(Place::Correct, CTRL, Key::Z, Action::Undo, Word("undo")),
    bind(Place::Correct, CTRL, Key::Y, Action::Redo, Word("redo")),
    bind(Place::Correct, CTRL_SHIFT, Key::Z, Action::Redo, Word("redo")),
    bind(Place::Correct, NO, Key::C, Action::NextCorner, Word("keys-next-corner")),
    bind(Place::Correct, ALT, Key::ArrowLeft, Action::Corner(Direction::Left), Word("keys-corner-left")),
    bind(Place::Correct, ALT, Key::ArrowRight, Action::Corner(Direction::Right), Word("keys-corner-right")),
    bind(Place::Correct, ALT, Key::ArrowUp, Action::Corner(Direction::Up), Word("keys-corner-up")),
    bind(Place::Correct, ALT, Key::ArrowDown, Action::Corner(Direction::Down), Word("keys-corner-down")),
    bind(Place::Correct, NO, Key::Escape, Action::Clear, Word("keys-let-go")),
    bind(Place::Stages, NO, Key::ArrowRight, Action::NextStage, Word("keys-next-stage")),
    bind(Place::Stages, NO, Key::ArrowLeft, Action::PreviousStage, Word("keys-previous-stage")),
    bind(Place::Deal, NO, Key::R, Action::DealRandom, Word("shuffle-and-play")),
    bind(Place::Deal, NO, Key::G, Action::DealDaily, Word("keys-daily")),
    bind(Place::Deal, NO, Key::O, Action::OpenDeals, Word("open-deals")),
    bind(Place::Deal, NO, Key::T, Action::TypeCodes, Word("type-codes")),
    bind(Place::Deal, CTRL_SHIFT, Key::P, Action::PrintBoards, Word("print-boards")),
    bind(Place::Deal, NO, Key::P, Action::Play, Word("keys-play")),
    bind(Place::Deal, NO, Key::Enter, Action::Start, Word("keys-start")),
    bind(Place::Deal, NO, Key::Space, Action::Start, Word("keys-start")),
    bind(Place::Deal, NO, Key::W, Action::WatchGame, Word("keys-watch")),
    bind(Place::Deal, NO, Key::D, Action::NextDeal, Word("keys-next-deal")),
    bind(Place::Watch, NO, Key::ArrowRight, Action::Step(Go::Next), Word("next-step")),
    bind(Place::Watch, NO, Key::ArrowLeft, Action::Step(Go::Previous), Word("previous-step")),
    bind(Place::Watch, NO, Key::Home, Action::Step(Go::First), Word("first-step")),
    bind(Place::Watch, NO, Key::End, Action::Step(Go::Last), Word("last-step")),
    bind(Place::Play, NO, Key::P, Action::Pause, Word("keys-pause")),
    bind(Place::Play, NO, Key::Enter, Action::Start, Word("keys-go-on")),
    bind(Place::Play, NO, Key::Space, Action::Start, Word("keys-go-on")),
    bind(Place::Play, CTRL_SHIFT, Key::P, Action::PrintBoards, Word("print-boards")),
    bind(Place::Play, NO, Key::O, Action::NoSet, Word("keys-no-set")),
    bind(Place::Play, NO, Key::I, Action::DealHint, Word("keys-deal-hint")),
    bind(Place::Play, NO, Key::K, Action::AnotherHint, Word("keys-another-hint")),
    bind(Place::Play, NO, Key::Escape, Action::Clear, Word("keys-other-cards")),
    bind(Place::Live, NO, Key::F2, Action::Look(Mode::Solve), Word("keys-solve")),
    bind(Place::Live, NO, Key::F3, Action::Look(Mode::Hint), Word("keys-hint")),
    bind(Place::Live, NO, Key::F4, Action::Look(Mode::Learn), Word("keys-learn")),
    bind(Place::Live, NO, Key::ArrowRight, Action::NextSet, Word("next-set")),
    bind(Place::Live, NO, Key::ArrowLeft, Action::PreviousSet, Word("previous-set")),
    bind(Place::Live, NO, Key::ArrowUp, Action::AllSets, Word("all-sets")),
    bind(Place::Live, NO, Key::W, Action::Why, Word("keys-why")),
    bind(Place::Live, NO, Key::H, Action::MoreHint, Word("keys-more-hint")),
    bind(Place::Live, NO, Key::F, Action::Freeze, Word("keys-hold")),
    bind(Place::Live, NO, Key::S, Action::SaveFrame, Word("keys-keep")),
    bind(Place::Live, NO, Key::T, Action::Turn, Word("keys-turn")),
    bind(Place::Live, NO, Key::V, Action::Straighten, Word("keys-straighten")),
    bind(Place::Live, NO, Key::R, Action::Record, Word("keys-record")),
    bind(Place::Live, NO, Key::N, Action::NewGame, Word("keys-new-game")),
    bind(Place::Live, NO, Key::Escape, Action::Clear, Word("keys-clear-live")),
    bind(Place::Deck, NO, Key::Escape, Action::Clear, Word("keys-leave-deck")),
];

/// All keys: first those that lead to tabs and pages.
pub(crate) fn bindings() -> impl Iterator<Item = Binding> + Clone {
    let leading = TABS.iter().map(TabSpec::binding).chain(PAGES.iter().map(PageSpec::binding));
    leading.chain(BINDINGS.iter().copied())
}

/// What works without a place in [`bindings`]: the system's own keys, and letters that are typed.
pub(crate) const OTHER_KEYS: &[(Place, OtherKey, Word)] = &[
    (Place::Window, OtherKey::Named(Word("key-tab-space")), Word("keys-tab")),
    (Place::Window, OtherKey::Letter(CTRL, "V"), Word("keys-paste")),
    (Place::Photos, OtherKey::Letter(CTRL, "C"), Word("copy-board")),
    (Place::Photos, OtherKey::Letter(NO, "+ - 0"), Word("keys-zoom")),
    (Place::Correct, OtherKey::Letter(NO, "2 s p d"), Word("keys-type-card")),
    (Place::Deal, OtherKey::Letter(CTRL, "C"), Word("keys-copy-transcript")),
    (Place::Play, OtherKey::Named(Word("key-places")), Word("keys-places")),
    (Place::Play, OtherKey::Named(Word("key-last-set")), Word("keys-last-set")),
    (Place::Play, OtherKey::Named(Word("keys-one-to-eight")), Word("keys-players")),
];

/// A key that is not in [`bindings`].
pub(crate) enum OtherKey {
    Named(Word),
    /// What is printed on them, and what is held with it.
    Letter(Modifiers, &'static str),
}

impl OtherKey {
    /// As people write it.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Named(word) => word.say(),
            Self::Letter(held, letter) => held_name(*held) + letter,
        }
    }
}

/// The actions whose keys were pressed in this frame, where one of these places is. Their events
/// are used up. While a button has the keyboard's focus, Enter and Space press that.
pub(crate) fn pressed(ctx: &Context, places: &[Place], on_button: bool) -> Vec<Action> {
    let mut actions = Vec::new();
    let mut moves_focus = false;
    ctx.input_mut(|input| {
        input.events.retain(|event| {
            let Event::Key { key, pressed: true, modifiers, .. } = event else { return true };
            let presses = modifiers.is_none() && matches!(key, Key::Enter | Key::Space);
            let found = bindings().find(|b| {
                b.key == *key && modifiers.matches_exact(b.held) && places.contains(&b.place)
            });
            let found = found.filter(|_| !(presses && on_button));
            let arrows = [Key::ArrowLeft, Key::ArrowRight, Key::ArrowUp, Key::ArrowDown];
            moves_focus |= found.is_some_and(|b| arrows.contains(&b.key));
            actions.extend(found.map(|b| b.action));
            found.is_none()
        });
    });
    if moves_focus {
        // An arrow that means something else does not lead the focus to a neighbour, too.
        ctx.memory_mut(|memory| memory.move_focus(FocusDirection::None));
    }
    if !actions.is_empty() {
        let now = ctx.input(|input| input.time);
        ctx.data_mut(|data| data.insert_temp(Id::unique(LAST_KEY), now));
    }
    actions
}

/// Under this name the context keeps the time at which a key last did something, in seconds.
const LAST_KEY: &str = "last-key";

/// The row of a list that the pointer previews: none from a key on, until the pointer moves again.
pub(crate) fn previewed(ctx: &Context, hovered: Option<usize>) -> Option<usize> {
    let last_key: Option<f64> = ctx.data(|data| data.get_temp(Id::unique(LAST_KEY)));
    let since_key = ctx.input(|input| input.time) - last_key.unwrap_or(f64::NEG_INFINITY);
    let since_move = ctx.input(|input| f64::from(input.pointer.time_since_last_movement()));
    hovered.filter(|_| since_move < since_key)
}

/// A key as people write it.
pub(crate) fn name_of(binding: &Binding) -> String {
    held_name(binding.held)
        + &match binding.key {
            Key::ArrowLeft => t!("key-left"),
            Key::ArrowRight => t!("key-right"),
            Key::ArrowUp => t!("key-up"),
            Key::ArrowDown => t!("key-down"),
            Key::Comma => ",".to_owned(),
            Key::Plus => "+".to_owned(),
            Key::Equals => "=".to_owned(),
            Key::Minus => "-".to_owned(),
            Key::PageUp => t!("key-page-up"),
            Key::PageDown => t!("key-page-down"),
            Key::Home => t!("key-home"),
            Key::End => t!("key-end"),
            Key::Enter => t!("key-enter"),
            Key::Delete => t!("key-delete"),
            Key::Escape => t!("key-escape"),
            key => key.name().to_owned(),
        }
}

/// What is held, in front of the key's own name.
fn held_name(held: Modifiers) -> String {
    let words = [
        (held.command, Word("key-ctrl")),
        (held.alt, Word("key-alt")),
        (held.shift, Word("key-shift")),
    ];
    words.into_iter().filter(|(is_held, _)| *is_held).map(|(_, word)| word.say()).collect()
}

/// What stands at the pointer over a button that has a key.
pub(crate) fn key_hover(action: Action) -> String {
    t!("key-hover", key = key_of(action))
}

/// The key of an action, as people write it.
pub(crate) fn key_of(action: Action) -> String {
    let found = bindings().find(|binding| binding.action == action);
    found.as_ref().map_or_else(String::new, name_of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_means_two_things_in_one_place() {
        for (i, a) in bindings().enumerate() {
            for b in bindings().skip(i + 1) {
                let alike = a.key == b.key && a.held == b.held;
                let in_photos = |p| {
                    use Place::{Deal, Deck, Live, Play, Watch, Window};
                    !matches!(p, Window | Deal | Watch | Play | Live | Deck)
                };
                let watching = [a.place, b.place];
                let together = a.place == b.place
                    || a.place == Place::Window
                    || b.place == Place::Window
                    || watching == [Place::Deal, Place::Watch]
                    || (a.place == Place::Photos && in_photos(b.place))
                    || (b.place == Place::Photos && in_photos(a.place));
                assert!(!(alike && together), "{:?} and {:?}", a.word, b.word);
            }
        }
    }

    /// In the order of the page, which has words of its own.
    #[test]
    fn the_page_of_keys_names_every_key_of_each_place() {
        let page = include_str!("../../../../docs/guides/keys.md");
        let mut places = Place::ALL.iter();
        let (mut place, mut listed) = (None, Vec::new());
        for row in page.lines().filter_map(|line| line.strip_prefix("| ")) {
            if row.starts_with("**") {
                place = places.next();
            } else if let Some(place) = place {
                let keys = row.split(" | ").next().unwrap().split('`').skip(1).step_by(2);
                listed.extend(keys.map(|key| (*place, key.to_owned())));
            }
        }
        assert!(places.next().is_none(), "docs/guides/keys.md lacks a place");
        let bound = bindings().map(|binding| (binding.place, name_of(&binding)));
        let other = OTHER_KEYS.iter().map(|(place, key, _)| (*place, key.name()));
        let all: Vec<(Place, String)> = bound.chain(other).collect();
        for key in &all {
            assert!(listed.contains(key), "docs/guides/keys.md lacks {key:?}");
        }
        for key in &listed {
            assert!(all.contains(key), "docs/guides/keys.md has {key:?}");
        }
    }

    #[test]
    fn plus_with_shift_makes_larger_as_the_help_says() {
        for (key, held) in [(Key::Plus, CTRL), (Key::Plus, CTRL_SHIFT), (Key::Equals, CTRL_SHIFT)] {
            let found = bindings().find(|b| b.key == key && b.held == held);
            assert_eq!(found.map(|b| b.action), Some(Action::ScaleUp), "{key:?}");
        }
    }

    #[test]
    fn no_letter_of_a_code_is_a_key_where_codes_are_typed() {
        for binding in bindings().filter(|b| b.place == Place::Correct && b.held == NO) {
            let name = binding.key.name().to_lowercase();
            assert!(!"123fosgprd".contains(&name) || name.len() > 1, "{name}");
        }
    }
}
