//! A file or folder that this program did not write, where a command would write its own, survives.

use crate::common::World;
use crate::common::pictures::small_png;

/// A file that is somebody's, and a call that would write there.
struct Case {
    file: &'static str,
    call: &'static str,
    code: i32,
}

const fn refused(file: &'static str, call: &'static str) -> Case {
    Case { file, call, code: 2 }
}

const CASES: &[Case] = &[
    // Work that goes on.
    refused("mine", "scan tables -f json --resume mine"),
    refused("out/training/mine.jpg", "train --add tables --out out --resume"),
    Case { code: 1, ..refused("out/config.json", "train finder --out out --resume") },
    // Folders of results.
    Case { code: 1, ..refused("out/index.html", "scan tables --out out") },
    Case { code: 1, ..refused("out/results.jsonl", "scan tables --out out") },
    Case { code: 1, ..refused("out/results.partial.jsonl", "scan tables --out out") },
    refused("out/index.html", "eval tables --report out"),
    refused("out/figures.json", "eval tables --report out"),
    refused("out/index.html", "dataset check tables --report out"),
    refused("out/results.csv", "compare --experiment v=3,p=2,n=1 --solver cover --out out"),
    refused("out/index.html", "compare --experiment v=3,p=2,n=1 --solver cover --out out"),
    refused("out/uniformity.csv", "compare --uniformity --games 5 --out out"),
    refused("out/uniformity.html", "compare --uniformity --games 5 --out out"),
    Case { code: 1, ..refused("out/labels.json", "dataset convert cards --out out") },
    // What is drawn.
    refused("out/mine.jpg", "render --count 1 --out out"),
    refused("out/labels.json", "render --count 1 --out out"),
    refused("film.jsonl", "render --video film.avi --seconds 0.1 --size 64x48"),
    refused("film.avi", "live --url http://127.0.0.1:9 --headless --record film.avi"),
    // Networks.
    refused("out/reader.onnx", "train reader --out out"),
    refused("out/finder.onnx", "train finder --out out"),
    refused("out/refiner.onnx", "train refiner --out out"),
    Case { code: 1, ..refused("out/checkpoint.safetensors", "train finder --out out") },
    Case { code: 1, ..refused("out/curve.csv", "train finder --out out") },
    refused("out/finder.onnx", "train --add tables --out out"),
    refused("out/fusion.json", "train --add tables --out out"),
    refused("out/worth.html", "train --add tables --out out"),
    Case { code: 1, ..refused("mine", "train reader --out out --keep-drawn mine") },
    refused("out/mine.txt", "export h7 --out out --overwrite"),
    refused("out-preview.png", "export h7 --out out --preview tables/plain-0001.jpg"),
];

#[test]
fn what_is_somebodys_is_not_replaced() {
    const MINE: &[u8] =
        b"{\"mine\": \"of a person, on one line, and longer than any head of a file\"}";
    let mut wrong = Vec::new();
    for Case { file, call, code } in CASES {
        let world = World::new();
        tables(&world);
        world.file("cards/2spd/1.png", &small_png());
        let path = world.file(file, MINE);
        let ran = world.run(&call.split(' ').collect::<Vec<_>>());
        let name = file.rsplit('/').next().unwrap();
        let is_named = ran.stderr.contains(name) || ran.stderr.contains("out");
        if std::fs::read(path).ok().as_deref() != Some(MINE) || ran.code != *code || !is_named {
            wrong.push(format!("{file}: {call}: {}\n{}", ran.code, ran.stderr));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A drawn table with its labels.
fn tables(world: &World) {
    let draw = "render --kind plain --cards 2 --count 1 --size 160x120 --out tables";
    world.run(&draw.split(' ').collect::<Vec<_>>()).expect(0);
}
