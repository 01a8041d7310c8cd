//! Animated pictures: GIF and WebP.

use crate::args::FilmArgs;
use crate::kind::extension;
use crate::progress;
use anyhow::{Result, anyhow, bail};
use footwork_draw::animation::{MOST_FRAMES, Scene};
use footwork_draw::bitmap::Bitmap;
use footwork_draw::error::DrawError;
use footwork_draw::gif::GifWriter;
use footwork_draw::raster;
use footwork_draw::webp::WebpWriter;
use std::path::Path;

/// Default width, in pixels: that of pictures in chat programs.
const WIDTH: u32 = 480;
const WIDTHS: std::ops::RangeInclusive<u32> = 160..=1920;
/// Time between pictures, in seconds. Browsers play GIFs of less than 0.02 s slowly.
const EVERY_S: f64 = 0.04;
const EVERY_RANGE_S: std::ops::RangeInclusive<f64> = 0.02..=10.0;
/// Number of pictures that determine the palette of a GIF.
const SAMPLES: usize = 8;

/// Format of an animated picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Gif,
    Webp,
}

impl Format {
    /// Returns the format for the extension of a file name.
    pub fn of(path: &Path) -> Option<Self> {
        match extension(path).as_str() {
            "gif" => Some(Self::Gif),
            "webp" => Some(Self::Webp),
            _ => None,
        }
    }
}

/// Settings of an animated picture.
#[derive(Clone, Copy, Debug)]
pub struct Film {
    /// Time between pictures, in seconds, a multiple of 0.01 (the unit of GIF).
    pub every_s: f64,
    pub width: u32,
}

impl Film {
    /// Returns the settings of the flags, after checking them.
    pub fn of(args: &FilmArgs) -> Result<Self> {
        if args.sheet || args.frames.is_some() {
            bail!(
                "--sheet, --frames: expected a .png or .svg picture, found an animated one; its pictures are set by --every"
            );
        }
        let every_s = args.every.unwrap_or(EVERY_S);
        if !EVERY_RANGE_S.contains(&every_s) {
            let (least, most) = (EVERY_RANGE_S.start(), EVERY_RANGE_S.end());
            bail!("--every {every_s}: expected {least} to {most} seconds in an animated picture");
        }
        let width = args.width.unwrap_or(WIDTH);
        if !WIDTHS.contains(&width) {
            bail!("--width {width}: expected {} to {} pixels in an animated picture", WIDTHS.start(), WIDTHS.end());
        }
        Ok(Self { every_s: (every_s * 100.0).round() / 100.0, width })
    }

    /// Adds the relevant flags to an error.
    pub fn too_many(&self, error: DrawError) -> anyhow::Error {
        match error {
            DrawError::TooManyPoses { poses, .. } => anyhow!(
                "{poses} pictures: expected at most {MOST_FRAMES} in an animated picture; select fewer seconds (--from, --to), or \
                 a longer --every"
            ),
            other => other.into(),
        }
    }

    /// Draws all pictures and returns the file.
    pub fn encode(&self, format: Format, scene: &Scene, json: bool) -> Result<Vec<u8>> {
        let frames = scene.times_s.len();
        let bar = progress::bar("filming", frames as u64, json);
        let bitmap = |index: usize| -> Result<Bitmap> {
            bar.inc(1);
            Ok(raster::bitmap(&scene.draw(index))?)
        };
        let bytes = match format {
            Format::Gif => {
                let samples: Result<Vec<Bitmap>> = (0..SAMPLES.min(frames))
                    .map(|k| Ok(raster::bitmap(&scene.draw(k * frames / SAMPLES.min(frames)))?))
                    .collect();
                let mut writer = GifWriter::new(Vec::new(), &samples?, (self.every_s * 100.0).round() as u16)?;
                for index in 0..frames {
                    writer.push(bitmap(index)?)?;
                }
                writer.finish()?
            }
            Format::Webp => {
                let mut writer =
                    WebpWriter::new(self.width, scene.height as u32, (self.every_s * 1000.0).round() as u32)?;
                for index in 0..frames {
                    writer.push(bitmap(index)?)?;
                }
                writer.finish()?
            }
        };
        bar.finish_and_clear();
        Ok(bytes)
    }
}
