//! Which cards of a table are alike, as a network sees them that was trained on boards of decks that nobody knows:
//! a second witness beside what is measured and named. Its own groups are right more often than any other, but it
//! does not know when they are wrong, so that it never claims alone.

use super::alike::{Class, Distances, likeliest};
use crate::card::CardImage;
use crate::classify::neural::input_of;
use crate::probability::softmax;
use setsight_nets::engine::{Models, ModelsError, Network, NetworkError, file_of};
use setsight_nets::sameness::{ALIKE, CARD, EMBEDDINGS, NUMBER, OUTPUTS};
use setsight_nets::{Kind, reader};

/// Gives the outputs for the cards of a table: the network, or a fake in a test.
pub(crate) trait SamenessNetwork: Send + Sync {
    /// From the cards of one table, `[cards, 3, 64, 96]` (see [`reader`]), to `[cards, 32]`, the last dimension
    /// fastest in both.
    fn outputs(&self, input: Vec<f32>, cards: usize) -> Result<Vec<f32>, NetworkError>;
}

impl SamenessNetwork for Network {
    fn outputs(&self, input: Vec<f32>, cards: usize) -> Result<Vec<f32>, NetworkError> {
        let shape = [cards, reader::CHANNELS, reader::HEIGHT, reader::WIDTH];
        Ok(self.run(input, shape)?.values)
    }
}

/// The network of these models: the shipped one if they have none, and `None` if there is none.
pub(crate) fn load(models: &Models) -> Result<Option<Box<dyn SamenessNetwork>>, ModelsError> {
    let Some(models) = models.or_shipped(file_of(Kind::Sameness)) else { return Ok(None) };
    Ok(Some(Box::new(models.network(Kind::Sameness)?)))
}

/// The network's groups of a table's cards.
#[derive(Clone, Debug)]
pub struct Grouping {
    /// The class of each card; none for what is no card of the table's deck.
    pub classes: Vec<Option<Class>>,
    /// For each card by how much the nearest other class is less likely, in log odds.
    pub margins: Vec<f32>,
}

/// Margin above which the network denies what measures say, in log odds.
pub(crate) const DENIES: f32 = 1.0;

/// Mirrored left to right and upside down: the network knows no direction, and errs otherwise in each view.
const VIEWS: [[bool; 2]; 4] = [[false, false], [true, false], [false, true], [true, true]];

/// Groups cards, of which there must be two.
pub(crate) fn group(
    network: &dyn SamenessNetwork,
    images: &[&CardImage],
) -> Result<Grouping, NetworkError> {
    let n = images.len();
    let inputs: Vec<Vec<f32>> = images.iter().map(|image| input_of(image)).collect();
    let mut alike = [(); 3].map(|()| vec![vec![0.0f32; n]; n]);
    let mut numbers = vec![[0.0f32; 3]; n];
    let mut is_card = vec![0.0f32; n];
    let share = 1.0 / VIEWS.len() as f32;
    for view in VIEWS {
        let input = inputs.iter().flat_map(|input| mirrored(input, view)).collect();
        let outputs = network.outputs(input, n)?;
        let rows: Vec<&[f32]> = outputs.chunks_exact(OUTPUTS).collect();
        for (i, row) in rows.iter().enumerate() {
            is_card[i] += share * row[CARD];
            let chances = softmax([0, 1, 2].map(|k| row[NUMBER.start + k]));
            for (sum, chance) in numbers[i].iter_mut().zip(chances) {
                *sum += share * chance.max(1e-6).ln();
            }
            for (range, alike) in EMBEDDINGS.into_iter().zip(&mut alike) {
                for (j, other) in rows.iter().enumerate() {
                    let far: f32 = range.clone().map(|k| (row[k] - other[k]).powi(2)).sum();
                    alike[i][j] += share * (ALIKE - far);
                }
            }
        }
    }
    Ok(grouped(&alike, &numbers, &is_card))
}

/// The pixels of a card in a mirror.
fn mirrored(input: &[f32], [is_mirrored, is_upside_down]: [bool; 2]) -> impl Iterator<Item = f32> {
    let (rows, columns) = (reader::HEIGHT, reader::WIDTH);
    (0..input.len()).map(move |i| {
        let (plane, at) = (i / (rows * columns), i % (rows * columns));
        let (y, x) = (at / columns, at % columns);
        let y = if is_upside_down { rows - 1 - y } else { y };
        let x = if is_mirrored { columns - 1 - x } else { x };
        input[(plane * rows + y) * columns + x]
    })
}

fn grouped(alike: &[Vec<Vec<f32>>; 3], numbers: &[[f32; 3]], is_card: &[f32]) -> Grouping {
    let cards: Vec<usize> = (0..numbers.len()).filter(|&i| is_card[i] > 0.0).collect();
    let mut classes = vec![None; numbers.len()];
    let mut margins = vec![f32::INFINITY; numbers.len()];
    for &i in &cards {
        let number = likeliest(numbers[i]).unwrap_or(0);
        classes[i] = Some([number, 0, 0, 0]);
        let next = (0..3).filter(|&other| other != number).map(|other| numbers[i][other]);
        margins[i] = numbers[i][number] - next.fold(f32::NEG_INFINITY, f32::max);
    }
    for (p, alike) in alike.iter().enumerate() {
        // Members of one group are alike on average: log odds of 0 are a distance of 1.
        let far = |a: usize, b: usize| 1.0 - alike[cards[a]][cards[b]] / ALIKE;
        let distances = Distances::new(cards.len(), &far);
        let groups = distances.linked();
        let leads = distances.leads(&groups);
        for ((&i, group), lead) in cards.iter().zip(groups).zip(leads) {
            if let Some(class) = &mut classes[i] {
                class[p + 1] = group;
            }
            margins[i] = margins[i].min(ALIKE * lead);
        }
    }
    Grouping { classes, margins }
}

