//! Pictures of motion from plain data, as display lists: no command line, no files, no window.
//!
//! ```text
//! Motion, Figure, Ground --(Subject)--> Strip or ContactSheet --draw--> Picture --svg, raster, paint--> text, bytes, shapes of egui
//!                       (view: cameras; cell: one pose; panels: a standing camera; timeline: below the figures)
//! PathPlot ------------------------------------------------------------------------svg--> a run from above
//! ```

pub mod cell;
pub mod contact_sheet;
pub mod error;
pub mod figure;
pub mod ground;
mod header;
pub mod layout;
pub mod markup;
pub mod motion;
#[cfg(feature = "egui")]
pub mod paint;
mod panels;
pub mod path_plot;
#[cfg(feature = "png")]
pub mod raster;
pub mod shapes;
pub mod strip;
pub mod svg;
mod timeline;
pub mod view;
