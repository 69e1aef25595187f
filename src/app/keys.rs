//! Every action has a key. This table is the one place that says which; the help page shows it.

use eframe::egui::{Context, Event, Key, Modifiers};

/// What a key can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Shows or hides the page of keys.
    Help,
    /// Shows or hides the settings.
    Settings,
    /// Asks for a folder of photos.
    OpenFolder,
    /// Asks for a photo.
    OpenPhoto,
    /// Asks for a path to be typed.
    TypePath,
    /// Opens a table that the program brings with it.
    Sample,
    /// Shows or hides the rules of the game.
    Rules,
    /// Shows or hides how to photograph.
    HowTo,
    /// Shows or hides what this program is.
    About,
    /// Goes to the photos.
    Photos,
    /// Goes to the dealt game.
    Deal,
    /// Goes to the camera.
    Live,
    /// Writes the annotated picture.
    ExportPicture,
    /// Writes the JSON.
    ExportJson,
    /// Writes pictures and a table of all photos.
    ExportAll,
    /// Copies the board as text; the key is the system's own.
    Copy,
    /// Larger letters.
    ScaleUp,
    /// Smaller letters.
    ScaleDown,
    /// Light or dark.
    Brightness,
    /// The whole screen, or a window again.
    FullScreen,
    /// Leaves the program.
    Quit,
    /// The next photo.
    NextPhoto,
    /// The photo before.
    PreviousPhoto,
    /// The first photo.
    FirstPhoto,
    /// The last photo.
    LastPhoto,
    /// The next photo with a card that is unsure.
    NextUnsure,
    /// The one before.
    PreviousUnsure,
    /// All sets.
    Solve,
    /// Help, not the answer.
    Hint,
    /// Why three cards are a set or are not.
    Learn,
    /// Put right what was read wrongly.
    Correct,
    /// How the photo was read.
    Stages,
    /// The next set alone.
    NextSet,
    /// The set before alone.
    PreviousSet,
    /// All sets together.
    AllSets,
    /// One card more.
    MoreHint,
    /// As many cards of another set.
    AnotherHint,
    /// Lets go what was chosen or given away.
    Clear,
    /// The card to the left.
    CardLeft,
    /// The card to the right.
    CardRight,
    /// The card above.
    CardUp,
    /// The card below.
    CardDown,
    /// All cards of the photo are there, and right.
    AllRight,
    /// Back to what the reader found.
    StartOver,
    /// The guess is right.
    Confirm,
    /// A card that was missed.
    AddCard,
    /// This is no card.
    Strike,
    /// Takes back the last change.
    Undo,
    /// Makes it again.
    Redo,
    /// The next corner of the card.
    NextCorner,
    /// Moves the corner.
    CornerLeft,
    /// Moves the corner.
    CornerRight,
    /// Moves the corner.
    CornerUp,
    /// Moves the corner.
    CornerDown,
    /// The next stage.
    NextStage,
    /// The stage before.
    PreviousStage,
    /// The next step of the game.
    NextStep,
    /// The step before.
    PreviousStep,
    /// The last step.
    LastStep,
    /// The first step.
    FirstStep,
    /// A freshly shuffled deck.
    DealRandom,
    /// The day's deal.
    DealDaily,
    /// Asks for a file of deals.
    OpenDeals,
    /// Asks for codes.
    TypeCodes,
    /// Plays: lays the cards out, then lets the clock run.
    Play,
    /// Watches the game.
    WatchGame,
    /// Stops the clock and hides the cards, or goes on.
    Pause,
    /// Says that there is no set on the table.
    NoSet,
    /// One card of a set, then two, then three.
    DealHint,
    /// The next data set of the file.
    NextDeal,
    /// Holds the camera's picture, or lets it go on.
    Freeze,
    /// Writes the camera's frame and its JSON.
    SaveFrame,
    /// Turns the camera's picture.
    Turn,
    /// Shows the table as from straight above, or as the camera sees it.
    Straighten,
    /// Records the game, or ends the recording.
    Record,
    /// Counts cards and sets from the beginning.
    NewGame,
}

