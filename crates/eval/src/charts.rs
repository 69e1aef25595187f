//! Charts of figures as SVG, which are sharp at any size and embed no font.

use super::figures::Figures;
use super::reliability::Reliability;
use setsight_game::cards::{Card, Property};
use setsight_vision::Reading;
use std::fmt::Write as _;

const BLUE: &str = "#0072b2";
const ORANGE: &str = "#d55e00";
const FONT: &str = "font-family=\"system-ui,sans-serif\"";

/// A confusion matrix of one property: rows as labelled, columns as read. A cell is darker the
/// larger its share of the row, blue on the diagonal and orange off it.
pub(crate) fn confusion(property: Property, figures: &Figures) -> String {
    const CELL: usize = 74;
    const LEFT: usize = 84;
    const TOP: usize = 52;
    let matrix = &figures.confusion[property_place(property)];
    let (width, height) = (LEFT + 3 * CELL + 8, TOP + 3 * CELL + 8);
    let mut svg = open(width, height);
    let _ = write!(
        svg,
        "<text x=\"{}\" y=\"18\" text-anchor=\"middle\" font-weight=\"bold\">{property}: read as</text>",
        LEFT + 3 * CELL / 2
    );
    for value in 0..3 {
        let word = property.value_word(value);
        let middle = value * CELL + CELL / 2;
        let _ = write!(
            svg,
            "<text x=\"{}\" y=\"42\" text-anchor=\"middle\">{word}</text>\
             <text x=\"{}\" y=\"{}\" text-anchor=\"end\">{word}</text>",
            LEFT + middle,
            LEFT - 8,
            TOP + middle + 5
        );
    }
    for (labelled, row) in matrix.iter().enumerate() {
        let total = row.iter().sum::<usize>().max(1) as f64;
        for (read, &count) in row.iter().enumerate() {
            let share = count as f64 / total;
            let good = labelled == read;
            // One card in a thousand must be visible.
            let deep = if good { share } else { share.powf(0.4) };
            let _ = write!(
                svg,
                "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" \
                 fill-opacity=\"{deep:.3}\" stroke=\"#bbb\"/>",
                LEFT + read * CELL,
                TOP + labelled * CELL,
                CELL,
                CELL,
                if good { BLUE } else { ORANGE },
            );
            let dark = deep > 0.55;
            let (x, y) = (LEFT + read * CELL + CELL / 2, TOP + labelled * CELL + CELL / 2);
            let _ = write!(
                svg,
                "<text x=\"{x}\" y=\"{}\" text-anchor=\"middle\" fill=\"{}\">{count}</text>",
                y + 1,
                if dark { "#fff" } else { "#16181c" },
            );
            if count > 0 {
                let _ = write!(
                    svg,
                    "<text x=\"{x}\" y=\"{}\" text-anchor=\"middle\" font-size=\"10\" fill=\"{}\">{:.2} %</text>",
                    y + 16,
                    if dark { "#fff" } else { "#555" },
                    100.0 * share
                );
            }
        }
    }
    svg + "</svg>\n"
}

fn property_place(property: Property) -> usize {
    Property::ALL.iter().position(|&p| p == property).unwrap_or(0)
}

