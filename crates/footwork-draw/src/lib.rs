//! Pictures of motion from plain data, as display lists, without command line, files or windows.
//!
//! ```text
//! Motion, Figure, Ground --(Subject)--> Strip or ContactSheet --draw--> Picture --svg, raster, paint--> text, bytes, shapes of egui
//!                       (view: cameras; cell: one pose; panels: a standing camera; timeline: below the figures)
//! Animation --draw--> Pictures --raster--> Bitmaps --gif, webp--> one file that plays
//! HistogramPlot, ScatterPlot, HeatMap, BarPlot --draw--> Picture
//! PathPlot ------------------------------------------------------------------------svg--> a run from above
//! ```

#[cfg(feature = "animation")]
pub mod animation;
#[cfg(feature = "png")]
pub mod bitmap;
pub mod cell;
pub mod contact_sheet;
pub mod error;
pub mod figure;
#[cfg(feature = "animation")]
pub mod gif;
pub mod ground;
mod header;
pub mod layout;
pub mod markup;
pub mod motion;
#[cfg(feature = "egui")]
pub mod paint;
mod panels;
pub mod path_plot;
pub mod plots;
#[cfg(feature = "png")]
pub mod raster;
pub mod shapes;
pub mod strip;
pub mod svg;
mod timeline;
pub mod view;
#[cfg(feature = "animation")]
pub mod webp;

pub use timeline::tracks;
