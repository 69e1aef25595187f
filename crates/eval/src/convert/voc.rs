//! Pascal VOC's XML, one file for each photo, as LabelImg, CVAT and Roboflow write it.

use super::document::{Content, Document};
use super::draft::{Drafts, Mark, Pictures, number};
use super::find::{Format, Read};
use super::outline::Outline;
use roxmltree::Node;
use setsight_photo::geometry::Point;
use std::collections::HashMap;

/// This format.
pub(super) const FORMAT: Format =
    Format { name: "voc", looks_like: "Pascal VOC's XML", read: Read::File(read) };

/// Most tags and texts of a file: of some ten thousand cards.
const MAX_NODES: u32 = 500_000;

/// Reads the labels in a file of this form.
pub(super) fn read(
    file: &Document,
    pictures: &Pictures,
    drafts: &mut Drafts,
) -> Option<Result<(), String>> {
    let Content::Xml(text) = &file.content else { return None };
    // A file with a document type is refused, so no entity of its own can grow or lead elsewhere.
    let options = roxmltree::ParsingOptions { nodes_limit: MAX_NODES, ..Default::default() };
    let xml = match roxmltree::Document::parse_with_options(text, options) {
        Ok(xml) => xml,
        Err(error) if text.contains("<annotation") => {
            return Some(Err(format!("is no XML as it should be: {error}")));
        }
        Err(_) => return None,
    };
    let root = xml.root_element();
    root.has_tag_name("annotation").then(|| read_labels(file, root, pictures, drafts))
}

fn read_labels(
    file: &Document,
    root: Node,
    pictures: &Pictures,
    drafts: &mut Drafts,
) -> Result<(), String> {
    let mut marks = Vec::new();
    for (i, object) in root.children().filter(|node| node.has_tag_name("object")).enumerate() {
        let class =
            text_of(object, "name").ok_or_else(|| format!("object {} has no name", i + 1))?;
        let outline = outline_of(object).ok_or_else(|| {
            format!("object {} ({class}) says no place; expected <bndbox> with numbers", i + 1)
        })?;
        marks.push(Mark { class: class.to_owned(), outline });
    }
    let told_px = child(root, "size")
        .and_then(|size| Some((number_of(size, "width")?, number_of(size, "height")?)));
    let told = text_of(root, "filename").or_else(|| text_of(root, "path")).unwrap_or_default();
    // Some programs leave out the extension, or keep the name of before a photo was renamed.
    let picture =
        file.picture(pictures, told).or_else(|why| pictures.called_like(file.path).ok_or(why));
    drafts.add_photo(file.path, picture, told_px, marks);
    Ok(())
}

fn outline_of(object: Node) -> Option<Outline> {
    if let Some(polygon) = child(object, "polygon") {
        let parts: HashMap<&str, Node> =
            polygon.children().map(|part| (part.tag_name().name(), part)).collect();
        let corners = (1..).map_while(|i| {
            let at = |axis: &str| number(parts.get(&*format!("{axis}{i}"))?.text()?);
            Some([at("x")?, at("y")?])
        });
        let numbers: Vec<f64> = corners.flatten().collect();
        if let Some(outline) = Outline::of_numbers(&numbers) {
            return Some(outline);
        }
    }
    // roLabelImg's, which turns about the middle, in radians.
    if let Some(turned) = child(object, "robndbox") {
        let at = |name: &str| number_of(turned, name);
        let (center, size) = (Point::new(at("cx")?, at("cy")?), (at("w")?, at("h")?));
        let corner = center - Point::new(size.0 / 2.0, size.1 / 2.0);
        return Outline::of_turned_box(corner, size, center, at("angle")?);
    }
    let a_box = child(object, "bndbox")?;
    let at = |name: &str| number_of(a_box, name);
    let corner = Point::new(at("xmin")?, at("ymin")?);
    Outline::of_two_corners(corner, Point::new(at("xmax")?, at("ymax")?))
}

fn child<'a, 'input>(node: Node<'a, 'input>, name: &str) -> Option<Node<'a, 'input>> {
    node.children().find(|child| child.has_tag_name(name))
}

fn text_of<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    child(node, name)?.text().map(str::trim).filter(|text| !text.is_empty())
}

fn number_of(node: Node, name: &str) -> Option<f64> {
    number(text_of(node, name)?)
}