/// A reliability diagram: for each bin the expected share of errors (x) and the observed share (y),
/// both on logarithmic axes, with 95 % intervals. Confidence on the diagonal is calibrated; above
/// it the reader is overconfident.
pub(crate) fn reliability(reliability: &Reliability) -> String {
    const SIDE: f64 = 300.0;
    const LEFT: f64 = 62.0;
    const TOP: f64 = 16.0;
    /// Lowest value that the axes show.
    const LEAST: f64 = 1e-4;
    let at = |v: f64| (v.max(LEAST).log10() / LEAST.log10()).clamp(0.0, 1.0);
    let (x, y) = (|v: f64| LEFT + SIDE * (1.0 - at(v)), |v: f64| TOP + SIDE * at(v));
    let mut svg = open((LEFT + SIDE) as usize + 20, (TOP + SIDE) as usize + 52);
    for (value, name) in
        [(1.0, "100 %"), (0.1, "10 %"), (0.01, "1 %"), (0.001, "0.1 %"), (0.0001, "0.01 %")]
    {
        let (gx, gy) = (x(value), y(value));
        let _ = write!(
            svg,
            "<path d=\"M{gx:.1} {TOP}v{SIDE}M{LEFT} {gy:.1}h{SIDE}\" stroke=\"#ddd\"/>\
             <text x=\"{gx:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"11\">{name}</text>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" font-size=\"11\">{name}</text>",
            TOP + SIDE + 16.0,
            LEFT - 6.0,
            gy + 4.0
        );
    }
    let _ = write!(
        svg,
        "<path d=\"M{:.1} {:.1}L{:.1} {:.1}\" stroke=\"#888\" stroke-dasharray=\"5 4\"/>\
         <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">said to be wrong</text>\
         <text transform=\"translate(12 {:.1}) rotate(-90)\" text-anchor=\"middle\">is wrong</text>",
        x(LEAST),
        y(LEAST),
        x(1.0),
        y(1.0),
        LEFT + SIDE / 2.0,
        TOP + SIDE + 38.0,
        TOP + SIDE / 2.0
    );
    for (_, _, bin) in reliability.filled() {
        let said = bin.expected_wrong / bin.readings as f64;
        let (low, high) = bin.wrong_between();
        let (cx, cy) = (x(said), y(bin.wrong() as f64 / bin.readings as f64));
        let radius = 3.0 + 1.2 * (bin.readings as f64).log10();
        let _ = write!(
            svg,
            "<path d=\"M{cx:.1} {:.1}V{:.1}\" stroke=\"{BLUE}\" stroke-width=\"1.5\"/>\
             <circle cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"{radius:.1}\" fill=\"{}\">\
             <title>{} readings, {} wrong, {:.2} said to be</title></circle>",
            y(low),
            y(high),
            if bin.wrong() == 0 { "#fff\" stroke=\"#0072b2" } else { BLUE },
            bin.readings,
            bin.wrong(),
            bin.expected_wrong
        );
    }
    svg + "</svg>\n"
}

/// The reader's output for one card: one bar for each value of each property and one for
/// card-or-not, with the labelled values outlined.
pub(crate) fn reading(reading: &Reading, labelled: Option<Card>) -> String {
    const ROW: usize = 12;
    const LEFT: usize = 58;
    const LONG: f64 = 88.0;
    let mut svg = open(LEFT + LONG as usize + 34, 13 * ROW + 24);
    let mut row = 0;
    let mut bar = |name: &str, value: f32, labelled: bool, gap: usize| {
        let top = 4 + row * ROW + gap * 3;
        row += 1;
        let (text, weight) = (top + ROW - 3, if labelled { "bold" } else { "normal" });
        let _ = write!(
            svg,
            "<text x=\"{}\" y=\"{text}\" text-anchor=\"end\" font-size=\"10\" font-weight=\"{weight}\">{name}</text>\
             <rect x=\"{LEFT}\" y=\"{top}\" width=\"{:.1}\" height=\"{}\" fill=\"{}\"/>\
             <text x=\"{}\" y=\"{text}\" font-size=\"9\" fill=\"#555\">{:.1}</text>",
            LEFT - 5,
            f64::from(value.clamp(0.0, 1.0)) * LONG,
            ROW - 3,
            if labelled { BLUE } else { ORANGE },
            LEFT + LONG as usize + 4,
            100.0 * value,
        );
    };
    for (place, (property, values)) in Property::ALL.into_iter().zip(&reading.values).enumerate() {
        for (value, &probability) in values.iter().enumerate() {
            let is = labelled.is_some_and(|card| card.value(property) == value);
            bar(property.value_word(value), probability, is, place);
        }
    }
    bar("a card", reading.is_card, labelled.is_some(), 4);
    svg + "</svg>\n"
}

fn open(width: usize, height: usize) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" {FONT} font-size=\"13\">\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_stand_in_the_pictures() {
        let mut figures = Figures::default();
        figures.confusion[2][1] = [3, 1970, 41];
        let svg = confusion(Property::ALL[2], &figures);
        for part in ["colour: read as", ">1970<", ">41<", "2.04 %", "purple"] {
            assert!(svg.contains(part), "{part}: {svg}");
        }
        let mut bins = Reliability::default();
        for i in 0..50 {
            bins.count(0.97, i > 1);
        }
        let svg = super::reliability(&bins);
        assert!(svg.contains("50 readings, 2 wrong, 1.50 said to be"), "{svg}");
        let svg = super::reading(&Reading::UNKNOWN, Some("2spd".parse().unwrap()));
        assert_eq!(svg.matches("font-weight=\"bold\"").count(), 5);
        assert_eq!(svg.matches("<rect").count(), 14);
    }
}
