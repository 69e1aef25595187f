//! `setsight dataset convert` on labels that are not quite as they should be: what is taken all the
//! same, what is left out, and what is refused. The table in docs/reference/labels.md names these tests.

use crate::common::World;
use crate::common::pictures::*;
use crate::dataset_forms::*;
use image::ImageFormat;
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
fn thousands_are_no_decimals() {
    let world = World::new();
    world.file("set/a.png", &encoded(bare_table(1600, 1200), ImageFormat::Png));
    let card = ("2spd", [1100, 1050], None);
    for table in [
        "file,code,xmin,ymin,xmax,ymax\na.png,2spd,\"1,000\",\"1,020\",\"1,200\",\"1,080\"\n",
        "file;code;xmin;ymin;xmax;ymax\na.png;2spd;1.000;1.020;1.200;1.080\n",
    ] {
        world.file("set/labels_all.csv", table.as_bytes());
        one_photo(&world, "set", "csv", &[card]);
    }
    std::fs::remove_file(world.path().join("set/labels_all.csv")).unwrap();
    let xml = voc("a.png", &[("2spd", ["1,000", "1,020", "1,200", "1,080"])]);
    let size = "<annotation><size><width>1600</width><height>1200</height></size>";
    world.file("set/a.xml", xml.replace("<annotation>", size).as_bytes());
    one_photo(&world, "set", "voc", &[card]);
}

#[test]
fn shares_are_no_pixels_in_any_form() {
    let shares = ["0.15625", "0.416667", "0.46875", "0.625"];
    let changed = ["changed       1  photos whose places are shares of the picture"];
    let world = world();
    world.file("set/a.xml", voc("a.png", &[("2spd", shares)]).as_bytes());
    taken(&world, "voc", &[BOX], &changed);
    std::fs::remove_file(world.path().join("set/a.xml")).unwrap();

    let a_box = json!([0.15625, 0.416667, 0.3125, 0.208333]);
    let file = |annotations: Value| {
        coco(
            json!([{"id": 1, "file_name": "a.png", "width": 64, "height": 48}]),
            json!([{"id": 1, "name": "2spd"}, {"id": 2, "name": "1ogo"}]),
            annotations,
        )
    };
    let mark =
        |class: u32, a_box: &Value| json!({"image_id": 1, "category_id": class, "bbox": a_box});
    world.file("set/a.json", &file(json!([mark(1, &a_box)])));
    taken(&world, "coco", &[BOX], &changed);
    // One of them alone, or a box of one pixel.
    world.file("set/a.json", &file(json!([mark(1, &a_box), mark(2, &json!([5, 5, 10, 10]))])));
    refused(&world, &["2spd lies within the picture's first pixel", "a.json: annotation 1"]);
    world.file("set/a.json", &file(json!([mark(1, &json!([0, 0, 1, 1]))])));
    refused(&world, &["2spd lies within the picture's first pixel"]);
    // Corners where a size was expected.
    world.file("set/a.json", &file(json!([mark(1, &json!([20, 20, 70, 40]))])));
    refused(&world, &["a corner of 2spd, (90, 60), lies far outside of the picture"]);

    let shape = json!({"label": "2spd", "shape_type": "rectangle",
                       "points": [[0.15625, 0.416667], [0.46875, 0.625]]});
    let labels = json!({"imagePath": "a.png", "shapes": [shape]});
    world.file("set/a.json", labels.to_string().as_bytes());
    taken(&world, "labelme", &[BOX], &changed);
    let place = json!({"x": 0.3125, "y": 0.520833, "width": 0.3125, "height": 0.208333});
    let labels =
        json!([{"image": "a.png", "annotations": [{"label": "2spd", "coordinates": place}]}]);
    world.file("set/a.json", labels.to_string().as_bytes());
    taken(&world, "createml", &[BOX], &changed);
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
        let line = "left out      1  photos that nobody labelled (skipped, not annotated or only \
                    predicted), such as set/project.json: task 1 (b.png)";
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
    let line = "left out      2  photos that nobody labelled (skipped, not annotated or only predicted), \
                such as set/a.json: image 2 (b.png)";
    taken(&world, "coco", &[BOX], &[line]);
    std::fs::remove_file(world.path().join("set/a.json")).unwrap();

    let xml = "<annotations><image name=\"a.png\"><box label=\"2spd\" xtl=\"10\" ytl=\"20\" \
               xbr=\"30\" ybr=\"30\"/></image><image name=\"b.png\"></image></annotations>";
    world.file("set/a.xml", xml.as_bytes());
    let line = "left out      1  photos that nobody labelled (skipped, not annotated or only predicted), \
                such as set/a.xml: b.png";
    taken(&world, "cvat", &[BOX], &[line]);
}

