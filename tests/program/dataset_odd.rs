//! `setsight dataset convert` on labels that are not quite as they should be: what is left out, and
//! what is refused. The table in docs/reference/labels.md names these tests.

use crate::common::World;
use crate::dataset_forms::*;
use serde_json::{Value, json};

/// A world with the photo `set/a.png` of 64x48 pixels.
fn world() -> World {
    let world = World::new();
    photo(&world, "set/a.png");
    world
}

/// Asserts that a conversion is refused with these words.
#[track_caller]
fn refused(world: &World, words: &[&str]) {
    let ran = convert(world, "set", &[]).expect(1);
    for word in words {
        assert!(ran.stderr.contains(word), "no \"{word}\" in: {}", ran.stderr);
    }
}

/// Asserts that the only photo has these cards, and that the table has these lines.
#[track_caller]
fn taken(world: &World, form: &str, cards: &[Expected], lines: &[&str]) {
    one_photo(world, "set", form, cards);
    let ran = convert(world, "set", &[]).expect(0);
    for line in lines {
        assert!(ran.stderr.contains(line), "no \"{line}\" in: {}", ran.stderr);
    }
}

fn coco(images: Value, categories: Value, annotations: Value) -> Vec<u8> {
    json!({"images": images, "categories": categories, "annotations": annotations})
        .to_string()
        .into_bytes()
}

fn voc(name: &str, objects: &[(&str, [&str; 4])]) -> String {
    let object = |(class, [x, y, x2, y2]): &(&str, [&str; 4])| {
        format!(
            "<object><name>{class}</name><bndbox><xmin>{x}</xmin><ymin>{y}</ymin><xmax>{x2}</xmax>\
             <ymax>{y2}</ymax></bndbox></object>"
        )
    };
    let objects: String = objects.iter().map(object).collect();
    format!("<annotation><filename>{name}</filename>{objects}</annotation>")
}

const PLACE: [&str; 4] = ["10", "20", "30", "30"];

#[test]
fn shares_and_thousands_are_no_pixels() {
    let near = "2spd lies within the picture's first 10 pixels; expected pixels, such as 1024";
    let shares = ["0.15625", "0.416667", "0.46875", "0.625"];
    let shape = json!({"label": "2spd", "shape_type": "rectangle",
                       "points": [[0.15625, 0.416667], [0.46875, 0.625]]});
    let table = |x: &str| format!("file;code;x;y\na.png;2spd;{x};{x}\n");
    for (file, text, why) in [
        ("a.xml", voc("a.png", &[("2spd", shares)]), near),
        ("a.json", coco_with(json!([0.15625, 0.416667, 0.3125, 0.208333])), near),
        ("a.json", coco_with(json!([0, 0, 1, 1])), near),
        ("a.json", json!({"imagePath": "a.png", "shapes": [shape]}).to_string(), near),
        ("a.csv", table("1.024"), near),
        ("a.csv", table("1,024"), "line 2: x is \"1,024\"; expected pixels, such as 1024 or 20.5"),
        (
            "a.xml",
            voc("a.png", &[("2spd", ["1,0", "2", "30", "30"])]),
            "object 1 (2spd) says no place",
        ),
        ("a.json", coco_with(json!(["10", 20, 20, 10])), "annotation 1 says no place"),
    ] {
        let world = world();
        world.file(&format!("set/{file}"), text.as_bytes());
        refused(&world, &[why]);
    }
}

/// COCO's JSON of one object in a.png.
fn coco_with(place: Value) -> String {
    let images = json!([{"id": 1, "file_name": "a.png"}]);
    let marks = json!([{"image_id": 1, "category_id": 1, "bbox": place}]);
    String::from_utf8(coco(images, json!([{"id": 1, "name": "2spd"}]), marks)).unwrap()
}

