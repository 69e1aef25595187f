//! `setsight dataset convert`: each form of labels, and each oddity of their files, by an example
//! that was made up. The tables in docs/reference/labels.md name these tests.

use crate::common::{Ran, World, pictures::*};
use image::ImageFormat;
use serde_json::{Value, json};
use setsight_photo::labels::{CardLabel, LabelFile, PhotoLabel, read_crop_labels};

/// A photo of 64x48 pixels.
pub(crate) fn photo(world: &World, name: &str) {
    world.file(name, &encoded(bare_table(64, 48), ImageFormat::Png));
}

pub(crate) fn convert(world: &World, from: &str, options: &[&str]) -> Ran {
    std::fs::remove_dir_all(world.path().join("out")).ok();
    world.run(&[&["dataset", "convert", from, "--out", "out"], options].concat())
}

pub(crate) fn photos(world: &World) -> Vec<PhotoLabel> {
    LabelFile::read(&world.path().join("out")).unwrap().photos().unwrap()
}

/// A card's code, its centre and its corners in whole pixels.
pub(crate) fn told(card: &CardLabel) -> (String, [i64; 2], Option<[[i64; 2]; 4]>) {
    let whole = |v: f64| v.round() as i64;
    let corners = card.corners.map(|quad| quad.0.map(|p| [whole(p.x), whole(p.y)]));
    (card.code.to_string(), [whole(card.center.x), whole(card.center.y)], corners)
}

/// A card's code, its centre, and its corners if they are told.
pub(crate) type Expected<'a> = (&'a str, [i64; 2], Option<[[i64; 2]; 4]>);

/// Asserts that the only photo has these cards.
#[track_caller]
pub(crate) fn one_photo(world: &World, from: &str, form: &str, cards: &[Expected]) {
    let ran = convert(world, from, &[]).expect(0);
    assert!(ran.stdout.trim().ends_with(&format!("from {form}")), "{}", ran.stdout);
    let photos = photos(world);
    assert_eq!(photos.len(), 1);
    let expected: Vec<_> =
        cards.iter().map(|(code, at, quad)| (code.to_string(), *at, *quad)).collect();
    assert_eq!(photos[0].cards.iter().map(told).collect::<Vec<_>>(), expected);
}

/// The files and codes of the crops, in the order of the files.
#[track_caller]
pub(crate) fn crops(world: &World, from: &str, form: &str) -> Vec<(String, String)> {
    let ran = convert(world, from, &[]).expect(0);
    assert!(ran.stdout.trim().ends_with(&format!("from {form}")), "{}", ran.stdout);
    let labels = read_crop_labels(&world.path().join("out")).unwrap();
    let mut crops: Vec<_> =
        labels.into_iter().map(|label| (label.file, label.code.to_string())).collect();
    crops.sort();
    crops
}

pub(crate) fn pair(file: &str, code: &str) -> (String, String) {
    (file.to_owned(), code.to_owned())
}

pub(crate) const BOX: (&str, [i64; 2], Option<[[i64; 2]; 4]>) = ("2spd", [20, 25], None);
pub(crate) const QUAD: [[i64; 2]; 4] = [[10, 10], [50, 14], [46, 40], [8, 36]];

