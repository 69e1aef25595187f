//! What every command prints as JSON, held against its schema in docs/reference/schemas.

use crate::common::{Start, World};
use boon::{Compiler, Schemas};
use serde_json::Value;
use setsight_vision::output::CSV_HEADER;
use std::path::{Path, PathBuf};

fn schema_file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("docs/reference/schemas")
        .join(format!("{name}.json"))
}

/// Asserts that a line has the form that its schema states, `version` first.
#[track_caller]
fn holds(name: &str, line: &Value) {
    if let Err(reason) = valid(name, line) {
        panic!("{name}: {reason}\n{line:#}");
    }
    assert_eq!(line.as_object().and_then(|o| o.keys().next()).map(String::as_str), Some("version"));
}

/// Readers accept members that a schema does not name. Here they are refused, so that a new member
/// is noticed and gets its line in the schema.
pub fn valid(name: &str, line: &Value) -> Result<(), String> {
    let file = schema_file(name);
    let mut schema: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    close(&mut schema);
    let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
    let file = file.display().to_string();
    compiler.add_resource(&file, schema).unwrap();
    let index = compiler.compile(&file, &mut schemas).unwrap_or_else(|e| panic!("{name}: {e:#}"));
    schemas.validate(line, index).map_err(|error| format!("{error:#}"))
}

/// Refuses members that are not named.
fn close(schema: &mut Value) {
    if let Value::Object(members) = schema {
        let names_members = members.get("properties").is_some_and(Value::is_object)
            && members.get("type").is_some_and(|kind| kind == "object");
        if names_members {
            members.entry("additionalProperties").or_insert(false.into());
        }
        members.values_mut().for_each(close);
    } else if let Value::Array(items) = schema {
        items.iter_mut().for_each(close);
    }
}

/// The lines of a call that goes well, each held against the schema.
#[track_caller]
fn lines(world: &World, name: &str, args: &str) -> Vec<Value> {
    let args: Vec<&str> = args.split_whitespace().chain(["--format", "json"]).collect();
    let lines = world.run(&args).expect(0).json();
    assert!(!lines.is_empty());
    for line in &lines {
        holds(name, line);
    }
    lines
}

#[test]
fn a_line_of_another_form_is_noticed() {
    let world = World::new();
    let line = lines(&world, "sets", "sets 1fgd 2fgd 3fgd").remove(0);
    assert!(valid("sets", &line).is_ok());
    for (name, value) in [
        ("version", 2.into()),
        ("cards", Value::Null),
        ("surprise", 1.into()),
        ("sets", serde_json::json!([[0, 1]])),
        ("sets", serde_json::json!([[-1, 0, 1]])),
    ] {
        let mut wrong = line.clone();
        wrong[name] = value;
        assert!(valid("sets", &wrong).is_err(), "{wrong}");
    }
}

/// What has no column is named here.
#[test]
fn csv_has_the_columns_that_the_schema_names() {
    let schema = std::fs::read(schema_file("scan")).unwrap();
    let schema: Value = serde_json::from_slice(&schema).unwrap();
    let members = schema["$defs"]["card"]["properties"].as_object().unwrap().keys();
    let names = members.map(String::as_str).filter(|m| !["alternatives", "properties"].contains(m));
    let columns: Vec<&str> =
        names.map(|m| if m == "corners" { "x1,y1,x2,y2,x3,y3,x4,y4" } else { m }).collect();
    assert_eq!(CSV_HEADER, format!("image,card,{},sets,error\n", columns.join(",")));
}

#[test]
fn the_page_lists_the_schemas_and_no_other() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference/json.md");
    let page = std::fs::read_to_string(page).unwrap();
    let mut schemas = 0;
    for entry in std::fs::read_dir(schema_file("x").parent().unwrap()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(page.contains(&format!("(schemas/{name})")), "{name}");
        schemas += 1;
    }
    assert_eq!(page.matches("(schemas/").count(), schemas);
}

#[cfg(unix)]
#[test]
fn what_is_odd_about_a_photo() {
    use crate::common::pictures::{bare_table, encoded};
    use image::ImageFormat;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let world = World::new();
    let jpeg = encoded(bare_table(640, 480), ImageFormat::Jpeg);
    let photo = world.path().join(OsStr::from_bytes(b"\xff.jpg"));
    std::fs::write(&photo, &jpeg[..jpeg.len() - 500]).unwrap();
    let broken = world.path().join(OsStr::from_bytes(b"\xfe.jpg"));
    std::fs::write(&broken, b"no picture").unwrap();
    for (name, more) in [("scan", None), ("scan-only-sets", Some("--only-sets"))] {
        let mut command = world.command(&["scan", "--format", "json"]);
        let ran = command.args([&photo, &broken]).args(more).ended();
        for line in crate::common::Ran::from(ran).expect(1).json() {
            holds(name, &line);
            assert!(line["image_bytes"].is_string(), "{line}");
        }
    }
}

