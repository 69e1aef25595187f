//! The report on an exported reader: figures in JSON and a page.

use super::board::{FRAME_HEIGHT, FRAME_WIDTH};
use super::folder::{LIMIT_SECTORS, SECTOR_BYTES};
use super::{ARENA_LIMIT_BYTES, FILE_LIMIT_BYTES, PEAK_LIMIT_BYTES};
use super::{float::Agreement, net::Net};
use serde_json::{Value, json};
use setsight_game::cards::Property;
use setsight_nets::{engine::hex, reader};
use std::{collections::BTreeMap, fmt::Write};

/// Version of the folder's format, in `report.json`.
pub(crate) const FORMAT: u64 = 2;

/// Estimated range of milliseconds per million multiply-accumulates at 480 MHz, from published
/// figures for a related chip and counts of emulated instructions.
const MS_PER_MILLION: (f64, f64) = (4.0, 9.0);
const BOARD_CARDS: f64 = 12.0;

/// Agreement over one collection of crops.
#[derive(Clone, Debug)]
pub struct Measured {
    /// A short key for `report.json`.
    pub key: &'static str,
    /// Description of the crops and of their processing.
    pub what: String,
    pub agreement: Agreement,
}

/// Facts in the report besides the network itself.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// SHA-256 of the trained network that was exported.
    pub source_sha256: String,
    /// The calibration methods that were compared, with their agreement.
    pub calibrations: Vec<(String, Agreement)>,
    /// Index of the chosen method.
    pub chosen: usize,
    /// Description of the calibration crops.
    pub calibrated_on: String,
    /// Agreement over several collections.
    pub measured: Vec<Measured>,
    /// Number of pictures in the self-test.
    pub goldens: usize,
}

/// `report.json`: `files` are the other files of the folder by name.
pub(crate) fn json(
    net: &Net,
    facts: &Facts,
    files: &BTreeMap<String, Vec<u8>>,
    sha256: impl Fn(&[u8]) -> [u8; 32],
) -> Value {
    let mut listed = serde_json::Map::new();
    for (name, bytes) in files {
        listed.insert(name.clone(), json!({"bytes": bytes.len(), "sha256": hex(&sha256(bytes))}));
    }
    let mut agreement = serde_json::Map::new();
    for measured in &facts.measured {
        agreement.insert(measured.key.into(), figures(&measured.what, &measured.agreement));
    }
    let (least, most) = card_ms(net);
    let calibrations: Vec<Value> =
        facts.calibrations.iter().map(|(name, a)| figures(name, a)).collect();
    json!({
        "format": FORMAT,
        "program": concat!("setsight ", env!("CARGO_PKG_VERSION")),
        "trained_network_sha256": facts.source_sha256,
        "network": {
            "operators": net.operators(),
            "layers": net.layers.len(),
            "parameters": net.parameters(),
            "multiply_accumulates": net.multiply_accumulates(),
            "peak_activation_bytes": net.peak_activation_bytes(),
            "arena_bound_bytes": net.arena_bound_bytes(),
            "input": activation(&net.input),
            "output": activation(net.output()),
            "output_offset": net.output_offset,
        },
        "limits": {
            "file_bytes": FILE_LIMIT_BYTES,
            "arena_bytes": ARENA_LIMIT_BYTES,
            "peak_activation_bytes": PEAK_LIMIT_BYTES,
        },
        "calibration": {
            "on": facts.calibrated_on,
            "tried": calibrations,
            "chosen": facts.calibrations.get(facts.chosen).map(|(name, _)| name),
        },
        "agreement": agreement,
        "estimated_ms": {
            "note": "estimates, not measured on a board",
            "card": [least, most],
            "board_of_12": [least * BOARD_CARDS, most * BOARD_CARDS],
        },
        "golden_pictures": facts.goldens,
        "files": listed,
    })
}

fn activation(q: &super::net::Activation) -> Value {
    json!({
        "height": q.height, "width": q.width, "channels": q.channels,
        "scale": q.quant.scale, "zero_point": q.quant.zero
    })
}

fn figures(what: &str, a: &Agreement) -> Value {
    let mut values = serde_json::Map::new();
    for (p, property) in Property::ALL.into_iter().enumerate() {
        values.insert(property.word().into(), json!(round(a.percent(a.same_value[p]))));
    }
    json!({
        "what": what,
        "crops": a.crops,
        "same_card_percent": round(a.percent(a.same_card)),
        "same_value_percent": values,
        "float_right_percent": round(a.percent(a.float_right)),
        "int8_right_percent": round(a.percent(a.int8_right)),
        "mean_logit_error": (a.mean_logit_error * 1e4).round() / 1e4,
    })
}

fn round(percent: f64) -> f64 {
    (percent * 100.0).round() / 100.0
}

/// Estimated time per card, in milliseconds.
fn card_ms(net: &Net) -> (f64, f64) {
    let million = net.multiply_accumulates() as f64 / 1e6;
    let (least, most) = MS_PER_MILLION;
    ((million * least * 10.0).round() / 10.0, (million * most * 10.0).round() / 10.0)
}

