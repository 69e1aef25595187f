//! Labels as XML: CVAT's own of pictures, and Pascal VOC's, one file for each photo, as LabelImg, CVAT and
//! Roboflow write it.

use super::document::{Content, Document, Format, Pictures, Read, number, xml_of};
use super::draft::{Drafts, Mark, Outline};
use super::table::says_a_card;
use roxmltree::Node;
use setsight_photo::geometry::Point;
use std::collections::HashMap;

pub(super) const CVAT: Format =
    Format { name: "cvat", looks_like: "CVAT's own XML of images", read: Read::File(read_cvat) };

/// Reads the labels in a file of this form.
fn read_cvat(
    file: &Document,
    pictures: &Pictures,
    drafts: &mut Drafts,
) -> Option<Result<(), String>> {
    let Content::Xml(text) = &file.content else { return None };
    // Text that is no XML is reported by the format that is tried first.
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
        drafts.skip(file.path, name, file.picture(pictures, name));
        return;
    }
    let stated_px = number_of(image, "width").zip(number_of(image, "height"));
    drafts.add_photo(file.path, file.picture(pictures, name), stated_px, marks);
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
        "polygon" => {
            Some(points_of(shape)?).filter(|points| points.len() >= 3).map(Outline::Polygon)
        }
        "points" => {
            let points = points_of(shape)?;
            let first = points.first().copied().map(Outline::Center);
            Outline::of_keypoints(&points, first.filter(|_| points.len() == 1))
        }
        "ellipse" => Some(Outline::Center(Point::new(at("cx")?, at("cy")?))),
        _ => None,
    }
}

fn points_of(shape: Node) -> Option<Vec<Point>> {
    let pairs = shape.attribute("points")?.split(';').map(|pair| {
        let (x, y) = pair.split_once(',')?;
        Some(Point::new(number(x)?, number(y)?))
    });
    pairs.collect()
}

fn number_of(node: Node, name: &str) -> Option<f64> {
    number(node.attribute(name)?)
}

/// Pascal VOC's format.
pub(super) const VOC: Format =
    Format { name: "voc", looks_like: "Pascal VOC's XML", read: Read::File(read_voc) };

/// Reads the labels in a file of this form.
fn read_voc(
    file: &Document,
    pictures: &Pictures,
    drafts: &mut Drafts,
) -> Option<Result<(), String>> {
    let Content::Xml(text) = &file.content else { return None };
    let xml = match xml_of(text) {
        Ok(xml) => xml,
        Err(error) if text.contains("<annotation") => {
            return Some(Err(format!("is not valid XML: {error}")));
        }
        Err(_) => return None,
    };
    let root = xml.root_element();
    if root.has_tag_name("annotation")
        && root
            .descendants()
            .any(|node| ["imagesize", "pt"].iter().any(|name| node.has_tag_name(*name)))
    {
        return Some(Err("is XML of LabelMe 3.0, which is not read; export Pascal VOC, CVAT for \
                         images or COCO instead"
            .to_owned()));
    }
    root.has_tag_name("annotation").then(|| {
        read_labels(file, root, pictures, drafts);
        Ok(())
    })
}

fn read_labels(file: &Document, root: Node, pictures: &Pictures, drafts: &mut Drafts) {
    let stated_px = child(root, "size").and_then(|size| {
        Some((number(text_of(size, "width")?)?, number(text_of(size, "height")?)?))
    });
    let objects = root.children().filter(|node| node.has_tag_name("object"));
    let mut marks = Vec::new();
    for (i, object) in objects.enumerate() {
        let class = text_of(object, "name").unwrap_or_default().to_owned();
        let at = format!("object {}", i + 1);
        match outline_of_object(object) {
            Some(outline) => marks.push(Mark { class, outline, at }),
            None => {
                let why = "says no place; expected <bndbox> with numbers such as 1024 or 20.5";
                drafts.problem(file.path, &format!("{at} ({class}) {why}"));
            }
        }
    }
    let name = text_of(root, "filename").or_else(|| text_of(root, "path")).unwrap_or_default();
    drafts.add_photo(file.path, file.picture(pictures, name), stated_px, marks);
}

fn outline_of_object(object: Node) -> Option<Outline> {
    if let Some(polygon) = child(object, "polygon") {
        let parts: HashMap<&str, Node> =
            polygon.children().map(|part| (part.tag_name().name(), part)).collect();
        let corners = (1..).map_while(|i| {
            let [x, y] = ["x", "y"].map(|axis| number(parts.get(&*format!("{axis}{i}"))?.text()?));
            Some([x?, y?])
        });
        let numbers: Vec<f64> = corners.flatten().collect();
        if let Some(outline) = Outline::of_numbers(&numbers) {
            return Some(outline);
        }
    }
    // roLabelImg's, which turns about the middle, in radians.
    if let Some(turned) = child(object, "robndbox") {
        let at = |name: &str| number_in(turned, name);
        let (center, size) = (Point::new(at("cx")?, at("cy")?), (at("w")?, at("h")?));
        let corner = center - Point::new(size.0 / 2.0, size.1 / 2.0);
        return Some(Outline::of_turned_box(corner, size, center, at("angle")?));
    }
    let a_box = child(object, "bndbox")?;
    let at = |name: &str| number_in(a_box, name);
    let corner = Point::new(at("xmin")?, at("ymin")?);
    Some(Outline::of_two_corners(corner, Point::new(at("xmax")?, at("ymax")?)))
}

/// The number that a node's child of this name holds.
fn number_in(node: Node, name: &str) -> Option<f64> {
    number(text_of(node, name)?)
}

fn child<'a, 'input>(node: Node<'a, 'input>, name: &str) -> Option<Node<'a, 'input>> {
    node.children().find(|child| child.has_tag_name(name))
}

fn text_of<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    child(node, name)?.text().map(str::trim).filter(|text| !text.is_empty())
}