#[test]
fn games_and_boards() {
    let world = World::new();
    for args in [
        "sets 1fgd 2fgd 3fgd 1ord",
        "sets 1fgd 2fgd",
        "sets 1fgd 2fgd 3fgd --hint 2",
        "sets 1fgd 2fgd 1ord 2srs --hint 1",
        "sets 1fgd 2fgd 3fgd 1ord --why",
        "sets 2spd 2spd 1ord 2srs",
        "sets --random 12 --seed 3",
        "sets --random 81 --seed 3",
    ] {
        lines(&world, "sets", args);
    }
    lines(&world, "general", "general --values 4 --sets 2 --games 3");
    lines(&world, "general", "general --sets 27 --games 2 --seed 4");
    world.file("cards", b"0120 1021 2222 0000");
    for more in ["", " --all", " --count", " --solver brute"] {
        lines(&world, "general-board", &format!("general --board cards{more}"));
    }
    for deck in ["--properties 2", "--values 4 --properties 5", "--values 128 --properties 1"] {
        lines(&world, "caps", &format!("caps --deals 20 {deck}"));
    }
    lines(&world, "simulate", "simulate --games 2000");
    let out = "--out made --budget 0.3";
    let line = lines(
        &world,
        "compare",
        &format!(
            "compare {out} --games 2 --solver dynamic,cover --experiment v=3,p=4,n=2..3 --experiment \
             v=7,p=5,n=1"
        ),
    );
    assert_eq!(line[0]["experiments"][0]["cells"].as_array().unwrap().len(), 4);
    let hopeless = format!("compare {out} --games 2 --solver brute --experiment v=7,p=5,n=1");
    let line = lines(&world, "compare", &hopeless);
    assert_eq!(line[0]["experiments"][0]["cells"][0]["stopped"], "out of time");
    let line = lines(&world, "compare-uniformity", "compare --out made --uniformity");
    assert_eq!(line[0]["histograms"].as_array().unwrap().len(), 4);
}

mod photos {
    use super::*;
    use crate::common::pictures::{encoded, small_png};
    use image::ImageFormat;

    const SAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/datasets/samples");

    /// Two of the drawn tables with their labels, and what is no photo.
    fn world() -> World {
        let world = World::new();
        let folder = Path::new(SAMPLES);
        for name in ["1-plain-on-wood.jpg", "8-overlap.jpg"] {
            world.file(&format!("photos/{name}"), &std::fs::read(folder.join(name)).unwrap());
        }
        let labels = std::fs::read(folder.join("labels.json")).unwrap();
        let mut labels: Value = serde_json::from_slice(&labels).unwrap();
        let photos = labels["photos"].as_array_mut().unwrap();
        photos.retain(|photo| {
            world.path().join("photos").join(photo["file"].as_str().unwrap()).exists()
        });
        assert_eq!(photos.len(), 2);
        world.file("photos/labels.json", labels.to_string().as_bytes());
        world.file("bad.jpg", b"no photo");
        world.file("empty.png", &small_png());
        world
    }

    #[test]
    fn photos_read_and_unread() {
        let world = world();
        let scanned = lines(&world, "scan", "scan photos --out found");
        let kept = std::fs::read_to_string(world.path().join("found/results.jsonl")).unwrap();
        for line in crate::common::json_lines(&kept) {
            holds("scan", &line);
        }
        lines(&world, "scan", "scan empty.png --finder classical --reader classical");
        for only_sets in [&[][..], &["--only-sets"]] {
            let call =
                [&["scan", "bad.jpg", "nowhere.jpg", "--format", "json"][..], only_sets].concat();
            let bad = world.run(&call).expect(1);
            let name = if only_sets.is_empty() { "scan" } else { "scan-only-sets" };
            assert_eq!(bad.json().len(), 2);
            bad.json().iter().for_each(|line| holds(name, line));
        }
        // The indices of one are the codes of the other.
        let only = lines(&world, "scan-only-sets", "scan photos --only-sets");
        for (line, only) in scanned.iter().zip(only) {
            let sets: Vec<[usize; 3]> = serde_json::from_value(line["sets"].clone()).unwrap();
            let codes: Vec<[Value; 3]> =
                sets.iter().map(|set| set.map(|i| line["cards"][i]["code"].clone())).collect();
            assert!(!codes.is_empty());
            assert_eq!(only["sets"], serde_json::json!(codes));
        }
    }

    #[test]
    fn figures_of_labelled_photos() {
        let world = world();
        let line = lines(&world, "eval", "eval photos --report report").remove(0);
        world.file("before.json", line.to_string().as_bytes());
        let kept = std::fs::read_to_string(world.path().join("report/figures.json")).unwrap();
        holds("eval", &serde_json::from_str(&kept).unwrap());
        lines(&world, "eval", "eval photos --baseline before.json --reader classical");
        let all = lines(&world, "eval", "eval photos --all-readers --finder classical");
        assert!(all[0]["readers"].as_object().unwrap().contains_key("classical"));
        lines(&world, "dataset-check", "dataset check photos");
    }

    #[test]
    fn frames_of_a_film() {
        let world = World::new();
        let folder = world.path().join("frames");
        std::fs::create_dir(&folder).unwrap();
        let table = image::open(Path::new(SAMPLES).join("1-plain-on-wood.jpg")).unwrap();
        for name in ["1.png", "2.png"] {
            std::fs::write(folder.join(name), encoded(table.clone(), ImageFormat::Png)).unwrap();
        }
        assert_eq!(lines(&world, "live", "live --video frames --headless").len(), 2);
        let film = format!("live --video {SAMPLES}/9-film.avi --headless --frames 20");
        let filmed = lines(&world, "live", &film);
        assert!(filmed.iter().any(|line| !line["sets"].as_array().unwrap().is_empty()));
    }
}
