//! The page with the code that a phone scans, and the row that says that phones can send pictures.

use super::{NETWORK_PAUSE, Phones, Running};
use crate::shared::pages;
use crate::shared::words::t;
use eframe::egui::{
    Align, Color32, Context, Frame, Label, Layout, Panel, Rect, RichText, Role, Sense, Ui,
    WidgetInfo, pos2, vec2,
};
use setsight_phone::Code;

/// Largest side of the code, in points.
const CODE: f32 = 260.0;

/// What the user wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PageAction {
    /// The page is to be closed.
    pub close: bool,
    /// The page is to be opened.
    pub open: bool,
    /// Phones are to be served no longer.
    pub stop: bool,
}

/// Shows the code and the address.
pub fn page(ctx: &Context, phones: &Phones) -> PageAction {
    let Some(running) = &phones.running else {
        return PageAction { close: true, ..PageAction::default() };
    };
    // The code that is shown is of the network that the computer is in now.
    ctx.request_repaint_after(NETWORK_PAUSE);
    let mut stop = false;
    let close = pages::page(ctx, "phone", 560.0, |ui| {
        ui.heading(t!("phone-title"));
        ui.label(t!("phone-scan"));
        ui.add_space(6.0);
        ui.vertical_centered(|ui| {
            if let Some(code) = &running.code {
                draw(ui, code);
            }
            let address = RichText::new(&running.address).monospace();
            ui.add(Label::new(address).wrap().selectable(true));
            if let Some((at, _)) = running.address.split_once("/#") {
                ui.label(t!("phone-typed", address = at, code = running.server.code()));
            }
        });
        ui.add_space(6.0);
        ui.strong(state(running));
        ui.label(t!("phone-kept"));
        ui.weak(t!("phone-certificate", fingerprint = running.server.fingerprint()));
        ui.add_space(6.0);
        stop = ui.button(t!("phone-stop")).clicked();
    });
    PageAction { close: close || stop, stop, open: false }
}

/// As long as phones are served, a row says so, wherever the user is.
pub fn row(ui: &mut Ui, phones: &Phones) -> PageAction {
    let mut action = PageAction::default();
    let Some(running) = &phones.running else { return action };
    let frame = Frame::side_top_panel(ui.style()).inner_margin(vec2(14.0, 4.0));
    Panel::top("phones").frame(frame).show(ui, |ui| {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            action.stop = ui.button(t!("phone-stop-short")).clicked();
            action.open = ui.button(t!("phone-code-short")).clicked();
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                ui.add(Label::new(state(running)).truncate());
            });
        });
    });
    action
}

fn state(running: &Running) -> String {
    if running.came == 0 {
        return t!("phone-none-yet");
    }
    t!("phone-here", n = running.came)
}

/// Draws the code: dark on light, whatever the window's colours are.
fn draw(ui: &mut Ui, code: &Code) {
    let side = ui.available_width().min(CODE);
    let (rect, response) = ui.allocate_exact_size(vec2(side, side), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, t!("phone-code")));
    let count = code.width() + 2 * Code::MARGIN;
    // Whole pixels, so that no line is seen between modules.
    let pixels = ui.ctx().pixels_per_point();
    let module = (side * pixels / count as f32).floor().max(1.0) / pixels;
    let used = module * count as f32;
    let start = rect.center() - vec2(used, used) / 2.0;
    let start = pos2((start.x * pixels).round() / pixels, (start.y * pixels).round() / pixels);
    let painter = ui.painter();
    painter.rect_filled(Rect::from_min_size(start, vec2(used, used)), 0.0, Color32::WHITE);
    for (i, _) in code.modules().enumerate().filter(|(_, is_dark)| *is_dark) {
        let (x, y) = (i % code.width() + Code::MARGIN, i / code.width() + Code::MARGIN);
        let min = start + module * vec2(x as f32, y as f32);
        painter.rect_filled(Rect::from_min_size(min, vec2(module, module)), 0.0, Color32::BLACK);
    }
}