#[test]
fn two_of_one_id_are_refused() {
    let world = world();
    photo(&world, "set/b.png");
    let (a, b) = (json!({"id": 1, "file_name": "a.png"}), json!({"id": "1", "file_name": "b.png"}));
    let (two, one) = (json!({"id": 1, "name": "2spd"}), json!({"id": 1.0, "name": "1ogo"}));
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
    let negative = "the box of 2spd has the size -20x-10; expected a width and a height above 0";
    let beyond = |from: &str, to: &str| {
        format!("the box of 2spd, from {from} to {to}, leaves the picture (64x48 pixels)")
    };
    let value = json!({"x": 46.875, "y": 62.5, "width": -31.25, "height": -20.8333,
                       "rectanglelabels": ["2spd"]});
    let result = json!([{"id": "r", "value": value, "original_width": 64, "original_height": 48}]);
    let task = json!([{"data": {"image": "a.png"}, "annotations": [{"result": result}]}]);
    let coco = |place: Value| {
        let images = json!([{"id": 1, "file_name": "a.png"}]);
        let marks = json!([{"image_id": 1, "category_id": 1, "bbox": place}]);
        String::from_utf8(coco(images, json!([{"id": 1, "name": "2spd"}]), marks)).unwrap()
    };
    let cvat = "<annotations><image name=\"a.png\"><box label=\"2spd\" xtl=\"30\" ytl=\"30\" xbr=\"10\" \
                ybr=\"20\"/></image></annotations>";
    // Each with its middle where the corner is expected; the last the other way round.
    let shares =
        "image,label,x,y,width,height\na.png,2spd,0.85,0.85,0.2,0.2\na.png,1ogo,0.5,0.5,0.2,0.2\n";
    let pixels = "image,label,x,y,width,height\na.png,2spd,57,20,12,10\na.png,1ogo,20,20,10,10\n";
    for (file, text, why) in [
        ("a.json", task.to_string(), negative.to_owned()),
        ("a.json", coco(json!([30, 30, -20, -10])), negative.to_owned()),
        ("a.xml", cvat.to_owned(), negative.to_owned()),
        ("a.csv", shares.to_owned(), beyond("(54, 41)", "(67, 50)")),
        ("a.csv", pixels.to_owned(), beyond("(57, 20)", "(69, 30)")),
        ("a.json", coco(json!([50, 20, 20, 10])), beyond("(50, 20)", "(70, 30)")),
        ("a.txt", "0 0.05 0.5 0.2 0.2\n".to_owned(), beyond("(-3, 19)", "(10, 29)")),
        ("a.txt", "0 0.5 0.5 -0.2 0.2\n".to_owned(), "the size -13x10".to_owned()),
    ] {
        let world = world();
        if file == "a.txt" {
            world.file("set/classes.txt", b"2spd\n");
        }
        world.file(&format!("set/{file}"), text.as_bytes());
        refused(&world, &[&why]);
    }
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_nowhere_is_passed_over() {
    let world = world();
    world.file("set/a.xml", voc("a.png", &[("2spd", PLACE)]).as_bytes());
    std::os::unix::fs::symlink("gone.png", world.path().join("set/b.png")).unwrap();
    let line =
        "left out      1  files and folders that cannot be read, such as set/b.png: cannot be read";
    taken(&world, "voc", &[BOX], &[line]);
}

#[test]
fn four_numbers_in_one_column_are_a_place() {
    let world = world();
    for table in [
        "image,label,bbox\na.png,2spd,\"[10, 20, 20, 10]\"\n",
        "image,label,bbox\na.png,2spd,10 20 20 10\n",
        "image,label,bbox_xyxy\na.png,2spd,\"(10, 20, 30, 30)\"\n",
        "image,label,x,y,width,height\na.png,2spd,0.15625,0.416667,0.3125,0.208333\n",
    ] {
        world.file("set/labels_all.csv", table.as_bytes());
        one_photo(&world, "set", "csv", &[BOX]);
    }
    world.file("set/labels_all.csv", b"image,label,box\na.png,2spd,\"[10, 20]\"\n");
    refused(
        &world,
        &["line 2: box is \"[10, 20]\"; expected [left, top, width, height] in pixels"],
    );
    world.file("set/labels_all.csv", b"image,label,xmin,ymin\na.png,2spd,10,20\n");
    refused(&world, &["has xmin, ymin, but not all columns of a place"]);
}

#[test]
fn pictures_are_found_however_their_names_are_written() {
    for (file, name) in [
        ("img_1.png", "IMG_1.PNG"),
        ("img_1.png", "img_1.jpeg"),
        ("Küche.png", "Ku\u{308}che.png"),
        ("Ku\u{308}che.png", "Küche.png"),
        ("a b.png", "a%20b.png"),
        ("a.png", "https://cloud.example/x/a.png?X-Signature=ab%2Fcd"),
        ("a.png", "C:\\photos\\A.PNG"),
    ] {
        let world = World::new();
        photo(&world, &format!("set/{file}"));
        world.file("set/other.xml", voc(name, &[("2spd", PLACE)]).as_bytes());
        one_photo(&world, "set", "voc", &[BOX]);
    }
    // Of several in folders, the one whose folder is named.
    let world = World::new();
    photo(&world, "set/May/a.png");
    photo(&world, "set/June/a.png");
    world.file("set/x.xml", voc("/home/ann/june/a.png", &[("2spd", PLACE)]).as_bytes());
    one_photo(&world, "set", "voc", &[BOX]);
    assert_eq!(photos(&world)[0].file, "../set/June/a.png");
    world.file("set/x.xml", voc("/home/ann/a.png", &[("2spd", PLACE)]).as_bytes());
    refused(&world, &["a.png may be any of"]);

    // LabelMe beside its photo, with a path that is empty, gone or of another name.
    let world = world_of_labelme(json!(null));
    one_photo(&world, "set", "labelme", &[BOX]);
    let world = world_of_labelme(json!("old name.png"));
    one_photo(&world, "set", "labelme", &[BOX]);
    let shapes = json!({"shapes": [{"label": "2spd", "points": [[30, 30], [10, 20]]}]});
    world.file("set/a.json", shapes.to_string().as_bytes());
    one_photo(&world, "set", "labelme", &[BOX]);

    let world = World::new();
    photo(&world, "set/a.png");
    let value = json!({"x": 15.625, "y": 41.6667, "width": 31.25, "height": 20.8333,
                       "rectanglelabels": ["2spd"]});
    let result = json!([{"id": "r", "value": value, "original_width": 64, "original_height": 48}]);
    let address = "s3://bucket/0a1b2c3d-a.png?signature=abc";
    let task = json!([{"data": {"image": address}, "annotations": [{"result": result}]}]);
    world.file("set/project.json", task.to_string().as_bytes());
    one_photo(&world, "set", "label-studio", &[BOX]);
}

fn world_of_labelme(path: Value) -> World {
    let world = world();
    let shape = json!({"label": "2spd", "shape_type": "rectangle", "points": [[30, 30], [10, 20]]});
    let labels = json!({"imagePath": path, "shapes": [shape]});
    world.file("set/a.json", labels.to_string().as_bytes());
    world
}

#[test]
fn one_odd_object_does_not_stop_the_others() {
    let world = world();
    let flat = ["5", "5", "5", "5"];
    let objects = [("2spd", PLACE), ("2spd", PLACE), ("1ogo", flat), ("", ["1", "1", "9", "9"])];
    world.file("set/a.xml", voc("a.png", &objects).as_bytes());
    let lines = [
        "taken         1  photos",
        "taken         1  cards in photos",
        "left out      1  objects labelled before at the same place, such as set/a.xml: object 2",
        "left out      1  objects without area; photos of nothing else count as unchecked, such as \
         set/a.xml: object 3",
        "left out      1  objects without a label; their photos count as unchecked, such as \
         set/a.xml: object 4",
    ];
    taken(&world, "voc", &[BOX], &lines);
    assert_eq!(photos(&world)[0].tags, ["unchecked"]);
    for (objects, tags) in
        [(&[objects[2]][..], &["unchecked"][..]), (&[objects[0], objects[2]], &[])]
    {
        world.file("set/a.xml", voc("a.png", objects).as_bytes());
        convert(&world, "set", &[]).expect(0);
        assert_eq!(photos(&world)[0].tags, tags);
    }
    std::fs::remove_file(world.path().join("set/a.xml")).unwrap();

    // An oriented box that reaches out of the picture.
    world.file("set/data.yaml", b"names: [2spd]\n");
    world.file("set/a.txt", b"0 0.9 0.5 1.037 0.52 1.02 0.6 0.88 0.58\n");
    let corners = Some([[58, 24], [64, 25], [64, 29], [56, 28]]);
    let line = "changed       1  objects with corners outside of the picture, moved to its edge";
    taken(&world, "yolo", &[("2spd", [61, 26], corners)], &[line]);
    world.file("set/a.txt", b"0 0.9 0.5 1.6 0.52 1.02 0.6 0.88 0.58\n");
    refused(&world, &["a.txt: line 1: 1.6 is no share of the picture"]);
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
    let line = "left out      2  choices and texts about a whole photo";
    taken(&world, "label-studio", &[BOX], &[line]);
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
fn coco_as_programs_write_it() {
    let world = world();
    let image = json!({"id": "0", "file_name": "a.png", "width": null});
    let category = json!({"id": 1.0, "name": "2spd"});
    let mark = |image: Value| {
        json!({"image_id": image, "category_id": "1", "bbox": ["10", 20, 20, 10],
               "keypoints": null, "segmentation": null})
    };
    let marks = json!([mark(json!(0.0)), mark(json!(77))]);
    world.file("set/a.json", &coco(json!([image]), json!([category]), marks));
    let line = "left out      1  labels of photos that the file does not list, such as set/a.json: \
                annotation 2 is of image 77";
    taken(&world, "coco", &[BOX], &[line]);

    // In this program's own words.
    let words = [
        (json!({"category_id": 1, "bbox": [1, 2, 3, 4]}), "annotation 1 has no image_id"),
        (json!({"image_id": 0, "bbox": [1, 2, 3, 4]}), "annotation 1 has no category_id"),
        (json!({"image_id": 0, "category_id": 1, "bbox": "x"}), "annotation 1 says no place"),
    ];
    for (mark, word) in words {
        world.file("set/a.json", &coco(json!([image]), json!([category]), json!([mark])));
        refused(&world, &[word]);
    }
    let labels = json!({"images": [image], "annotations": []});
    world.file("set/a.json", labels.to_string().as_bytes());
    refused(&world, &["a.json: looks like COCO, but has no categories"]);
}

#[test]
fn tables_as_excel_writes_them() {
    let world = world();
    for table in [
        "sep=;\r\nfile;code;X Min;Y Min;X Max;Y Max\r\na.png;2spd;10;20;30;30\r\n",
        "file,code,xmin,ymin,xmax,ymax\na.png,2spd,10,20,30,30\n,,,,,\n,,,,,\n",
        "# drawn in May\nfile,code,xmin,ymin,xmax,ymax\na.png,2spd,10,20,30,30\n",
        "Cards of May,,,,,\nfile,code,xmin,ymin,xmax,ymax\na.png,2spd,10,20,30,30\n",
        // OpenImages.
        "ImageID,Source,LabelName,Confidence,XMin,XMax,YMin,YMax\n\
         a,x,2spd,1,0.15625,0.46875,0.416667,0.625\n",
    ] {
        world.file("set/labels_all.csv", table.as_bytes());
        one_photo(&world, "set", "csv", &[BOX]);
    }
    let world = World::new();
    photo(&world, "set/Küche.png");
    // Windows 1252.
    let table = b"file;code;x;y\r\nK\xfcche.png;2spd;20;25\r\n";
    world.file("set/labels_all.csv", table);
    one_photo(&world, "set", "csv", &[BOX]);
}

#[test]
fn names_of_folders_and_files_may_be_in_capitals() {
    let world = World::new();
    photo(&world, "set/Images/a.PNG");
    world.file("set/Data.YAML", b"names: &all ['1frs', \"2spd\"]\n");
    world.file("set/Labels/a.TXT", b"1 0.3125 0.5208333 0.3125 0.2083333\n");
    one_photo(&world, "set", "yolo", &[BOX]);
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

#[test]
fn via_json() {
    let world = world();
    let region =
        |shape: Value, said: Value| json!({"shape_attributes": shape, "region_attributes": said});
    let rect = json!({"name": "rect", "x": 10, "y": 20, "width": 20, "height": 10});
    let polygon = json!({"name": "polygon", "all_points_x": [10, 50, 46, 8],
                         "all_points_y": [10, 14, 40, 36]});
    let said = json!({"number": "1", "color": "red", "shape": {"squiggle": true, "oval": false},
                      "shading": "filled"});
    let regions = json!([region(rect, json!({"card": "2spd"})), region(polygon, said)]);
    let image = json!({"a.png123": {"filename": "a.png", "size": 123, "regions": regions}});
    let expected = [BOX, ("1frs", [28, 25], Some(QUAD))];
    for document in [image.clone(), json!({"_via_settings": {}, "_via_img_metadata": image})] {
        world.file("set/via.json", document.to_string().as_bytes());
        one_photo(&world, "set", "via", &expected);
    }
}

#[test]
fn kitti() {
    let world = World::new();
    photo(&world, "set/image_2/a.png");
    let lines = "2spd 0.00 0 -1.5 10.0 20.0 30.0 30.0 1 1 1 1 1 1 0\n\
                 DontCare -1 -1 -10 1 1 9 9 -1 -1 -1 -1000 -1000 -1000 -10\n";
    world.file("set/label_2/a.txt", lines.as_bytes());
    one_photo(&world, "set", "kitti", &[BOX]);
    world.file("set/label_2/a.txt", format!("{lines}2spd 1\n").as_bytes());
    refused(&world, &["label_2/a.txt: line 3: is no object; expected a class and 14 numbers"]);
}

#[test]
fn dota_and_oriented_boxes_of_roboflow() {
    let world = World::new();
    photo(&world, "set/train/images/a.png");
    world.file("set/data.yaml", b"names: [1frs, 2spd]\n");
    let lines = "imagesource:x\ngsd:null\n10.0 10 50 14 46 40 8 36 1frs 0\n\
                 10 20 30 20 30 30 10 30 2spd 1\n";
    world.file("set/train/labelTxt/a.txt", lines.as_bytes());
    one_photo(&world, "set", "dota", &[("1frs", [28, 25], Some(QUAD)), BOX]);
}