/// Where a key works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the whole window.
    Window,
    /// Among the photos, whatever is done with them.
    Photos,
    /// Looking at all sets.
    Solve,
    /// Asking for hints.
    Hint,
    /// Learning.
    Learn,
    /// Correcting.
    Correct,
    /// Looking at the stages.
    Stages,
    /// In the dealt game, as long as none is played.
    Deal,
    /// Watching a dealt game.
    Watch,
    /// Playing one.
    Play,
    /// Watching a camera.
    Live,
}

impl Place {
    /// All places, in the order of the help page.
    pub const ALL: [Self; 11] = [
        Self::Window,
        Self::Photos,
        Self::Solve,
        Self::Hint,
        Self::Learn,
        Self::Correct,
        Self::Stages,
        Self::Deal,
        Self::Watch,
        Self::Play,
        Self::Live,
    ];

    /// Its heading.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Window => "Everywhere",
            Self::Photos => "Photos",
            Self::Solve => "Solve",
            Self::Hint => "Hint",
            Self::Learn => "Learn",
            Self::Correct => "Correct",
            Self::Stages => "Stages",
            Self::Deal => "Deal",
            Self::Watch => "Watching a game",
            Self::Play => "Playing",
            Self::Live => "Live",
        }
    }
}

/// A key and what it does.
pub struct Binding {
    /// Where it works.
    pub place: Place,
    /// Keys to be held.
    pub held: Modifiers,
    /// The key.
    pub key: Key,
    /// What it does.
    pub action: Action,
    /// What it does, in words.
    pub words: &'static str,
}

const fn bind(
    place: Place,
    held: Modifiers,
    key: Key,
    action: Action,
    words: &'static str,
) -> Binding {
    Binding { place, held, key, action, words }
}

const NO: Modifiers = Modifiers::NONE;
const CTRL: Modifiers = Modifiers::COMMAND;
const ALT: Modifiers = Modifiers::ALT;
const SHIFT: Modifiers = Modifiers::SHIFT;
const CTRL_SHIFT: Modifiers = Modifiers::COMMAND.plus(Modifiers::SHIFT);

