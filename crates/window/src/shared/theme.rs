//! How the window looks: colours, spacing, letter sizes.

use crate::shared::settings::{Brightness, Palette, Settings};
use crate::shared::words::Word;
use eframe::egui::{
    Color32, Context, CornerRadius, FontFamily, FontId, Id, Margin, Response, Stroke, StrokeKind,
    Style, TextStyle, Theme, ThemePreference, Ui, Vec2, Visuals,
};
use setsight_game::cards::Color;
use setsight_vision::output::overlay;

/// Rim around coloured outlines, so that they stand out on every table.
pub(crate) const RIM: Color32 = Color32::from_rgb(22, 24, 28);
/// Outlines of cards in no set.
pub(crate) const PALE: Color32 = Color32::from_rgb(245, 245, 245);
/// Something is right.
pub(crate) const GOOD: Color32 = Color32::from_rgb(0, 148, 108);
/// What a hint gives away and what the player has chosen.
pub(crate) const CHOSEN: Color32 = Color32::from_rgb(255, 196, 38);

/// Colours of each palette. Where they come again the mark has another shape.
pub(crate) const SET_COLORS: usize = 7;

/// Paul Tol's qualitative scheme "bright" ("Colour Schemes", 2021).
const TOL: [Color32; SET_COLORS] = [
    Color32::from_rgb(68, 119, 170),
    Color32::from_rgb(238, 102, 119),
    Color32::from_rgb(34, 136, 51),
    Color32::from_rgb(204, 187, 68),
    Color32::from_rgb(102, 204, 238),
    Color32::from_rgb(170, 51, 119),
    Color32::from_rgb(187, 187, 187),
];
/// Paul Tol's "high-contrast" and white: far apart in lightness, so that they differ in grey too.
/// Then three that differ from these in hue.
const STRONG: [Color32; SET_COLORS] = [
    Color32::from_rgb(221, 170, 51),
    Color32::from_rgb(0, 68, 136),
    Color32::from_rgb(255, 255, 255),
    Color32::from_rgb(187, 85, 102),
    Color32::from_rgb(120, 214, 255),
    Color32::from_rgb(0, 96, 44),
    Color32::from_rgb(112, 40, 140),
];

impl Palette {
    pub(crate) const ALL: [Self; 3] = [Self::Okabe, Self::Tol, Self::Strong];

    /// Its name on a button.
    pub(crate) const fn word(self) -> Word {
        match self {
            Self::Okabe => Word("palette-clear"),
            Self::Tol => Word("palette-bright"),
            Self::Strong => Word("palette-strong"),
        }
    }

    /// The colour of a set by its place among the sets.
    pub(crate) fn set_color(self, place: usize) -> Color32 {
        match self {
            Self::Okabe => {
                let [r, g, b] = overlay::set_color(place).0;
                Color32::from_rgb(r, g, b)
            }
            Self::Tol => TOL[place % SET_COLORS],
            Self::Strong => STRONG[place % SET_COLORS],
        }
    }

    /// The ink of a drawn card.
    pub(crate) const fn ink(self, color: Color) -> Color32 {
        match (self, color) {
            (Self::Okabe, Color::Green) => Color32::from_rgb(0, 146, 88),
            (Self::Okabe, Color::Purple) => Color32::from_rgb(98, 44, 140),
            (Self::Okabe, Color::Red) => Color32::from_rgb(228, 62, 42),
            (Self::Tol, Color::Green) => TOL[2],
            (Self::Tol, Color::Purple) => Color32::from_rgb(68, 68, 170),
            (Self::Tol, Color::Red) => TOL[1],
            // Three lightnesses: light green, black-purple, middle red.
            (Self::Strong, Color::Green) => Color32::from_rgb(102, 190, 80),
            (Self::Strong, Color::Purple) => Color32::from_rgb(52, 16, 80),
            (Self::Strong, Color::Red) => Color32::from_rgb(196, 44, 36),
        }
    }
}

/// The ground on which drawn cards lie.
pub(crate) fn felt(ui: &Ui) -> Color32 {
    if ui.visuals().dark_mode {
        Color32::from_rgb(26, 48, 42)
    } else {
        Color32::from_rgb(58, 112, 92)
    }
}

/// Black or white letters, whichever can be read on a colour.
pub(crate) fn text_on(color: Color32) -> Color32 {
    let [r, g, b, _] = color.to_array().map(f32::from);
    if 0.299 * r + 0.587 * g + 0.114 * b > 125.0 { RIM } else { Color32::WHITE }
}

/// A box to be ticked, with a border that is visible on any ground.
pub(crate) fn check_box(ui: &mut Ui, ticked: &mut bool, words: String) -> Response {
    bordered(ui, |ui| ui.checkbox(ticked, words))
}

