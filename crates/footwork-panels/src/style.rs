//! Colours of the panels, light and dark.

use egui::Color32;
use footwork_draw::shapes::Colour;

/// Colours of the viewport.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scene {
    pub sky: Colour,
    pub ground: Colour,
    pub line: Colour,
    pub shadow: Colour,
    pub words: Colour,
}

impl Scene {
    pub fn of(dark: bool) -> Self {
        if dark {
            Self {
                sky: Colour::rgb(0x1d2127),
                ground: Colour::rgb(0x272c34),
                line: Colour::rgb(0x3d4450),
                shadow: Colour::rgb(0x171a1f),
                words: Colour::rgb(0xb8c0cc),
            }
        } else {
            Self {
                sky: Colour::rgb(0xe9eef4),
                ground: Colour::rgb(0xdde2e8),
                line: Colour::rgb(0xc2c9d2),
                shadow: Colour::rgb(0xb3bac4),
                words: Colour::rgb(0x4b5563),
            }
        }
    }
}

/// Requested trajectory.
pub(crate) const COMMANDED: Colour = Colour::rgb(0x2fa36b);
/// Matched trajectory.
pub(crate) const MATCHED: Colour = Colour::rgb(0xd64292);
/// Past path.
pub(crate) const PAST: Colour = Colour::rgb(0x7d8794);
/// Foot in contact, and locked foot.
pub(crate) const TOUCHES: Colour = Colour::rgb(0x9ad0a8);
pub(crate) const HELD: Colour = Colour::rgb(0x2e9a62);

/// Returns the colour of a channel. Neighbours differ clearly, and all are readable on light and dark.
pub(crate) fn channel(index: usize) -> Color32 {
    let hue = (index as f32 * 0.381_966) % 1.0;
    egui::ecolor::Hsva::new(hue, 0.62, 0.82, 1.0).into()
}

/// Returns the colour of a state of the machine.
pub(crate) fn state(index: usize) -> Color32 {
    let hue = (index as f32 * 0.381_966 + 0.3) % 1.0;
    egui::ecolor::Hsva::new(hue, 0.35, 0.8, 1.0).into()
}

/// Returns the colour of a clip.
pub(crate) fn clip(index: usize) -> Color32 {
    let hue = (index as f32 * 0.618_034 + 0.55) % 1.0;
    egui::ecolor::Hsva::new(hue, 0.45, 0.72, 1.0).into()
}

/// Marks on clips: cost biases, excluded parts, parts with blocked transitions.
pub(crate) const COST: Colour = Colour::rgb(0xd9a227);
pub(crate) const DISCARD: Colour = Colour::rgb(0xc4524e);
pub(crate) const NO_ENTRY: Colour = Colour::rgb(0xc77d3a);

pub(crate) fn shape(c: Color32) -> Colour {
    Colour(c.r(), c.g(), c.b(), c.a())
}