#[test]
fn pascal_voc() {
    let world = World::new();
    photo(&world, "set/JPEGImages/a.png");
    let object = |name: &str, place: &str| format!("<object><name>{name}</name>{place}</object>");
    let voc = |objects: &str| {
        format!(
            "<?xml version=\"1.0\"?>\n<annotation verified=\"yes\"><folder>x</folder>\
             <filename>a.png</filename><path>C:\\photos\\a.png</path><size><width>64</width>\
             <height>48</height><depth>3</depth></size>{objects}</annotation>\n"
        )
    };
    let bounds = "<bndbox><xmin>10</xmin><ymin>20</ymin><xmax>30</xmax><ymax>30.0</ymax></bndbox>";
    let polygon = "<polygon><x1>10</x1><y1>10</y1><x2>50</x2><y2>14</y2><x3>46</x3><y3>40</y3>\
                   <x4>8</x4><y4>36</y4></polygon>";
    // roLabelImg: a quarter turn and a half, about the middle.
    let turned =
        "<robndbox><cx>32</cx><cy>24</cy><w>20</w><h>10</h><angle>0.785398</angle></robndbox>";
    let objects =
        object("2spd", bounds) + &object("RedSquiggleOneSolid", polygon) + &object("1ogo", turned);
    world.file("set/Annotations/a.xml", voc(&objects).as_bytes());
    let corners = Some([[28, 13], [43, 28], [36, 35], [21, 20]]);
    let squiggle = ("1frs", [28, 25], Some(QUAD));
    let expected = [BOX, squiggle, ("1ogo", [32, 24], corners)];
    one_photo(&world, "set", "voc", &expected);
    one_photo(&world, "set/Annotations/a.xml", "voc", &expected);

    // What could grow without end, or read another file, is refused.
    let entities =
        "<!DOCTYPE x [<!ENTITY a SYSTEM \"file:///etc/passwd\">]><annotation>&a;</annotation>";
    world.file("set/Annotations/a.xml", entities.as_bytes());
    let ran = convert(&world, "set", &[]).expect(1);
    assert!(ran.stderr.contains("a.xml: is no XML as it should be"), "{}", ran.stderr);
    let nowhere = voc(&object("2spd", "<bndbox><xmin>1</xmin></bndbox>"));
    world.file("set/Annotations/a.xml", nowhere.as_bytes());
    let ran = convert(&world, "set", &[]).expect(1);
    assert!(ran.stderr.contains("object 1 (2spd) says no place"), "{}", ran.stderr);
    let deep = "<annotation>".repeat(200_000);
    world.file("set/Annotations/a.xml", deep.as_bytes());
    let ran = convert(&world, "set", &[]).expect(1);
    assert!(ran.stderr.contains("a.xml: is no XML as it should be"), "{}", ran.stderr);
}

#[test]
fn labelme() {
    let world = World::new();
    photo(&world, "set/a.png");
    let shape = |label: &str, kind: &str, points: Value| json!({"label": label, "shape_type": kind, "points": points, "flags": {}});
    let labels = json!({
        "version": "5.4", "flags": {}, "imagePath": "..\\photos\\a.png", "imageData": "AAAA",
        "imageWidth": 64, "imageHeight": 48,
        "shapes": [
            shape("2spd", "rectangle", json!([[30, 30], [10, 20]])),
            shape("1frs", "polygon", json!([[10, 10], [50, 14], [46, 40], [8, 36]])),
            shape("1ogo", "point", json!([[15, 16]])),
        ],
    });
    world.file("set/a.json", labels.to_string().as_bytes());
    let expected = [BOX, ("1frs", [28, 25], Some(QUAD)), ("1ogo", [15, 16], None)];
    one_photo(&world, "set", "labelme", &expected);
    let line = json!({"imagePath": "a.png", "shapes": [shape("2spd", "line", json!([[1, 1]]))]});
    world.file("set/a.json", line.to_string().as_bytes());
    let ran = convert(&world, "set", &[]).expect(1);
    assert!(ran.stderr.contains("shape 1 (2spd) has too few points"), "{}", ran.stderr);
}

#[test]
fn tables_of_boxes() {
    let world = World::new();
    photo(&world, "set/a.png");
    for (table, cards) in [
        // TensorFlow's, as Roboflow writes it.
        (
            "filename,width,height,class,xmin,ymin,xmax,ymax\na.png,64,48,2spd,10,20,30,30\n",
            &[BOX][..],
        ),
        ("label;ymin;xmin;ymax;xmax;image\r\n2spd;20;10;30;30;a.png\r\n;;;;;\r\n", &[BOX]),
        ("sep=;\r\nfile;code;x;y\r\na.png;2spd;20;25\r\n", &[BOX]),
        // A photo without a card.
        ("filename,class,xmin,ymin,xmax,ymax\na.png,,,,,\n", &[]),
    ] {
        world.file("set/labels.csv", table.as_bytes());
        one_photo(&world, "set", "csv", cards);
    }
}

#[test]
fn tables_of_crops() {
    let world = World::new();
    for name in ["a.png", "b.png"] {
        photo(&world, &format!("set/{name}"));
    }
    let expected = [pair("../set/a.png", "2spd"), pair("../set/b.png", "1frs")];
    for table in [
        // A column for each property, under the name of the program's own labels.
        "file,number,color,shading,shape\na.png,two,purple,striped,diamond\nb.png,1,red,solid,squiggle\n",
        "image,label\na.png,two striped purple diamonds\nb.png,1frs\n",
    ] {
        world.file("set/labels.csv", table.as_bytes());
        assert_eq!(crops(&world, "set", "csv"), expected);
    }
    world.file("set/labels.csv", b"file,label\na.png,2spd\na.png,1frs\n");
    let ran = convert(&world, "set", &[]).expect(1);
    assert!(ran.stderr.contains("line 3: a.png is there twice"), "{}", ran.stderr);
    // The program's own form is still known as that.
    world.file("set/labels.csv", b"file,code\na.png,2spd\n");
    let ran = convert(&world, "set", &[]).expect(2);
    assert!(ran.stderr.contains("labels.csv is in the program's own form"), "{}", ran.stderr);
}

