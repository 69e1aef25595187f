//! Training examples of a fit: outlines, the classifiers' outputs and the true cards, collected for tables and
//! crops with known cards.

use crate::reader::labelled_crops::{CropsError, straight_crops};
use rayon::prelude::*;
use setsight_game::cards::{Card, Deck, Edition};
use setsight_nets::engine::NetworkError;
use setsight_photo::geometry::Quad;
use setsight_photo::print::dice::Span;
use setsight_photo::source::{self, SourceError};
use setsight_scenes::params::{CastParams, DeckChoice};
use setsight_scenes::{Kind, Params, RenderError, Scene, render, scenes};
use setsight_vision::classify::Cards;
use setsight_vision::classify::fused::{self, ClassifierOutputs, FurtherNetworks};
use setsight_vision::classify::neural::NeuralReader;
use setsight_vision::classify::screens;
use setsight_vision::find::CardFinder;
use setsight_vision::{CardOutline, PipelineError, Trace};
use std::path::Path;

/// The classifiers' outputs for one outline, and the truth.
#[derive(Clone, Debug)]
pub struct Example {
    pub outline: CardOutline,
    pub outputs: ClassifierOutputs,
    /// The object under the outline.
    pub truth: Truth,
}

/// The object under an outline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    /// A card with enough of its symbols in view.
    Card(Card),
    /// A card with most of its symbols hidden: it counts for the code, not for card-or-not.
    Hidden(Card),
    Nothing,
}

impl Truth {
    pub fn card(self) -> Option<Card> {
        match self {
            Self::Card(card) | Self::Hidden(card) => Some(card),
            Self::Nothing => None,
        }
    }
}

/// Cards from one origin.
#[derive(Clone, Debug)]
pub struct Source {
    /// `drawn`, or the name of a folder of crops.
    pub name: String,
    /// Whether its outlines were found by the finder and carry a score.
    pub has_outlines: bool,
    /// The tables; a crop is a table of one card.
    pub tables: Vec<ExampleTable>,
}

/// All outlines of a picture.
#[derive(Clone, Debug, Default)]
pub struct ExampleTable {
    /// The outlines, in the finder's order.
    pub examples: Vec<Example>,
    /// What distinguishes a copy of a screen from a photo, if the table has enough cards; see
    /// [`screens::features`].
    pub is_screen: Option<[f32; screens::FEATURES]>,
}

/// The visible cards on the tables of a source.
pub(super) fn cards_of(source: &Source) -> impl Iterator<Item = (&Example, Card)> {
    let examples = source.tables.iter().flat_map(|table| &table.examples);
    examples.filter_map(|example| Some((example, example.truth.card()?)))
}

