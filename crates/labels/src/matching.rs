//! Matches readings with labels and gives each label a verdict.

use setsight_photo::geometry::{Point, Quad};
use setsight_photo::labels::{CardLabel, nearest};
use setsight_photo::numeric::median;
use setsight_vision::ReadCard;

/// The outcome of a labelled card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Found, and claimed with the right code.
    Right,
    /// Found, and claimed with a wrong code.
    Wrong,
    /// Found, but marked unsure.
    Unsure,
    /// Not found.
    Missed,
}

/// The readings of one photo matched with its labels.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    /// For each label, the index of its reading.
    pub reading_of_label: Vec<Option<usize>>,
    /// Indices of the readings without a label, in order.
    pub false_cards: Vec<usize>,
}

impl Match {
    pub fn verdict(&self, label: usize, labels: &[CardLabel], readings: &[ReadCard]) -> Verdict {
        match self.reading_of_label[label].map(|reading| &readings[reading]) {
            None => Verdict::Missed,
            Some(reading) if reading.unsure => Verdict::Unsure,
            Some(reading) if reading.card == labels[label].code => Verdict::Right,
            Some(_) => Verdict::Wrong,
        }
    }
}

/// Matches readings with labels one to one, nearest first, up to [`setsight_photo::labels::MATCH_RADIUS`].
/// Distances are between centres, in long sides of the card. A label without corners takes the size
/// of the photo's other labels, or of the reading if no label has corners. Both are in pixels of
/// the upright photo.
pub fn compare(labels: &[CardLabel], readings: &[ReadCard]) -> Match {
    let sizes: Vec<Option<f64>> =
        labels.iter().map(|label| label.corners.map(|quad| longest_edge(&quad))).collect();
    let usual = median(sizes.iter().copied().flatten());
    let centres: Vec<Point> = labels.iter().map(|label| label.center).collect();
    let read: Vec<Point> = readings.iter().map(|card| card.corners_in_image.center()).collect();
    let reading_of_label = nearest(&centres, &read, |i: usize, j: usize| {
        sizes[i].or(usual).unwrap_or_else(|| longest_edge(&readings[j].corners_in_image))
    });
    let mut taken = vec![false; readings.len()];
    for j in reading_of_label.iter().flatten() {
        taken[*j] = true;
    }
    let false_cards = (0..readings.len()).filter(|&j| !taken[j]).collect();
    Match { reading_of_label, false_cards }
}

fn longest_edge(quad: &Quad) -> f64 {
    (0..4).map(|i| quad.0[i].distance(quad.0[(i + 1) % 4])).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use setsight_photo::geometry::Point;

    fn at(x: f64, y: f64) -> Quad {
        Quad::new(Quad::rectangle(90.0, 60.0).0.map(|p| p + Point::new(x, y)))
    }
    fn label(code: &str, x: f64, y: f64) -> CardLabel {
        let corners = at(x, y);
        let labelled_by = setsight_photo::labels::LabelledBy::Person;
        let code = code.parse().unwrap();
        CardLabel { code, center: corners.center(), corners: Some(corners), labelled_by }
    }
    fn reading(code: &str, x: f64, y: f64, unsure: bool) -> ReadCard {
        ReadCard::new(at(x, y), code.parse().unwrap(), 0.9, unsure)
    }

    #[test]
    fn every_label_ends_in_one_of_four_ways() {
        let labels = [
            label("1fgd", 0., 0.),
            label("2fgd", 100., 0.),
            label("3fgd", 200., 0.),
            label("1opd", 300., 0.),
        ];
        let readings = [
            reading("1opd", 500., 300., false), // no label there
            reading("2fgd", 5., 5., true),
            reading("2fgd", 110., 0., false),
            reading("3fgs", 190., 0., false),
        ];
        let m = compare(&labels, &readings);
        assert_eq!(m.reading_of_label, [Some(1), Some(2), Some(3), None]);
        assert_eq!(m.false_cards, [0]);
        use Verdict::*;
        let verdicts = [0, 1, 2, 3].map(|i| m.verdict(i, &labels, &readings));
        assert_eq!(verdicts, [Unsure, Right, Wrong, Missed]);
    }

    #[test]
    fn the_nearest_takes_it_and_the_second_is_false() {
        let labels = [label("1fgd", 0., 0.)];
        let readings = [reading("1fgd", 20., 0., false), reading("1fgd", 3., 0., false)];
        let m = compare(&labels, &readings);
        assert_eq!((m.reading_of_label, m.false_cards), (vec![Some(1)], vec![0]));
    }

    #[test]
    fn the_radius_is_a_third_of_the_long_side() {
        let mut labels = [label("1fgd", 0., 0.), label("2fgd", 500., 0.)];
        labels[1].corners = None; // judged by the other's size
        let near =
            compare(&labels, &[reading("1fgd", 31., 0., false), reading("2fgd", 531., 0., false)]);
        assert_eq!(near.false_cards.len(), 0);
        let far =
            compare(&labels, &[reading("1fgd", 32., 0., false), reading("2fgd", 532., 0., false)]);
        assert_eq!(far.false_cards.len(), 2);
        labels[0].corners = None; // and now by what is read there
        let near = compare(&labels, &[reading("1fgd", 31., 0., false)]);
        assert_eq!(near.false_cards.len(), 0);
        let far = compare(&labels, &[reading("1fgd", 32., 0., false)]);
        assert_eq!(far.false_cards.len(), 1);
    }
}
