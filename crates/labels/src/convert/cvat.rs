//! CVAT's own XML of pictures.

use super::document::{Content, Document, Format, Pictures, Read, number, xml_of};
use super::draft::{Drafts, Mark};
use super::{outline::Outline, table::says_a_card};
use roxmltree::Node;
use setsight_photo::geometry::Point;

/// This format.
pub(super) const FORMAT: Format =
    Format { name: "cvat", looks_like: "CVAT's own XML of images", read: Read::File(read) };

/// Reads the labels in a file of this form.
pub(super) fn read(
    file: &Document,
    pictures: &Pictures,
    drafts: &mut Drafts,
) -> Option<Result<(), String>> {
    let Content::Xml(text) = &file.content else { return None };
    // Text that is no XML is told of by the form that is tried first.
    let xml = xml_of(text).ok()?;
    let root = xml.root_element();
    let elements =
        |name: &'static str| root.children().filter(move |node: &Node| node.has_tag_name(name));
    if !root.has_tag_name("annotations") {
        return None;
    }
    if elements("track").next().is_some() {
        return Some(Err("holds the tracks of a film; export it as CVAT for images".to_owned()));
    }
    elements("image").next()?;
    for image in elements("image") {
        add(file, image, pictures, drafts);
    }
    Some(Ok(()))
}

fn add(file: &Document, image: Node, pictures: &Pictures, drafts: &mut Drafts) {
    let name = image.attribute("name").unwrap_or_default();
    let mut marks = Vec::new();
    for (i, shape) in image.children().filter(Node::is_element).enumerate() {
        let at = format!("shape {} of {name}", i + 1);
        // It speaks of the whole photo.
        if shape.has_tag_name("tag") {
            continue;
        }
        match outline_of(shape) {
            Some(outline) => marks.push(Mark { class: class_of(shape), outline, at }),
            None => drafts.problem(
                file.path,
                &format!(
                    "{at}, a {}, says no place that is read; label boxes or polygons",
                    shape.tag_name().name()
                ),
            ),
        }
    }
    if marks.is_empty() {
        // The file lists the photos that nobody has come to yet, too.
        drafts.skip(file.path, name);
        return;
    }
    let told_px = number_of(image, "width").zip(number_of(image, "height"));
    drafts.add_photo(file.path, file.picture(pictures, name), told_px, marks);
}

/// The label, and what attributes say of the card.
fn class_of(shape: Node) -> String {
    let label = shape.attribute("label").unwrap_or_default();
    let attributes = shape.children().filter(|node| {
        node.has_tag_name("attribute") && node.attribute("name").is_some_and(says_a_card)
    });
    let words = attributes.filter_map(|node| node.text()).map(str::trim);
    std::iter::once(label).chain(words).collect::<Vec<_>>().join(" ").trim().to_owned()
}

fn outline_of(shape: Node) -> Option<Outline> {
    let points = || -> Option<Vec<Point>> {
        let pairs = shape.attribute("points")?.split(';').map(|pair| {
            let (x, y) = pair.split_once(',')?;
            Some(Point::new(number(x)?, number(y)?))
        });
        pairs.collect()
    };
    let at = |name: &str| number_of(shape, name);
    match shape.tag_name().name() {
        "box" => {
            let corner = Point::new(at("xtl")?, at("ytl")?);
            let size = (at("xbr")? - corner.x, at("ybr")? - corner.y);
            let middle = corner + Point::new(size.0, size.1) / 2.0;
            // Turned about its middle, in degrees.
            let angle = at("rotation").unwrap_or(0.0).to_radians();
            Some(Outline::of_turned_box(corner, size, middle, angle))
        }
        "polygon" => Some(points()?).filter(|points| points.len() >= 3).map(Outline::Polygon),
        "points" => {
            let points = points()?;
            let first = points.first().copied().map(Outline::Center);
            Outline::of_keypoints(&points, first.filter(|_| points.len() == 1))
        }
        "ellipse" => Some(Outline::Center(Point::new(at("cx")?, at("cy")?))),
        _ => None,
    }
}

fn number_of(node: Node, name: &str) -> Option<f64> {
    number(node.attribute(name)?)
}