/// All keys.
#[rustfmt::skip]
pub const BINDINGS: &[Binding] = &[
    bind(Place::Window, NO, Key::F1, Action::Help, "This page"),
    bind(Place::Window, SHIFT, Key::F1, Action::Rules, "The rules of the game"),
    bind(Place::Window, CTRL, Key::F1, Action::HowTo, "How to photograph a table"),
    bind(Place::Window, ALT, Key::F1, Action::About, "About this program"),
    bind(Place::Window, CTRL, Key::Comma, Action::Settings, "Settings"),
    bind(Place::Window, CTRL, Key::O, Action::OpenFolder, "Open a folder of photos"),
    bind(Place::Window, CTRL_SHIFT, Key::O, Action::OpenPhoto, "Open a photo"),
    bind(Place::Window, CTRL, Key::T, Action::Sample, "Try a sample table"),
    bind(Place::Window, CTRL, Key::L, Action::TypePath, "Type the path of a photo or folder"),
    bind(Place::Window, CTRL, Key::Num1, Action::Photos, "Photos"),
    bind(Place::Window, CTRL, Key::Num2, Action::Deal, "Deal: a game without photos"),
    bind(Place::Window, CTRL, Key::Num3, Action::Live, "Live: the camera"),
    bind(Place::Window, CTRL, Key::Plus, Action::ScaleUp, "Everything larger"),
    // On keyboards with + above =, and by whoever presses = for it.
    bind(Place::Window, CTRL_SHIFT, Key::Plus, Action::ScaleUp, "Everything larger"),
    bind(Place::Window, CTRL, Key::Equals, Action::ScaleUp, "Everything larger"),
    bind(Place::Window, CTRL_SHIFT, Key::Equals, Action::ScaleUp, "Everything larger"),
    bind(Place::Window, CTRL, Key::Minus, Action::ScaleDown, "Everything smaller"),
    bind(Place::Window, CTRL, Key::D, Action::Brightness, "Light or dark"),
    bind(Place::Window, NO, Key::F11, Action::FullScreen, "The whole screen, for a television, or a window again"),
    bind(Place::Window, CTRL, Key::Q, Action::Quit, "Leave"),
    bind(Place::Photos, NO, Key::PageDown, Action::NextPhoto, "Next photo"),
    bind(Place::Photos, NO, Key::PageUp, Action::PreviousPhoto, "Photo before"),
    bind(Place::Photos, NO, Key::Home, Action::FirstPhoto, "First photo"),
    bind(Place::Photos, NO, Key::End, Action::LastPhoto, "Last photo"),
    bind(Place::Photos, NO, Key::U, Action::NextUnsure, "Next photo with an unsure card"),
    bind(Place::Photos, SHIFT, Key::U, Action::PreviousUnsure, "The one before"),
    bind(Place::Photos, NO, Key::F2, Action::Solve, "Solve: all sets"),
    bind(Place::Photos, NO, Key::F3, Action::Hint, "Hint: help, not the answer"),
    bind(Place::Photos, NO, Key::F4, Action::Learn, "Learn: why three cards are a set, or not"),
    bind(Place::Photos, NO, Key::F5, Action::Correct, "Correct what was read wrongly"),
    bind(Place::Photos, NO, Key::F6, Action::Stages, "Stages: how the photo was read"),
    bind(Place::Photos, CTRL, Key::E, Action::ExportPicture, "Save the picture with its sets drawn on it"),
    bind(Place::Photos, CTRL_SHIFT, Key::E, Action::ExportAll, "Save pictures and a table of all photos"),
    bind(Place::Photos, CTRL, Key::J, Action::ExportJson, "Save cards and sets as JSON"),
    bind(Place::Solve, NO, Key::ArrowRight, Action::NextSet, "Next set"),
    bind(Place::Solve, NO, Key::ArrowLeft, Action::PreviousSet, "Set before"),
    bind(Place::Solve, NO, Key::ArrowUp, Action::AllSets, "All sets"),
    bind(Place::Hint, NO, Key::H, Action::MoreHint, "One card of a set, then two, then three"),
    bind(Place::Hint, NO, Key::N, Action::AnotherHint, "As many cards of another set"),
    bind(Place::Hint, NO, Key::Escape, Action::Clear, "Hide the hint"),
    bind(Place::Learn, NO, Key::ArrowRight, Action::CardRight, "To the card on the right"),
    bind(Place::Learn, NO, Key::ArrowLeft, Action::CardLeft, "To the card on the left"),
    bind(Place::Learn, NO, Key::ArrowUp, Action::CardUp, "To the card above"),
    bind(Place::Learn, NO, Key::ArrowDown, Action::CardDown, "To the card below"),
    bind(Place::Learn, NO, Key::Escape, Action::Clear, "Choose other cards"),
    bind(Place::Correct, NO, Key::ArrowRight, Action::CardRight, "To the card on the right"),
    bind(Place::Correct, NO, Key::ArrowLeft, Action::CardLeft, "To the card on the left"),
    bind(Place::Correct, NO, Key::ArrowUp, Action::CardUp, "To the card above"),
    bind(Place::Correct, NO, Key::ArrowDown, Action::CardDown, "To the card below"),
    bind(Place::Correct, CTRL, Key::Enter, Action::AllRight, "All cards of the photo are right"),
    bind(Place::Correct, CTRL, Key::Delete, Action::StartOver, "Back to what the reader found"),
    bind(Place::Correct, NO, Key::Enter, Action::Confirm, "The card is right as it is"),
    bind(Place::Correct, NO, Key::A, Action::AddCard, "Add a card that was missed: then click its middle"),
    bind(Place::Correct, NO, Key::Delete, Action::Strike, "Strike: this is no card"),
    bind(Place::Correct, CTRL, Key::Z, Action::Undo, "Undo"),
    bind(Place::Correct, CTRL, Key::Y, Action::Redo, "Redo"),
    bind(Place::Correct, CTRL_SHIFT, Key::Z, Action::Redo, "Redo"),
    bind(Place::Correct, NO, Key::C, Action::NextCorner, "Next corner of the card"),
    bind(Place::Correct, ALT, Key::ArrowLeft, Action::CornerLeft, "Move the corner left"),
    bind(Place::Correct, ALT, Key::ArrowRight, Action::CornerRight, "Move the corner right"),
    bind(Place::Correct, ALT, Key::ArrowUp, Action::CornerUp, "Move the corner up"),
    bind(Place::Correct, ALT, Key::ArrowDown, Action::CornerDown, "Move the corner down"),
    bind(Place::Correct, NO, Key::Escape, Action::Clear, "Let go of the card"),
    bind(Place::Stages, NO, Key::ArrowRight, Action::NextStage, "Next stage"),
    bind(Place::Stages, NO, Key::ArrowLeft, Action::PreviousStage, "Stage before"),
    bind(Place::Deal, NO, Key::R, Action::DealRandom, "Shuffle and play"),
    bind(Place::Deal, NO, Key::G, Action::DealDaily, "Today's deal, the same for all"),
    bind(Place::Deal, NO, Key::O, Action::OpenDeals, "Open a file of deals"),
    bind(Place::Deal, NO, Key::T, Action::TypeCodes, "Type or paste codes"),
    bind(Place::Deal, NO, Key::P, Action::Play, "Play; start; play again"),
    bind(Place::Deal, NO, Key::W, Action::WatchGame, "Watch step by step"),
    bind(Place::Deal, NO, Key::D, Action::NextDeal, "Next data set of the file"),
    bind(Place::Watch, NO, Key::ArrowRight, Action::NextStep, "Next step"),
    bind(Place::Watch, NO, Key::ArrowLeft, Action::PreviousStep, "Step before"),
    bind(Place::Watch, NO, Key::Home, Action::FirstStep, "First step"),
    bind(Place::Watch, NO, Key::End, Action::LastStep, "Last step"),
    bind(Place::Play, NO, Key::P, Action::Pause, "Pause: hide the cards and stop the clock; go on"),
    bind(Place::Play, NO, Key::O, Action::NoSet, "Say that there is no set"),
    bind(Place::Play, NO, Key::I, Action::DealHint, "One card of a set, then one more"),
    bind(Place::Play, NO, Key::K, Action::AnotherHint, "As many cards of another set"),
    bind(Place::Play, NO, Key::Escape, Action::Clear, "Choose other cards"),
    bind(Place::Live, NO, Key::F2, Action::Solve, "Solve: all sets"),
    bind(Place::Live, NO, Key::F3, Action::Hint, "Hint: help, not the answer"),
    bind(Place::Live, NO, Key::F4, Action::Learn, "Learn: why three cards are a set, or not"),
    bind(Place::Live, NO, Key::ArrowRight, Action::NextSet, "Next set"),
    bind(Place::Live, NO, Key::ArrowLeft, Action::PreviousSet, "Set before"),
    bind(Place::Live, NO, Key::ArrowUp, Action::AllSets, "All sets"),
    bind(Place::Live, NO, Key::H, Action::MoreHint, "One card of a set, then two, then three"),
    bind(Place::Live, NO, Key::F, Action::Freeze, "Hold the picture, or let it go on; nothing is written"),
    bind(Place::Live, NO, Key::S, Action::SaveFrame, "Keep the picture and its JSON"),
    bind(Place::Live, NO, Key::T, Action::Turn, "Turn the picture by a quarter"),
    bind(Place::Live, NO, Key::V, Action::Straighten, "View the table as from straight above, or as it is"),
    bind(Place::Live, NO, Key::R, Action::Record, "Record the game, or end the recording"),
    bind(Place::Live, NO, Key::N, Action::NewGame, "New game: count from the beginning"),
    bind(Place::Live, NO, Key::Escape, Action::Clear, "Choose other cards, hide the hint"),
];