impl Grouping {
    /// The classes of those cards that two ways to group have in common: each group of one is the group of the
    /// other with which it shares most cards. Numbers have names.
    pub(crate) fn agreed(&self, classes: &[Option<Class>]) -> Vec<Option<Class>> {
        let both: Vec<(usize, Class, Class)> = self
            .classes
            .iter()
            .zip(classes)
            .enumerate()
            .filter_map(|(i, (a, b))| Some((i, (*a)?, (*b)?)))
            .collect();
        let mut agreed = vec![None; classes.len()];
        let matches = [1, 2, 3].map(|p| best_match(&both, p));
        for (i, by_network, class) in both {
            let mut properties = matches.iter().zip(1..);
            if by_network[0] == class[0]
                && properties.all(|(names, p)| names[by_network[p]] == class[p])
            {
                agreed[i] = Some(class);
            }
        }
        agreed
    }
}

/// For each group of the network, the group of the other way with which most cards are in common if each has one.
fn best_match(both: &[(usize, Class, Class)], property: usize) -> [usize; 3] {
    const ORDERS: [[usize; 3]; 6] =
        [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let common = |order: &[usize; 3]| {
        both.iter().filter(|(_, a, b)| order[a[property]] == b[property]).count()
    };
    ORDERS.into_iter().max_by_key(common).expect("six orders")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::card::{CARD_LONG_PX, CARD_SHORT_PX};
    use image::{Rgb, RgbImage};

    /// Reads the class of a card from its colours: red is the number, green the filling, blue ink and outline.
    /// A black card is none.
    struct ByColour;
    impl SamenessNetwork for ByColour {
        fn outputs(&self, input: Vec<f32>, cards: usize) -> Result<Vec<f32>, NetworkError> {
            let rows = input.chunks_exact(input.len() / cards).map(|card| {
                let plane = card.len() / 3;
                let level = |channel: usize| (card[channel * plane] * 255.0).round() / 50.0 - 1.0;
                let mut row = [0.0; OUTPUTS];
                row[CARD] = if level(0) < 0.0 { -5.0 } else { 5.0 };
                row[NUMBER.start + level(0).max(0.0) as usize] = 4.0;
                for (range, channel) in EMBEDDINGS.into_iter().zip([1, 2, 2]) {
                    row[range.start] = 9.0 * level(channel);
                }
                row
            });
            Ok(rows.flatten().collect())
        }
    }

    fn card(levels: [u8; 3]) -> CardImage {
        CardImage {
            pixels: RgbImage::from_pixel(CARD_LONG_PX, CARD_SHORT_PX, Rgb(levels)),
            white_in_image: [255.0; 3],
            light_cast: 0.0,
            long_side_in_image_px: 100.0,
        }
    }

    #[test]
    fn cards_are_grouped_by_their_embeddings_and_what_is_no_card_is_left_out() {
        let levels = [[50, 50, 150], [100, 50, 50], [0, 0, 0], [150, 100, 100], [50, 150, 150]];
        let images = levels.map(card);
        let grouping = group(&ByColour, &images.each_ref()).unwrap();
        let classes: Vec<Class> = grouping.classes.iter().flatten().copied().collect();
        assert_eq!((classes.len(), grouping.classes[2]), (4, None));
        assert_eq!(classes.iter().map(|class| class[0]).collect::<Vec<_>>(), [0, 1, 2, 0]);
        let alike = |a: usize, b: usize, p: usize| classes[a][p] == classes[b][p];
        assert!(alike(0, 1, 1) && !alike(0, 2, 1) && !alike(2, 3, 1), "{classes:?}");
        assert!(alike(0, 3, 2) && !alike(0, 1, 2) && alike(0, 3, 3), "{classes:?}");
        assert!(grouping.margins.iter().all(|margin| *margin > DENIES), "{grouping:?}");
    }

    #[test]
    fn two_ways_agree_whatever_they_call_their_groups() {
        let classes = [[0, 0, 0, 0], [1, 1, 1, 1], [2, 2, 2, 2], [0, 1, 2, 0], [1, 0, 0, 1]];
        let other = classes.map(|[n, f, i, o]| [n, (f + 1) % 3, 2 - i, o]);
        let margins = vec![9.0; classes.len()];
        let mut grouping = Grouping { classes: other.map(Some).to_vec(), margins };
        let by_measures = classes.map(Some);
        assert_eq!(grouping.agreed(&by_measures), by_measures);
        grouping.classes[3] = Some([0, 2, 1, 0]);
        let agreed = grouping.agreed(&by_measures);
        assert_eq!(agreed.iter().filter(|class| class.is_none()).count(), 1);
        assert_eq!(agreed[3], None);
    }

    #[test]
    fn views_are_mirror_images() {
        let input: Vec<f32> = (0..3 * reader::HEIGHT * reader::WIDTH).map(|i| i as f32).collect();
        let last = reader::WIDTH - 1;
        let across: Vec<f32> = mirrored(&input, [true, false]).collect();
        assert_eq!((across[0], across[last]), (last as f32, 0.0));
        let turned: Vec<f32> = mirrored(&input, [true, true]).collect();
        let plane = reader::HEIGHT * reader::WIDTH;
        assert!(turned[..plane].iter().rev().eq(&input[..plane]));
    }
}