/// Why no examples could be collected.
#[derive(Debug, thiserror::Error)]
pub enum CollectError {
    /// A folder of crops cannot be read.
    #[error(transparent)]
    Crops(#[from] CropsError),
    #[error("a drawn table cannot be written: {0}")]
    Write(#[from] image::ImageError),
    /// A table cannot be drawn.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// A table cannot be read.
    #[error(transparent)]
    Pipeline(#[from] PipelineError),
    /// A network cannot be run.
    #[error(transparent)]
    Network(#[from] NetworkError),
    #[error("a drawn table cannot be read back: {0}")]
    Source(#[from] SourceError),
}

/// An outline belongs to a card if their centres lie within this fraction of the card's long side.
const SAME_PLACE: f64 = 0.35;
/// Minimum visible fraction of a card's symbols for it to count as a card.
const SEEN_ENOUGH: f64 = 0.5;

/// The finder and the readers that run on drawn tables.
#[derive(Clone, Copy)]
pub struct Networks<'a> {
    pub finder: &'a dyn CardFinder,
    pub reader: &'a NeuralReader,
    /// Run next to the reader.
    pub extra: FurtherNetworks<'a>,
}

/// The kinds of pictures to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drawn {
    /// Photos of tables. A quarter are as hard as those the reader trains on, except that their chroma is sharper;
    /// the others are of every kind that `render` can draw.
    Photos,
    /// Such photos, each with a stack of cards, face up, beside the cards. The top of a stack looks like a card to
    /// all but the finder, which sees the sides: these photos teach how far to trust each of them on whether an
    /// outline is a card.
    WithStacks,
    /// Photos in bad light and by bad cameras: they teach the weight of the second reader.
    InBadLight,
    /// The same, of known decks only: cards of other decks have no value to learn.
    KnownInBadLight,
    /// Photos whose stock is clipped by too much light: like screens they show all cards on the same white.
    Clipped,
    /// Tables as games on a screen show them, oddly as often as apps may.
    OnScreen,
}

impl Drawn {
    fn scene(self, seed: u64, index: u64) -> Result<Scene, CollectError> {
        /// Linear value of white in full light.
        const TOO_MUCH: Span = Span::new(1.3, 2.2);
        /// As often as training draws them, oddities would raise the threshold for all other screens.
        const ODD: f64 = 0.2;
        Ok(match self {
            Self::Photos | Self::WithStacks => {
                let stack = if self == Self::WithStacks { 1.0 } else { 0.0 };
                let scene = photographed(seed, index, stack)?;
                let image = source::decode(&scene.jpeg()?)?.frame;
                Scene { image, ..scene }
            }
            Self::InBadLight => scenes::in_bad_light(seed, index, |_| ())?,
            Self::KnownInBadLight => {
                scenes::in_bad_light(seed, index, |params| params.decks = both_decks())?
            }
            Self::Clipped => scenes::reader_but(seed, index, |params| params.exposure = TOO_MUCH)?,
            Self::OnScreen => scenes::screen_but(seed, index, |params| {
                // No card of another deck can be claimed.
                params.decks = vec![(DeckChoice::Known(Deck::classic()), 1.0)];
                (params.strange, params.odd) = (0.0, ODD);
            })?,
        })
    }
}

/// Draws `tables` pictures and runs the networks on them. Calls `done` after each.
pub fn drawn(
    networks: Networks,
    what: Drawn,
    tables: u64,
    seed: u64,
    done: &(dyn Fn() + Sync),
) -> Result<Source, CollectError> {
    let tables = (0..tables).into_par_iter().map(|index| {
        let scene = what.scene(seed, index)?;
        done();
        read_scene(&scene, networks, what == Drawn::OnScreen)
    });
    let tables = tables.collect::<Result<_, CollectError>>()?;
    Ok(Source { name: "drawn".into(), has_outlines: true, tables })
}

fn read_scene(
    scene: &Scene,
    Networks { finder, reader, extra }: Networks,
    on_screen: bool,
) -> Result<ExampleTable, CollectError> {
    let frame = &scene.image;
    let outlines = finder.find(frame, &mut Trace::default()).map_err(PipelineError::from)?;
    let straight = Cards::straighten(frame, &outlines);
    let is_screen = screens::features(&straight);
    let cards = if on_screen { straight.of_drawing() } else { straight };
    let edition = scene.deck.edition();
    let table = ask(&cards, reader, extra, edition, on_screen, |at| truth_at(scene, at))?;
    Ok(ExampleTable { is_screen, ..table })
}

/// A table as cameras take them, with the probability `stack` of a stack of cards beside it.
fn photographed(seed: u64, index: u64, stack: f64) -> Result<Scene, RenderError> {
    /// The blur left by halving the chroma resolution. The reader trains on more blur, so much that
    /// cards of fifty pixels lose their colour. Fitting the threshold to unreadable cards would raise it for
    /// all others.
    const CHROMA_PX: Span = Span::new(0.5, 1.2);
    let kind = match index % 4 {
        0 => {
            return scenes::reader_but(seed, index, |params| {
                params.chroma_px = CHROMA_PX;
                params.decks = both_decks();
                // The threshold is for pictures as cameras take them. Marks drawn over a card, and
                // strong colour casts, would raise it for all other pictures.
                (params.annotations, params.cast) = ((0, 0), CastParams::NONE);
                params.stack = stack;
            });
        }
        // Several effects at once.
        1 => Kind::Mixed,
        2 => Kind::FITTED_ON[(index / 4) as usize % Kind::FITTED_ON.len()],
        _ => Kind::FITTED_ON[(index / 4 + 7) as usize % Kind::FITTED_ON.len()],
    };
    // The presets have only large shadows and no chroma blur. They must not change, because the
    // test suites are measured on them.
    render(
        &Params { dappled: 0.3, chroma_px: CHROMA_PX, stack, ..Params::for_kind(kind) },
        seed,
        index,
    )
}

/// Both known editions: no card of another deck can be claimed.
fn both_decks() -> Vec<(DeckChoice, f64)> {
    let weights = [0.7, 0.3];
    let decks = Edition::KNOWN.into_iter().filter_map(Edition::deck).map(DeckChoice::Known);
    decks.zip(weights).collect()
}

/// The card at an outline's centre.
pub(super) fn truth_at(scene: &Scene, outline: &CardOutline) -> Truth {
    let center = outline.corners_in_image.center();
    let near = scene
        .cards
        .iter()
        .map(|card| {
            let quad = card.corners_in_image;
            let long = (0..4).map(|i| quad.0[i].distance(quad.0[(i + 1) % 4])).fold(0.0, f64::max);
            (quad.center().distance(center) / long.max(1.0), card)
        })
        .filter(|(distance, _)| *distance <= SAME_PLACE)
        .min_by(|a, b| a.0.total_cmp(&b.0));
    match near {
        None => Truth::Nothing,
        Some((_, card)) if card.symbols_in_view < SEEN_ENOUGH => Truth::Hidden(card.card),
        Some((_, card)) => Truth::Card(card.card),
    }
}

/// The crops of a labelled folder, all of one edition. Each crop becomes a table of its own,
/// because crops need not share their lighting.
pub fn crops(
    folder: &Path,
    edition: Edition,
    network: &NeuralReader,
    done: &(dyn Fn() + Sync),
) -> Result<Source, CollectError> {
    let (crops, _) = straight_crops(folder, edition)?;
    let tables = crops.into_par_iter().map(|(frame, card)| {
        let (width, height) = (f64::from(frame.width()), f64::from(frame.height()));
        let outlines = [CardOutline::at(Quad::rectangle(width, height).as_card())];
        let cards = Cards::straighten(&frame, &outlines);
        let table = ask(&cards, network, FurtherNetworks::default(), edition, false, |_| {
            Truth::Card(card)
        })?;
        done();
        Ok(table)
    });
    let tables = tables.collect::<Result<_, CollectError>>()?;
    let name = folder.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    Ok(Source { name, has_outlines: false, tables })
}

/// The classifiers' outputs for the cards of one picture of a known edition, which may be a copy of a
/// screen; `truth` returns the card under an outline.
pub(crate) fn ask(
    cards: &Cards,
    network: &NeuralReader,
    extra: FurtherNetworks,
    edition: Edition,
    on_screen: bool,
    truth: impl Fn(&CardOutline) -> Truth,
) -> Result<ExampleTable, NetworkError> {
    let logits = network.logits(&cards.images)?;
    let outputs = fused::ask(cards, &logits, extra, edition, on_screen)?;
    let examples = cards.outlines.iter().zip(outputs).map(|(outline, outputs)| Example {
        outline: outline.clone(),
        outputs,
        truth: truth(outline),
    });
    Ok(ExampleTable { examples: examples.collect(), is_screen: None })
}