/// What works without a place in [`BINDINGS`]: the system's own keys, and letters that are typed.
pub const OTHER_KEYS: &[(Place, &str, &str)] = &[
    (Place::Window, "Tab, Space", "Go to the next button or card; press it"),
    (Place::Window, "Ctrl+V", "Open what is on the clipboard: a picture, a path, or codes"),
    (Place::Photos, "Ctrl+C", "Copy the board as text"),
    (Place::Photos, "Ctrl+Shift+C", "Copy the picture with its sets"),
    (Place::Photos, "+ - 0", "Zoom in, zoom out, the whole picture"),
    (Place::Correct, "2 s p d", "Type the card: number, shading, colour, shape"),
    (Place::Deal, "Ctrl+C", "Copy the transcript"),
    (Place::Play, "Q A Z, W S X…", "The cards, down the columns, where these keys lie"),
    (Place::Play, ", . /", "The cards of the last set, in a chain"),
    (Place::Play, "1 to 8", "The players: call, when there are several"),
];

/// The actions whose keys were pressed in this frame, where one of these places is. Their events
/// are used up.
pub fn pressed(ctx: &Context, places: &[Place]) -> Vec<Action> {
    let mut actions = Vec::new();
    ctx.input_mut(|input| {
        input.events.retain(|event| {
            let Event::Key { key, pressed: true, modifiers, .. } = event else { return true };
            let found = BINDINGS.iter().find(|b| {
                b.key == *key && modifiers.matches_exact(b.held) && places.contains(&b.place)
            });
            actions.extend(found.map(|b| b.action));
            found.is_none()
        });
    });
    actions
}

