//! Pictures of motion, from plain data: no command line, no files.
//!
//! ```text
//! Motion, Figure, Ground --(Subject)--> Strip or ContactSheet --draw--> Picture --svg, raster--> text or bytes
//!                       (view: cameras; cell: one pose; panels: a standing camera; timeline: below the figures)
//! ```

pub mod cell;
pub mod contact_sheet;
pub mod figure;
pub mod ground;
mod header;
pub mod layout;
pub mod motion;
mod panels;
pub mod raster;
pub mod shapes;
pub mod strip;
pub mod svg;
mod timeline;
pub mod view;