/// The text of `report.md`.
pub(crate) fn markdown(
    net: &Net,
    facts: &Facts,
    model_bytes: usize,
    sectors: u64,
    model_sha256: &str,
) -> String {
    let mut page = String::new();
    let mut line = |text: String| {
        page += &text;
        page.push('\n');
    };
    line("# The card reader on the OpenMV Cam H7\n".into());
    line(format!(
        "Exported by setsight {}. `card.tflite`: SHA-256 `{model_sha256}`, made from the network \
         with SHA-256 `{}`.\n",
        env!("CARGO_PKG_VERSION"),
        facts.source_sha256
    ));
    write_size(&mut line, net, model_bytes, sectors);
    write_agreement(&mut line, facts);
    let (least, most) = card_ms(net);
    line(format!(
        "\n## Time: an estimate\n\nAt 480 MHz and {} to {} ms a million multiply-accumulates \
         (published figures of a sibling chip, counts of emulated instructions) a card takes an \
         estimated {least} to {most} ms in the network, a board of twelve {:.0} to {:.0} ms, plus \
         finding and straightening. `selftest.py` prints what your board takes.\n",
        MS_PER_MILLION.0,
        MS_PER_MILLION.1,
        least * BOARD_CARDS,
        most * BOARD_CARDS
    ));
    line(format!(
        "## How the board's picture was imitated\n\nA frame of {FRAME_WIDTH} x {FRAME_HEIGHT} in \
         RGB565 around the cards, a window around each card, straightened by taking the nearest \
         pixel, each channel multiplied so that percentile 85 of the card comes to {} of full \
         scale, again in RGB565: what the scripts do with the firmware's functions.\n",
        reader::WHITE
    ));
    line(
        "## What no test here can show\n\nNo board was at hand. Speed, the camera's own colours \
         and focus, and whether the heap of a real board suffices beside other scripts have not \
         been measured. What is known of the firmware (4.5 to 5.0) was read in its sources. The \
         scripts ran on MicroPython for WebAssembly with stand-ins for the camera, and the \
         network's outputs were compared on interpreters for the desktop; `selftest.py` is the \
         first check on a real board."
            .into(),
    );
    page
}

fn sectors_kb(sectors: u64) -> f64 {
    (sectors * SECTOR_BYTES) as f64 / 1024.0
}

/// Takes the page's next line.
type Line<'a> = &'a mut dyn FnMut(String);

fn write_size(line: Line<'_>, net: &Net, model_bytes: usize, sectors: u64) {
    let kb = |bytes: usize| format!("{bytes} bytes ({:.1} KB)", bytes as f64 / 1024.0);
    line("## Size\n".into());
    line("| | here | limit |\n|---|---|---|".into());
    line(format!("| file | {} | {} KB |", kb(model_bytes), FILE_LIMIT_BYTES / 1024));
    line(format!(
        "| arena, upper bound by rule | {} | {} KB |",
        kb(net.arena_bound_bytes()),
        ARENA_LIMIT_BYTES / 1024
    ));
    line(format!(
        "| largest layer's input and output | {} | {} KB |",
        kb(net.peak_activation_bytes()),
        PEAK_LIMIT_BYTES / 1024
    ));
    line(format!(
        "| all files of `board`, in sectors of {SECTOR_BYTES} bytes | {sectors} ({:.1} KB) | {LIMIT_SECTORS} ({:.0} KB) |",
        sectors_kb(sectors),
        sectors_kb(LIMIT_SECTORS)
    ));
    line(format!("| parameters | {} | |", net.parameters()));
    line(format!("| multiply-accumulates a card | {} | |", net.multiply_accumulates()));
    line(format!("\nOperators: {}.\n", net.operators().join(", ")));
    line("| layer | makes (height x width x channels) |\n|---|---|".into());
    for layer in &net.layers {
        let to = &layer.output;
        line(format!("| {} | {} x {} x {} |", layer.op.name(), to.height, to.width, to.channels));
    }
}

/// How the integers agree with the floats, and how the calibration was chosen.
fn write_agreement(line: Line<'_>, facts: &Facts) {
    line("\n## Integers against floats\n".into());
    line(
        "Crops read with the network in floating point and in 8-bit integers (the reference that \
         computes what the file says, bit for bit). \"Same card\": both read all four properties \
         alike, right or not.\n"
            .into(),
    );
    line(
        "| crops | n | same card | number | shading | colour | shape | right, float | right, int8 |"
            .into(),
    );
    line("|---|---|---|---|---|---|---|---|---|".into());
    for measured in &facts.measured {
        let a = &measured.agreement;
        let p = |count: usize| format!("{:.2} %", a.percent(count));
        let values = a.same_value.map(p).join(" | ");
        line(format!(
            "| {} | {} | {} | {values} | {} | {} |",
            measured.what,
            a.crops,
            p(a.same_card),
            p(a.float_right),
            p(a.int8_right)
        ));
    }
    line(format!(
        "\n## Calibration\n\nRanges were taken on {}. Tried, on other crops:\n",
        facts.calibrated_on
    ));
    line("| way | same card | right, int8 | mean error of a logit |\n|---|---|---|---|".into());
    for (i, (name, a)) in facts.calibrations.iter().enumerate() {
        let taken = if i == facts.chosen { " (taken)" } else { "" };
        line(format!(
            "| {name}{taken} | {:.2} % | {:.2} % | {:.4} |",
            a.percent(a.same_card),
            a.percent(a.int8_right),
            a.mean_logit_error
        ));
    }
}

/// A summary in one line for the terminal.
pub fn summary(net: &Net, facts: &Facts, model_bytes: usize) -> String {
    let mut text = format!(
        "card.tflite {model_bytes} bytes, arena at most {} bytes, {} multiply-accumulates",
        net.arena_bound_bytes(),
        net.multiply_accumulates()
    );
    for m in &facts.measured {
        let a = &m.agreement;
        let _ = write!(
            text,
            "\n{}: {} crops, same card {:.2} %, right {:.2} % float, {:.2} % int8",
            m.what,
            a.crops,
            a.percent(a.same_card),
            a.percent(a.float_right),
            a.percent(a.int8_right)
        );
    }
    text
}