/// A key as people write it.
pub fn name_of(binding: &Binding) -> String {
    let mut name = String::new();
    for (held, word) in [
        (binding.held.command, "Ctrl+"),
        (binding.held.alt, "Alt+"),
        (binding.held.shift, "Shift+"),
    ] {
        if held {
            name.push_str(word);
        }
    }
    name + match binding.key {
        Key::ArrowLeft => "Left",
        Key::ArrowRight => "Right",
        Key::ArrowUp => "Up",
        Key::ArrowDown => "Down",
        Key::Comma => ",",
        Key::Plus => "+",
        Key::Equals => "=",
        Key::Minus => "-",
        Key::PageUp => "Page Up",
        Key::PageDown => "Page Down",
        Key::Escape => "Esc",
        key => key.name(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_means_two_things_in_one_place() {
        for (i, a) in BINDINGS.iter().enumerate() {
            for b in &BINDINGS[i + 1..] {
                let alike = a.key == b.key && a.held == b.held;
                let in_photos = |p| {
                    use Place::{Deal, Live, Play, Watch, Window};
                    !matches!(p, Window | Deal | Watch | Play | Live)
                };
                let watching = [a.place, b.place];
                let together = a.place == b.place
                    || a.place == Place::Window
                    || b.place == Place::Window
                    || watching == [Place::Deal, Place::Watch]
                    || (a.place == Place::Photos && in_photos(b.place))
                    || (b.place == Place::Photos && in_photos(a.place));
                assert!(!(alike && together), "{} and {}", a.words, b.words);
            }
        }
    }

    #[test]
    fn plus_with_shift_makes_larger_as_the_help_says() {
        for (key, held) in [(Key::Plus, CTRL), (Key::Plus, CTRL_SHIFT), (Key::Equals, CTRL_SHIFT)] {
            let found = BINDINGS.iter().find(|b| b.key == key && b.held == held);
            assert_eq!(found.map(|b| b.action), Some(Action::ScaleUp), "{key:?}");
        }
    }

    #[test]
    fn no_letter_of_a_code_is_a_key_where_codes_are_typed() {
        for binding in BINDINGS.iter().filter(|b| b.place == Place::Correct && b.held == NO) {
            let name = binding.key.name().to_lowercase();
            assert!(!"123fosgprd".contains(&name) || name.len() > 1, "{name}");
        }
    }
}
