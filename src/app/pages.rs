//! The page of keys and the settings, over the window.

use super::keys::{BINDINGS, OTHER_KEYS, Place, name_of};
use super::settings::{Brightness, Palette, SCALES, Settings};
use super::{card_face, keys};
use eframe::egui::{
    Align, Button, Context, Frame, Id, Label, Layout, Modal, Role, ScrollArea, Sense, Slider, Ui,
    WidgetInfo, vec2,
};

/// Room for the longest name of a key, in points.
const KEY_WIDTH: f32 = 104.0;

/// How pages over the window are framed.
pub fn page(ctx: &Context) -> Frame {
    Frame::popup(&ctx.global_style()).inner_margin(20.0)
}

fn close(ui: &mut Ui) -> bool {
    ui.add_space(6.0);
    ui.vertical_centered_justified(|ui| ui.add(Button::new("Close")).clicked()).inner
}

/// Shows every key. Whether the page is to be closed.
pub fn help(ctx: &Context) -> bool {
    let room = ctx.content_rect().size();
    let answer = Modal::new(Id::unique("help")).frame(page(ctx)).show(ctx, |ui| {
        ui.set_width((room.x - 100.0).clamp(280.0, 940.0));
        let height = (room.y - 190.0).max(120.0);
        ui.heading("Keys");
        ScrollArea::vertical().max_height(height).min_scrolled_height(height).show(ui, |ui| {
            ui.spacing_mut().interact_size.y = 20.0;
            let columns = if room.x > 760.0 { 2 } else { 1 };
            ui.columns(columns, |uis| {
                // Together about as long on the left as on the right.
                for place in Place::ALL {
                    let right = matches!(place, Place::Correct | Place::Stages | Place::Deal);
                    keys_of(&mut uis[if right { columns - 1 } else { 0 }], place);
                }
            });
        });
        close(ui)
    });
    answer.inner || answer.should_close()
}

fn keys_of(ui: &mut Ui, place: Place) {
    ui.add_space(4.0);
    ui.strong(place.word());
    let mut shown: Vec<keys::Action> = Vec::new();
    for binding in BINDINGS.iter().filter(|b| b.place == place) {
        // A second key for the same is in the table for other keyboards.
        if shown.contains(&binding.action) {
            continue;
        }
        shown.push(binding.action);
        key_row(ui, &name_of(binding), binding.words);
    }
    for (_, key, words) in OTHER_KEYS.iter().filter(|k| k.0 == place) {
        key_row(ui, key, words);
    }
}

/// A key and what it does, in as many lines as the room asks for.
fn key_row(ui: &mut Ui, key: &str, words: &str) {
    ui.spacing_mut().item_spacing.y = 3.0;
    ui.horizontal_top(|ui| {
        let (room, layout) = (vec2(KEY_WIDTH, 20.0), Layout::left_to_right(Align::Min));
        ui.allocate_ui_with_layout(room, layout, |ui| {
            ui.set_min_width(KEY_WIDTH);
            ui.monospace(key);
        });
        ui.add(Label::new(words).wrap());
    });
}

/// Shows the settings. Whether they are to be closed.
pub fn settings(ctx: &Context, settings: &mut Settings) -> bool {
    let answer = Modal::new(Id::unique("settings")).frame(page(ctx)).show(ctx, |ui| {
        ui.set_width((ctx.content_rect().width() - 60.0).min(440.0));
        ui.heading("Settings");
        ui.add_space(6.0);
        ui.label("Light or dark");
        ui.horizontal(|ui| {
            for (value, word) in [
                (Brightness::System, "As the system"),
                (Brightness::Light, "Light"),
                (Brightness::Dark, "Dark"),
            ] {
                ui.selectable_value(&mut settings.brightness, value, word);
            }
        });
        ui.add_space(6.0);
        ui.label("Colours, all told apart by people with any colour vision");
        for palette in Palette::ALL {
            ui.horizontal(|ui| {
                ui.selectable_value(&mut settings.palette, palette, palette.word());
                swatches(ui, palette);
            });
        }
        ui.checkbox(&mut settings.letters, "Say the colour of drawn cards as a letter, too");
        ui.add_space(6.0);
        let label = ui.label("Size of everything");
        ui.horizontal(|ui| {
            // Applied when let go: a slider that changes its own size under the pointer runs away.
            let id = Id::unique("scale in hand");
            let mut scale = ui.data(|data| data.get_temp(id)).unwrap_or(settings.scale);
            let slider = Slider::new(&mut scale, SCALES).step_by(0.05).fixed_decimals(2);
            let response = ui.add(slider).labelled_by(label.id);
            if response.dragged() {
                ui.data_mut(|data| data.insert_temp(id, scale));
            } else if response.changed() || response.drag_stopped() {
                settings.scale = scale;
                ui.data_mut(|data| data.remove::<f32>(id));
            }
            if ui.button("1:1").accessible_name("Usual size").clicked() {
                settings.scale = 1.0;
            }
        });
        ui.add_space(10.0);
        ui.weak("Kept for the next start.");
        close(ui)
    });
    answer.inner || answer.should_close()
}

fn swatches(ui: &mut Ui, palette: Palette) {
    let (rect, response) = ui.allocate_exact_size(vec2(7.0 * 24.0, 24.0), Sense::hover());
    response.widget_info(|| {
        WidgetInfo::labeled(Role::Image, true, format!("The colours of {}", palette.word()))
    });
    for place in 0..7 {
        let center = rect.left_center() + vec2(12.0 + 24.0 * place as f32, 0.0);
        let color = palette.set_color(place);
        card_face::disc(ui.painter(), center, 9.0, color, &(place + 1).to_string());
    }
}
