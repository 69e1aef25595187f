//! Whether all that can be read or pressed on a page is in view, or can be scrolled there.

use eframe::egui::accesskit::Role;
use eframe::egui::{Rect, Shape, WidgetRect};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};

/// What is read or pressed.
const ROLES: [Role; 10] = [
    Role::Button,
    Role::CheckBox,
    Role::ComboBox,
    Role::Label,
    Role::Link,
    Role::MultilineTextInput,
    Role::ProgressIndicator,
    Role::Slider,
    Role::Tab,
    Role::TextInput,
];

/// A widget: what tells it from the others, what it is, and what it is called.
type Named = (u64, Role, String);

/// Every widget of the page lies in the window, whole and not clipped, once it is scrolled to; and no
/// button lies on another one.
#[track_caller]
pub fn all_in_view<S>(harness: &mut Harness<'_, S>, page: &str) {
    let named = widgets(harness);
    for (id, role, name) in &named {
        if clipped(harness, *id).is_none() {
            continue;
        }
        let node = harness.query_all_by_role(*role).find(|node| id_of(node) == *id);
        let Some(node) = node else { continue };
        node.scroll_to_me();
        for _ in 0..4 {
            harness.step();
        }
        if let Some(why) = clipped(harness, *id) {
            panic!("{page}: {role:?} \"{name}\" {why}");
        }
    }
    none_on_another(harness, page, &named);
    none_justified(harness, page);
}

/// No lines are stretched to the width of their column: of three words in a narrow one nobody reads
/// a sentence.
fn none_justified<S>(harness: &Harness<'_, S>, page: &str) {
    for shape in &harness.output().shapes {
        if let Shape::Text(text) = &shape.shape {
            let galley = &text.galley;
            let is_torn = galley.job.justify && galley.rows.len() > 1;
            assert!(!is_torn, "{page}: \"{}\" is justified", galley.text());
        }
    }
}

/// What tells a node from the others.
pub fn id_of<'tree>(node: &impl NodeT<'tree>) -> u64 {
    node.accesskit_node().locate().0.0
}

fn widgets<S>(harness: &Harness<'_, S>) -> Vec<Named> {
    let mut named = Vec::new();
    for role in ROLES {
        for node in harness.query_all_by_role(role) {
            let of_node = node.accesskit_node();
            let name = of_node.label().or_else(|| of_node.value()).unwrap_or_default();
            named.push((id_of(&node), role, name));
        }
    }
    named
}

fn rect_of<S>(harness: &Harness<'_, S>, id: u64) -> Option<WidgetRect> {
    harness.ctx.viewport(|viewport| {
        let mut layers = viewport.prev_pass.widgets.layers();
        layers.find_map(|(_, all)| all.iter().find(|widget| widget.id.value() == id).copied())
    })
}

/// Why a widget is not seen whole; none if it is, or is no more.
pub fn clipped<S>(harness: &Harness<'_, S>, id: u64) -> Option<String> {
    let widget = rect_of(harness, id)?;
    let screen = harness.ctx.content_rect();
    let (whole, seen) = (widget.rect, widget.interact_rect);
    if !screen.expand(1.0).contains_rect(whole) {
        return Some(format!("at {whole:?} is outside of the window, {screen:?}"));
    }
    // Nothing but a line may be clipped.
    let lost = (whole.width() - seen.width()).max(whole.height() - seen.height());
    (lost > 1.5).then(|| format!("at {whole:?} is clipped to {seen:?}"))
}

/// Cards of the picture may lie on each other.
fn none_on_another<S>(harness: &Harness<'_, S>, page: &str, named: &[Named]) {
    let of_picture = ["Card ", "Karte ", "Corner ", "Ecke ", "Place ", "Platz "];
    let is_button = |(_, role, name): &&Named| {
        *role == Role::Button && !of_picture.iter().any(|start| name.starts_with(start))
    };
    let seen: Vec<(&str, Rect, _)> = named
        .iter()
        .filter(is_button)
        .filter_map(|(id, _, name)| {
            let widget = rect_of(harness, *id)?;
            Some((name.as_str(), widget.interact_rect, widget.layer_id))
        })
        .collect();
    for (i, (name, rect, layer)) in seen.iter().enumerate() {
        for (other, other_rect, other_layer) in &seen[i + 1..] {
            let both = rect.intersect(*other_rect);
            let apart = !both.is_positive() || both.width() < 1.5 || both.height() < 1.5;
            assert!(
                apart || layer != other_layer,
                "{page}: \"{name}\" at {rect:?} and \"{other}\" at {other_rect:?} lie on each other"
            );
        }
    }
}