#[test]
fn columns_that_nobody_can_tell_are_refused() {
    for (table, column) in [
        ("image,label,bbox\na.png,2spd,\"[10, 20, 20, 10]\"\n", "bbox"),
        // The card's size, or the photo's?
        ("image,label,x,y,width,height\na.png,2spd,20,25,20,10\n", "width"),
        ("image,label,xmin,ymin\na.png,2spd,10,20\n", "xmin"),
        ("file,code,class\na.png,2spd,2spd\n", "class"),
    ] {
        let world = world();
        world.file("set/a.csv", table.as_bytes());
        refused(&world, &[&format!("a.csv: the column \"{column}\" is not known there; expected")]);
    }
}

#[test]
fn pictures_are_found_by_their_names() {
    let world = World::new();
    photo(&world, "set/May/a.png");
    world.file("set/x.xml", voc("C:\\photos\\a.png", &[("2spd", PLACE)]).as_bytes());
    one_photo(&world, "set", "voc", &[BOX]);
    photo(&world, "set/June/a.png");
    world.file("set/x.xml", voc("June/a.png", &[("2spd", PLACE)]).as_bytes());
    one_photo(&world, "set", "voc", &[BOX]);
    assert_eq!(photos(&world)[0].file, "../set/June/a.png");
    for (name, why) in [
        ("/home/ann/a.png", "/home/ann/a.png may be any of"),
        ("A.PNG", "A.PNG is labelled but not there; call the photo exactly so"),
        ("a.jpg", "a.jpg is labelled but not there; call the photo exactly so"),
        ("", "names no photo; write its file's name there"),
    ] {
        world.file("set/x.xml", voc(name, &[("2spd", PLACE)]).as_bytes());
        refused(&world, &[why]);
    }

    let world = self::world();
    let value = json!({"x": 15.625, "y": 41.6667, "width": 31.25, "height": 20.8333,
                       "rectanglelabels": ["2spd"]});
    let result = json!([{"id": "r", "value": value, "original_width": 64, "original_height": 48}]);
    let address = "s3://bucket/0a1b2c3d-a.png?signature=abc";
    let task = json!([{"data": {"image": address}, "annotations": [{"result": result}]}]);
    world.file("set/project.json", task.to_string().as_bytes());
    one_photo(&world, "set", "label-studio", &[BOX]);
}