/// A box or a field with a border that is visible on any ground.
pub(crate) fn bordered<T>(ui: &mut Ui, add: impl FnOnce(&mut Ui) -> T) -> T {
    ui.scope(|ui| {
        let widgets = &mut ui.visuals_mut().widgets;
        widgets.inactive.bg_stroke = Stroke::new(1.0, widgets.inactive.fg_stroke.color);
        add(ui)
    })
    .inner
}

/// Under this name the context keeps the number of the pass in which what has the focus drew a ring.
const RING: &str = "focus-ring";

/// Says that what has the keyboard's focus has drawn a ring by itself in this pass.
pub(crate) fn mark_ring_drawn(ctx: &Context) {
    let pass = ctx.cumulative_pass_nr();
    ctx.data_mut(|data| data.insert_temp(Id::unique(RING), pass));
}

/// A ring around what has the keyboard's focus: two lines, so that one of them is visible on any
/// ground. A field has its own border, and its cursor.
pub(crate) fn focus_ring(ctx: &Context) {
    let is_drawn =
        ctx.data(|data| data.get_temp(Id::unique(RING))) == Some(ctx.cumulative_pass_nr());
    let focused = ctx.memory(|memory| memory.focused()).filter(|_| !is_drawn);
    let Some(response) = focused.and_then(|id| ctx.read_response(id)) else { return };
    let visible = response.interact_rect;
    if ctx.text_edit_focused() || !visible.is_positive() {
        return;
    }
    let painter = ctx.layer_painter(response.layer_id).with_clip_rect(visible.expand(6.0));
    for (width, color) in [(5.0, Color32::BLACK), (2.0, Color32::WHITE)] {
        let (ring, stroke) = (response.rect.expand(3.0), Stroke::new(width, color));
        painter.rect_stroke(ring, 11.0, stroke, StrokeKind::Middle);
    }
}

/// Applies the settings to the window; cheap when nothing has changed.
pub(crate) fn apply(ctx: &Context, settings: &Settings) {
    ctx.set_theme(match settings.brightness {
        Brightness::System => ThemePreference::System,
        Brightness::Light => ThemePreference::Light,
        Brightness::Dark => ThemePreference::Dark,
    });
    if (ctx.zoom_factor() - settings.scale).abs() > 1e-3 {
        ctx.set_zoom_factor(settings.scale);
    }
}

/// Sets up both looks, once.
pub(crate) fn install(ctx: &Context) {
    for theme in [Theme::Light, Theme::Dark] {
        ctx.style_mut_of(theme, |style| restyle(style, theme));
    }
    // The scale is a setting of ours, remembered between starts.
    ctx.options_mut(|options| {
        options.zoom_with_keyboard = false;
        options.fallback_theme = Theme::Light;
    });
}

fn restyle(style: &mut Style, theme: Theme) {
    let font = |size| FontId::new(size, FontFamily::Proportional);
    style.text_styles = [
        (TextStyle::Small, font(12.5)),
        (TextStyle::Body, font(15.5)),
        (TextStyle::Button, font(15.5)),
        (TextStyle::Heading, font(22.0)),
        (TextStyle::Monospace, FontId::new(14.0, FontFamily::Monospace)),
    ]
    .into();
    style.spacing.item_spacing = Vec2::new(8.0, 7.0);
    style.spacing.button_padding = Vec2::new(12.0, 6.0);
    style.spacing.interact_size.y = 30.0;
    style.spacing.window_margin = Margin::same(18);
    style.spacing.slider_width = 180.0;
    style.spacing.tooltip_width = 340.0;
    style.visuals = visuals(theme);
}

