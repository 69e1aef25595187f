//! Pascal VOC's XML, one file for each photo, as LabelImg, CVAT and Roboflow write it.

use super::{
    document::{Content, Document, Format, Pictures, Read, number, xml_of},
    draft::{Drafts, Mark},
    outline::Outline,
};
use roxmltree::Node;
use setsight_photo::geometry::Point;
use std::collections::HashMap;

/// This format.
pub(super) const FORMAT: Format =
    Format { name: "voc", looks_like: "Pascal VOC's XML", read: Read::File(read) };

/// Reads the labels in a file of this form.
pub(super) fn read(
    file: &Document,
    pictures: &Pictures,
    drafts: &mut Drafts,
) -> Option<Result<(), String>> {
    let Content::Xml(text) = &file.content else { return None };
    let xml = match xml_of(text) {
        Ok(xml) => xml,
        Err(error) if text.contains("<annotation") => {
            return Some(Err(format!("is no XML as it should be: {error}")));
        }
        Err(_) => return None,
    };
    let root = xml.root_element();
    root.has_tag_name("annotation").then(|| {
        read_labels(file, root, pictures, drafts);
        Ok(())
    })
}

fn read_labels(file: &Document, root: Node, pictures: &Pictures, drafts: &mut Drafts) {
    let told_px = child(root, "size").and_then(|size| {
        Some((number(text_of(size, "width")?)?, number(text_of(size, "height")?)?))
    });
    let objects = root.children().filter(|node| node.has_tag_name("object"));
    let mut marks = Vec::new();
    for (i, object) in objects.enumerate() {
        let class = text_of(object, "name").unwrap_or_default().to_owned();
        let at = format!("object {}", i + 1);
        match outline_of(object) {
            Some(outline) => marks.push(Mark { class, outline, at }),
            None => {
                let why = "says no place; expected <bndbox> with numbers such as 1024 or 20.5";
                drafts.problem(file.path, &format!("{at} ({class}) {why}"));
            }
        }
    }
    let told = text_of(root, "filename").or_else(|| text_of(root, "path")).unwrap_or_default();
    drafts.add_photo(file.path, file.picture(pictures, told), told_px, marks);
}

fn outline_of(object: Node) -> Option<Outline> {
    let number_of = |node: Node, name: &str| number(text_of(node, name)?);
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
        return Some(Outline::of_turned_box(corner, size, center, at("angle")?));
    }
    let a_box = child(object, "bndbox")?;
    let at = |name: &str| number_of(a_box, name);
    let corner = Point::new(at("xmin")?, at("ymin")?);
    Some(Outline::of_two_corners(corner, Point::new(at("xmax")?, at("ymax")?)))
}

fn child<'a, 'input>(node: Node<'a, 'input>, name: &str) -> Option<Node<'a, 'input>> {
    node.children().find(|child| child.has_tag_name(name))
}

fn text_of<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    child(node, name)?.text().map(str::trim).filter(|text| !text.is_empty())
}