#[test]
fn one_odd_object_is_refused() {
    let flat = ["5", "5", "5", "5"];
    for (objects, why) in [
        (
            [("2spd", PLACE), ("2spd", PLACE)],
            "card 2spd is labelled twice, at (20, 25) and at (20, 25)",
        ),
        ([("2spd", PLACE), ("1ogo", flat)], "1ogo has no area; draw it anew or take it out; in"),
        ([("2spd", PLACE), ("", PLACE)], "an object has no label; give it one or take it out, in"),
    ] {
        let world = world();
        world.file("set/a.xml", voc("a.png", &objects).as_bytes());
        refused(&world, &[why, "set/a.xml: object 2"]);
    }
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_nowhere_is_refused() {
    let world = world();
    world.file("set/a.xml", voc("a.png", &[("2spd", PLACE)]).as_bytes());
    std::os::unix::fs::symlink("gone.png", world.path().join("set/b.png")).unwrap();
    refused(&world, &["set/b.png: cannot be read"]);
}

#[test]
fn coco_is_read_strictly() {
    let world = world();
    let image = json!({"id": 0, "file_name": "a.png", "width": null});
    let category = json!({"id": 1, "name": "2spd"});
    let a_box = json!([10, 20, 20, 10]);
    let good = json!({"image_id": 0, "category_id": 1, "bbox": a_box, "keypoints": null,
                      "segmentation": null});
    world.file("set/a.json", &coco(json!([image]), json!([category]), json!([good])));
    one_photo(&world, "set", "coco", &[BOX]);
    for (mark, word) in [
        (json!({"category_id": 1, "bbox": a_box}), "annotation 1 has no image_id"),
        (json!({"image_id": 0, "bbox": a_box}), "annotation 1 has no category_id"),
        (json!({"image_id": 0, "category_id": 1, "bbox": "x"}), "annotation 1 says no place"),
        (
            json!({"image_id": 77, "category_id": 1, "bbox": a_box}),
            "annotation 1 is of image 77, which is not listed so; write its ID alike or take it out",
        ),
        (
            json!({"image_id": 0, "category_id": "1", "bbox": a_box}),
            "annotation 1 is of category \"1\", which is not listed so; write its ID alike",
        ),
    ] {
        world.file("set/a.json", &coco(json!([image]), json!([category]), json!([mark])));
        refused(&world, &[word]);
    }
    let labels = json!({"images": [image], "annotations": []});
    world.file("set/a.json", labels.to_string().as_bytes());
    refused(&world, &["a.json: looks like COCO, but has no categories"]);
}

#[test]
fn what_nobody_labelled_is_no_photo_without_cards() {
    let world = world();
    photo(&world, "set/b.png");
    let value = json!({"x": 15.625, "y": 41.6667, "width": 31.25, "height": 20.8333,
                       "rectanglelabels": ["2spd"]});
    let result = json!([{"id": "r", "value": value, "original_width": 64, "original_height": 48}]);
    let task = |name: &str, annotations: Value, predictions: Value| json!({"data": {"image": name}, "annotations": annotations, "predictions": predictions});
    let labelled = task("a.png", json!([{"result": result}]), json!([]));
    for other in [
        task("b.png", json!([{"result": [], "was_cancelled": true}]), json!([])),
        task("b.png", json!([]), json!([])),
        task("b.png", json!([]), json!([{"result": result}])),
    ] {
        world.file("set/project.json", json!([other, labelled]).to_string().as_bytes());
        let line =
            "1 photos that nobody labelled are left out, such as set/project.json: task 1 (b.png)";
        taken(&world, "label-studio", &[BOX], &[line]);
    }
    // A photo that somebody has looked at has no cards.
    let empty = task("b.png", json!([{"result": []}]), json!([]));
    world.file("set/project.json", json!([empty, labelled]).to_string().as_bytes());
    convert(&world, "set", &[]).expect(0);
    assert_eq!(photos(&world).len(), 2);
}

/// A file lists the photos of a whole project, also those that nobody has come to yet.
#[test]
fn photos_without_an_object_are_left_out_of_coco_and_cvat() {
    let world = world();
    for name in ["b.png", "c.png"] {
        photo(&world, &format!("set/{name}"));
    }
    let images: Vec<Value> = ["a.png", "b.png", "c.png"]
        .iter()
        .enumerate()
        .map(|(i, name)| json!({"id": i, "file_name": name}))
        .collect();
    let mark = json!([{"image_id": 0, "category_id": 1, "bbox": [10, 20, 20, 10]}]);
    world.file("set/a.json", &coco(json!(images), json!([{"id": 1, "name": "2spd"}]), mark));
    let line = "2 photos that nobody labelled are left out, such as set/a.json: image 2 (b.png)";
    taken(&world, "coco", &[BOX], &[line]);
    std::fs::remove_file(world.path().join("set/a.json")).unwrap();

    let xml = "<annotations><image name=\"a.png\"><box label=\"2spd\" xtl=\"10\" ytl=\"20\" \
               xbr=\"30\" ybr=\"30\"/></image><image name=\"b.png\"></image></annotations>";
    world.file("set/a.xml", xml.as_bytes());
    let line = "1 photos that nobody labelled are left out, such as set/a.xml: b.png";
    taken(&world, "cvat", &[BOX], &[line]);
}

#[test]
fn two_of_one_id_are_refused() {
    let world = world();
    photo(&world, "set/b.png");
    let (a, b) = (json!({"id": 1, "file_name": "a.png"}), json!({"id": 1, "file_name": "b.png"}));
    let (two, one) = (json!({"id": 1, "name": "2spd"}), json!({"id": 1, "name": "1ogo"}));
    let mark = json!([{"image_id": 1, "category_id": 1, "bbox": [10, 20, 20, 10]}]);
    world.file("set/a.json", &coco(json!([a]), json!([two, one]), mark.clone()));
    refused(&world, &["a.json: 2spd and 1ogo are both categories of the ID 1; give each an ID"]);
    world.file("set/a.json", &coco(json!([a, b]), json!([two]), mark));
    refused(&world, &["a.json: a.png and b.png are both images of the ID 1; give each an ID"]);
}

#[test]
fn each_project_has_its_own_list_of_classes() {
    let world = World::new();
    let line = b"1 0.3125 0.5208333 0.3125 0.2083333\n";
    for (project, names) in [("one", "[1fgs, 2spd]"), ("two", "[2spd, 1frs]")] {
        photo(&world, &format!("set/{project}/images/{project}.png"));
        world.file(&format!("set/{project}/labels/{project}.txt"), line);
        world.file(&format!("set/{project}/data.yaml"), format!("names: {names}\n").as_bytes());
    }
    convert(&world, "set", &[]).expect(0);
    let codes: Vec<_> = photos(&world).iter().map(|photo| told(&photo.cards[0]).0).collect();
    assert_eq!(codes, ["2spd", "1frs"]);
    // Two lists for the same labels.
    world.file("set/one/labels/classes.txt", b"1fgs\n2spd\n\n");
    convert(&world, "set", &[]).expect(0);
    for (list, why) in [
        (
            "2spd\n1fgs\n",
            "set/one/data.yaml and set/one/labels/classes.txt list different classes for the same labels",
        ),
        ("1fgs\n\n2spd\n", "set/one/labels/classes.txt: class 1, counted from 0, has no name"),
    ] {
        world.file("set/one/labels/classes.txt", list.as_bytes());
        refused(&world, &[why]);
    }
    std::fs::remove_file(world.path().join("set/one/labels/classes.txt")).unwrap();
    world.file("set/one/data.yaml", b"names: {0: 1fgs, 1: 2spd, 1: 1ogo}\n");
    refused(&world, &["set/one/data.yaml: class 1 is called 2spd and 1ogo"]);
    world.file("set/one/data.yaml", b"names: [1fgs, , 2spd]\n");
    refused(&world, &["set/one/data.yaml: class 1, counted from 0, has no name"]);
}

#[test]
fn boxes_of_negative_size_or_beyond_the_picture_are_refused() {
    let negative = "2spd has the size -20x-10; expected a width and a height above 0";
    let beyond = |from: &str, to: &str| {
        format!("2spd reaches from {from} to {to} and leaves the picture (64x48 pixels)")
    };
    let value = json!({"x": 46.875, "y": 62.5, "width": -31.25, "height": -20.8333,
                       "rectanglelabels": ["2spd"]});
    let result = json!([{"id": "r", "value": value, "original_width": 64, "original_height": 48}]);
    let task = json!([{"data": {"image": "a.png"}, "annotations": [{"result": result}]}]);
    let cvat = "<annotations><image name=\"a.png\"><box label=\"2spd\" xtl=\"30\" ytl=\"30\" xbr=\"10\" \
                ybr=\"20\"/></image></annotations>";
    for (file, text, why) in [
        ("a.json", task.to_string(), negative.to_owned()),
        ("a.json", coco_with(json!([30, 30, -20, -10])), negative.to_owned()),
        ("a.xml", cvat.to_owned(), negative.to_owned()),
        ("a.json", coco_with(json!([50, 20, 20, 10])), beyond("(50, 20)", "(70, 30)")),
        ("a.txt", "0 0.05 0.5 0.2 0.2\n".to_owned(), beyond("(-3, 19)", "(10, 29)")),
        ("a.txt", "0 0.5 0.5 -0.2 0.2\n".to_owned(), "the size -13x10".to_owned()),
        (
            "a.txt",
            "0 0.9 0.5 1.037 0.52 1.02 0.6 0.88 0.58\n".to_owned(),
            beyond("(56, 24)", "(66, 29)"),
        ),
        (
            "a.txt",
            "0 0.9 0.5 2.6 0.52 1.02 0.6 0.88 0.58\n".to_owned(),
            "line 1: 2.6 is no share of the picture".to_owned(),
        ),
    ] {
        let world = world();
        if file == "a.txt" {
            world.file("set/classes.txt", b"2spd\n");
        }
        world.file(&format!("set/{file}"), text.as_bytes());
        refused(&world, &[&why]);
    }
}

#[test]
fn what_is_said_of_a_whole_photo_is_no_card() {
    let world = world();
    let value = json!({"x": 15.625, "y": 41.6667, "width": 31.25, "height": 20.8333,
                       "rectanglelabels": ["2spd"]});
    let results = json!([
        {"id": "r", "value": value, "original_width": 64, "original_height": 48},
        {"id": "z", "type": "choices", "value": {"choices": ["good light"]}},
        {"id": "t", "type": "textarea", "value": {"text": ["kitchen"]}},
    ]);
    let task = json!([{"data": {"image": "a.png"}, "annotations": [{"result": results}]}]);
    world.file("set/project.json", task.to_string().as_bytes());
    one_photo(&world, "set", "label-studio", &[BOX]);
    let mask = json!([{"id": "m", "value": {"rle": [1, 2], "brushlabels": ["2spd"]}}]);
    let task = json!([{"data": {"image": "a.png"}, "annotations": [{"result": mask}]}]);
    world.file("set/project.json", task.to_string().as_bytes());
    refused(&world, &["task 1, region 1: \"2spd\" says no place; masks of a brush"]);
}

#[test]
fn all_errors_of_all_files_are_told_at_once() {
    let world = World::new();
    for name in ["a", "b"] {
        photo(&world, &format!("set/{name}.png"));
    }
    let nowhere = "<object><name>1ogo</name></object>";
    for name in ["a", "b"] {
        let wrong = voc(&format!("{name}.png"), &[("2xpd", PLACE)]);
        let twice = nowhere.repeat(2) + "</annotation>";
        world.file(&format!("set/{name}.xml"), wrong.replace("</annotation>", &twice).as_bytes());
    }
    let words = [
        "set/a.xml: object 2 (1ogo) says no place",
        "set/a.xml: object 3 (1ogo) says no place",
        "set/b.xml: object 3 (1ogo) says no place",
        // A class that is no card, with its place.
        "2xpd (used 2 times): \"2xpd\": 'x' at place 2",
        "first in set/a.xml: object 1",
    ];
    refused(&world, &words);
}

#[test]
fn cvat_xml() {
    let world = World::new();
    photo(&world, "set/images/a.png");
    let image = |shapes: &str| {
        format!(
            "<?xml version=\"1.0\"?><annotations><version>1.1</version><image id=\"0\" \
             name=\"a.png\" width=\"64\" height=\"48\">{shapes}</image></annotations>"
        )
    };
    let shapes = "<box label=\"2spd\" xtl=\"10\" ytl=\"20\" xbr=\"30\" ybr=\"30\" z_order=\"0\"/>\
        <polygon label=\"card\" points=\"10,10;50,14;46,40;8,36\"><attribute name=\"number\">1\
        </attribute><attribute name=\"color\">red</attribute><attribute name=\"shape\">squiggle\
        </attribute><attribute name=\"shading\">filled</attribute><attribute name=\"light\">dim\
        </attribute></polygon>\
        <box label=\"1ogo\" xtl=\"22\" ytl=\"19\" xbr=\"42\" ybr=\"29\" rotation=\"45\"/>";
    world.file("set/annotations.xml", image(shapes).as_bytes());
    let corners = Some([[28, 13], [43, 28], [36, 35], [21, 20]]);
    let expected = [BOX, ("1frs", [28, 25], Some(QUAD)), ("1ogo", [32, 24], corners)];
    one_photo(&world, "set", "cvat", &expected);
    world.file("set/annotations.xml", image("<mask label=\"2spd\" rle=\"1\"/>").as_bytes());
    refused(&world, &["shape 1 of a.png, a mask, says no place that is read"]);
}