fn visuals(theme: Theme) -> Visuals {
    let rgb = Color32::from_rgb;
    let mut v = theme.default_visuals();
    // ground, raised, line, button, small parts of others, button under the pointer, letters
    let (ground, raised, line, button, small, hover, letters) = match theme {
        Theme::Light => (
            rgb(250, 248, 244),
            rgb(255, 255, 255),
            rgb(222, 217, 207),
            rgb(236, 232, 224),
            rgb(203, 195, 181),
            rgb(225, 219, 207),
            rgb(38, 36, 33),
        ),
        Theme::Dark => (
            rgb(28, 31, 36),
            rgb(38, 42, 48),
            rgb(58, 63, 71),
            rgb(51, 56, 64),
            rgb(90, 97, 108),
            rgb(66, 72, 82),
            rgb(232, 230, 225),
        ),
    };
    let accent = match theme {
        Theme::Light => rgb(0, 96, 150),
        Theme::Dark => rgb(86, 170, 224),
    };
    v.panel_fill = ground;
    v.window_fill = raised;
    v.extreme_bg_color = raised;
    // A field is visible on a page as well as beside the picture.
    v.text_edit_bg_color = Some(button);
    v.faint_bg_color = button;
    v.window_stroke = Stroke::new(1.0, line);
    v.window_corner_radius = CornerRadius::same(12);
    v.menu_corner_radius = CornerRadius::same(10);
    v.hyperlink_color = accent;
    v.warn_fg_color = match theme {
        Theme::Light => rgb(156, 84, 0),
        Theme::Dark => rgb(246, 184, 88),
    };
    v.error_fg_color = match theme {
        Theme::Light => rgb(176, 36, 28),
        Theme::Dark => rgb(255, 140, 128),
    };
    v.weak_text_alpha = 0.72;
    let radius = CornerRadius::same(8);
    for (widget, fill) in [
        (&mut v.widgets.noninteractive, ground),
        (&mut v.widgets.inactive, button),
        (&mut v.widgets.hovered, hover),
        (&mut v.widgets.active, hover),
        (&mut v.widgets.open, hover),
    ] {
        widget.corner_radius = radius;
        widget.bg_fill = fill;
        widget.weak_bg_fill = fill;
        widget.fg_stroke = Stroke::new(1.2, letters);
        widget.bg_stroke = Stroke::NONE;
        widget.expansion = 0.0;
    }
    v.widgets.noninteractive.bg_stroke = Stroke::new(1.0, line);
    // Boxes to be ticked and the lines of sliders, which are no larger than their sign.
    v.widgets.inactive.bg_fill = small;
    // Keyboard users must see where the focus is.
    v.widgets.hovered.bg_stroke = Stroke::new(1.0, accent);
    v.widgets.active.bg_stroke = Stroke::new(2.0, accent);
    v.selection.bg_fill = accent;
    v.selection.stroke = Stroke::new(
        1.2,
        match theme {
            Theme::Light => Color32::WHITE,
            Theme::Dark => rgb(10, 20, 28),
        },
    );
    v
}

#[cfg(test)]
mod tests {
    use super::*;
    use setsight_photo::print::color::linear_rgb;

    /// Relative luminance (WCAG 2).
    fn luminance(color: Color32) -> f64 {
        let [r, g, b] = linear_rgb([color.r(), color.g(), color.b()]);
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    fn contrast(a: Color32, b: Color32) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn letters_can_be_read_in_both_looks() {
        for theme in [Theme::Light, Theme::Dark] {
            let v = visuals(theme);
            for ground in [v.panel_fill, v.window_fill, v.widgets.inactive.weak_bg_fill] {
                assert!(contrast(v.widgets.inactive.fg_stroke.color, ground) > 7.0);
                assert!(contrast(v.warn_fg_color, ground) > 4.5, "{theme:?}");
                assert!(contrast(v.error_fg_color, ground) > 4.5, "{theme:?}");
            }
            assert!(contrast(v.selection.stroke.color, v.selection.bg_fill) > 4.5);
        }
    }

    #[test]
    fn fields_and_boxes_stand_out_from_what_they_lie_on() {
        for theme in [Theme::Light, Theme::Dark] {
            let v = visuals(theme);
            for ground in [v.panel_fill, v.window_fill] {
                assert!(contrast(v.text_edit_bg_color(), ground) > 1.12, "{theme:?}");
                assert!(contrast(v.widgets.inactive.bg_fill, ground) > 1.5, "{theme:?}");
            }
            assert!(contrast(v.widgets.inactive.fg_stroke.color, v.text_edit_bg_color()) > 7.0);
        }
    }

    #[test]
    fn a_number_can_be_read_on_every_set_colour() {
        for palette in Palette::ALL {
            for place in 0..SET_COLORS {
                let color = palette.set_color(place);
                assert!(contrast(color, text_on(color)) > 3.0, "{palette:?} {place}");
            }
        }
    }

    #[test]
    fn no_colour_comes_again_before_the_mark_has_another_shape() {
        for palette in Palette::ALL {
            for place in 0..SET_COLORS {
                let colors = (0..place).map(|other| palette.set_color(other));
                let [r, g, b, _] = palette.set_color(place).to_array().map(i32::from);
                for other in colors {
                    let [x, y, z, _] = other.to_array().map(i32::from);
                    let apart = (r - x).abs() + (g - y).abs() + (b - z).abs();
                    assert!(apart > 70, "{palette:?} {place}: {apart}");
                }
            }
            assert_eq!(palette.set_color(0), palette.set_color(SET_COLORS), "{palette:?}");
        }
    }

    #[test]
    fn the_strong_inks_differ_in_lightness() {
        let mut inks = Color::ALL.map(|color| luminance(Palette::Strong.ink(color)));
        inks.sort_by(f64::total_cmp);
        for pair in inks.windows(2) {
            assert!((pair[1] + 0.05) / (pair[0] + 0.05) > 2.0, "{inks:?}");
        }
    }
}