/// A region of Label Studio's: a part of a picture of 64x48 pixels, in per cent.
fn region(labels: &str, class: &str, place: Value) -> Value {
    let mut value = place;
    value[labels] = json!([class]);
    value
}

#[test]
fn label_studio() {
    let world = World::new();
    photo(&world, "set/media/a b.png");
    let a_box =
        json!({"x": 15.625, "y": 41.6667, "width": 31.25, "height": 20.8333, "rotation": 0});
    // A quarter turn about the left top corner.
    let turned = json!({"x": 50, "y": 25, "width": 31.25, "height": 20.8333, "rotation": 30});
    let polygon =
        json!({"points": [[15.625, 20.8333], [78.125, 29.1667], [71.875, 83.3333], [12.5, 75]]});
    let result = |id: &str, value: Value| json!({"id": id, "value": value, "original_width": 64, "original_height": 48});
    let corners = Some([[32, 12], [49, 22], [44, 31], [27, 21]]);
    let expected = [BOX, ("1frs", [28, 25], Some(QUAD)), ("1ogo", [38, 21], corners)];
    // What is said of a region in choices belongs to its label.
    let task = json!({
        "id": 7, "file_upload": "0a1b2c3d-a b.png",
        "data": {"image": "/data/upload/1/0a1b2c3d-a%20b.png"},
        "annotations": [{"was_cancelled": false, "result": [
            result("r1", region("rectanglelabels", "card", a_box.clone())),
            result("r1", json!({"choices": ["two", "striped", "purple", "diamond"]})),
            result("r2", region("polygonlabels", "1frs", polygon.clone())),
            result("r3", region("rectanglelabels", "1ogo", turned.clone())),
        ]}, {"was_cancelled": true, "result": []}],
    });
    world.file("set/project.json", json!([task]).to_string().as_bytes());
    one_photo(&world, "set", "label-studio", &expected);
    std::fs::remove_file(world.path().join("set/project.json")).unwrap();

    let min = |value: Value, labels: &str, class: &str| {
        let mut value = region(labels, class, value);
        value["original_width"] = json!(64);
        value["original_height"] = json!(48);
        value
    };
    let regions = json!([
        min(a_box, "rectanglelabels", "2spd"),
        min(polygon, "polygonlabels", "1frs"),
        min(turned, "rectanglelabels", "1ogo"),
    ]);
    let address = "/data/local-files/?d=media/a%20b.png";
    let task =
        json!({"image": address, "id": 7, "label": regions, "annotator": 1, "annotation_id": 3});
    world.file("set/min.json", json!([task]).to_string().as_bytes());
    one_photo(&world, "set", "label-studio", &expected);
    std::fs::remove_file(world.path().join("set/min.json")).unwrap();

    let cell = regions.to_string().replace('"', "\"\"");
    let table = format!("image,id,label,annotator,annotation_id\n{address},7,\"{cell}\",1,3\n");
    world.file("set/project.csv", table.as_bytes());
    one_photo(&world, "set", "label-studio", &expected);
    let table = format!("image,id,choice,annotator,annotation_id\n{address},7,2spd,1,3\n");
    world.file("set/project.csv", table.as_bytes());
    assert_eq!(crops(&world, "set", "label-studio"), [pair("../set/media/a b.png", "2spd")]);
}

#[test]
fn yolo_poses_and_darknet() {
    let world = World::new();
    photo(&world, "set/images/a.png");
    world.file("set/data.yaml", b"kpt_shape: [4, 3]\nnames: [2spd, 1frs]\n");
    // A box and four keypoints, the last not visible; then four that are the corners, in the order
    // of lines of writing.
    let lines = "0 0.3125 0.5208333 0.3 0.2 0.2 0.2 2 0.4 0.2 2 0.2 0.3 2 0 0 0\n\
                 1 0.45 0.5 0.6 0.6 0.15625 0.2083333 2 0.78125 0.2916667 1 0.125 0.75 2 0.71875 0.8333333 2\n";
    world.file("set/labels/a.txt", lines.as_bytes());
    let expected = [BOX, ("1frs", [28, 25], Some([QUAD[0], QUAD[1], QUAD[2], QUAD[3]]))];
    one_photo(&world, "set", "yolo", &expected);

    // Roboflow's Darknet: the names stand in each part's folder.
    let world = World::new();
    photo(&world, "set/train/a.png");
    world.file("set/train/_darknet.labels", b"1frs\n2spd\n");
    world.file("set/train/a.txt", b"1 0.3125 0.5208333 0.3125 0.2083333\n");
    one_photo(&world, "set", "yolo", &[BOX]);
}

#[test]
fn coco_keypoints() {
    let world = World::new();
    photo(&world, "set/a.png");
    let keypoints = json!([10, 10, 2, 50, 14, 2, 8, 36, 1, 46, 40, 2]);
    let labels = json!({
        "images": [{"id": 1, "file_name": "a.png"}],
        "categories": [{"id": 1, "name": "1frs"}],
        "annotations": [{"image_id": 1, "category_id": 1, "bbox": [8, 10, 42, 30], "keypoints": keypoints}],
    });
    world.file("set/coco.json", labels.to_string().as_bytes());
    one_photo(&world, "set", "coco", &[("1frs", [28, 25], Some(QUAD))]);
}

#[test]
fn folders_for_each_property() {
    let world = World::new();
    photo(&world, "set/train/one/red/oval/solid/1.png");
    photo(&world, "set/train/two/purple/diamond/striped/1.png");
    let expected = [
        pair("../set/train/one/red/oval/solid/1.png", "1fro"),
        pair("../set/train/two/purple/diamond/striped/1.png", "2spd"),
    ];
    assert_eq!(crops(&world, "set", "folders"), expected);
    photo(&world, "set/train/one/red/oval/2.png");
    let ran = convert(&world, "set", &[]).expect(1);
    assert!(ran.stderr.contains("oval (used 1 times): it says no number"), "{}", ran.stderr);
}

/// Text as editors and spreadsheets of Windows write it.
fn encodings(text: &str) -> [Vec<u8>; 3] {
    let marked = format!("\u{feff}{text}");
    let utf16 = |bytes: fn(u16) -> [u8; 2]| marked.encode_utf16().flat_map(bytes).collect();
    [marked.clone().into_bytes(), utf16(u16::to_le_bytes), utf16(u16::to_be_bytes)]
}

#[test]
fn byte_order_marks_and_utf16() {
    let world = World::new();
    photo(&world, "yolo/a.png");
    photo(&world, "coco/a.png");
    photo(&world, "voc/a.png");
    photo(&world, "table/a.png");
    let coco = json!({
        "images": [{"id": 1, "file_name": "a.png"}],
        "categories": [{"id": 1, "name": "2spd"}],
        "annotations": [{"image_id": 1, "category_id": 1, "bbox": [10, 20, 20, 10]}],
    });
    let voc = "<annotation><filename>a.png</filename><object><name>2spd</name><bndbox><xmin>10</xmin>\
               <ymin>20</ymin><xmax>30</xmax><ymax>30</ymax></bndbox></object></annotation>";
    let of = |text: &str| encodings(text).into_iter();
    let files = of("1frs\r\n2spd\r\n")
        .zip(of("1 0.3125 0.5208333 0.3125 0.2083333\r\n"))
        .zip(of(&coco.to_string()).zip(of(voc)).zip(of("file,code,x,y\r\na.png,2spd,20,25\r\n")));
    for ((names, line), ((coco, voc), table)) in files {
        world.file("yolo/classes.txt", &names);
        world.file("yolo/a.txt", &line);
        one_photo(&world, "yolo", "yolo", &[BOX]);
        world.file("coco/a.json", &coco);
        one_photo(&world, "coco", "coco", &[BOX]);
        world.file("voc/a.xml", &voc);
        one_photo(&world, "voc", "voc", &[BOX]);
        world.file("table/a.csv", &table);
        one_photo(&world, "table", "csv", &[BOX]);
        // The program's own labels.
        let own = std::fs::read_to_string(world.path().join("out/labels.json")).unwrap();
        for own in encodings(&own.replace("../table/", "")) {
            world.file("table/labels.json", &own);
            let read = LabelFile::read(&world.path().join("table")).unwrap().photos().unwrap();
            assert_eq!(told(&read[0].cards[0]).0, "2spd");
        }
        std::fs::remove_file(world.path().join("table/labels.json")).unwrap();
    }
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let world = World::new();
    photo(&world, "set/a.png");
    world.file("set/labels.json", b"{\"images\": [");
    let ran = convert(&world, "set", &[]).expect(2);
    assert!(ran.stderr.contains("no labels of a known form there"), "{}", ran.stderr);
    assert!(ran.stderr.contains("set/labels.json: is no JSON"), "{}", ran.stderr);
}
