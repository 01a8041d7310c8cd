//! Animated GIF: one palette for all pictures. Only the changed part of each picture is stored.

use crate::bitmap::{Area, Bitmap};
use crate::error::DrawError;
use color_quant::NeuQuant;
use gif::{Encoder, Frame, Repeat};
use std::collections::HashMap;
use std::io::Write;

/// Number of colours in a palette.
const COLOURS: usize = 256;
/// Sampling step of the pixels for the palette: 1 uses all, 30 few.
const SAMPLING: i32 = 10;

/// Writer for a file that repeats forever.
pub struct GifWriter<W: Write> {
    encoder: Encoder<W>,
    palette: Palette,
    before: Option<Bitmap>,
    /// Duration of a picture, in hundredths of a second.
    delay: u16,
}

/// Colours, and the index of the nearest one for each colour so far.
struct Palette {
    quant: NeuQuant,
    met: HashMap<[u8; 3], u8>,
}

impl<W: Write> GifWriter<W> {
    /// Starts a file. `samples` are some of its pictures, from which the palette is made; all pictures have the size of the
    /// first. `delay` is the duration of a picture, in hundredths of a second.
    ///
    /// # Errors
    /// Returns [`DrawError`] without samples, for sizes that GIF does not support, and if the file cannot be written.
    pub fn new(to: W, samples: &[Bitmap], delay: u16) -> Result<Self, DrawError> {
        let Some(first) = samples.first() else { return Err(DrawError::Encode("no pictures".to_owned())) };
        let size = |v: u32| u16::try_from(v).map_err(|_| no_size(first));
        let (width, height) = (size(first.width)?, size(first.height)?);
        let pixels: Vec<u8> = samples.iter().flat_map(|s| &s.rgb).flat_map(|[r, g, b]| [*r, *g, *b, 255]).collect();
        let palette = Palette { quant: NeuQuant::new(SAMPLING, COLOURS, &pixels), met: HashMap::new() };
        let colours = palette.quant.color_map_rgb();
        let mut encoder = Encoder::new(to, width, height, &colours).map_err(wrong)?;
        encoder.set_repeat(Repeat::Infinite).map_err(wrong)?;
        Ok(Self { encoder, palette, before: None, delay })
    }

    /// Adds a picture.
    ///
    /// # Errors
    /// Returns [`DrawError`] if the file cannot be written.
    pub fn push(&mut self, picture: Bitmap) -> Result<(), DrawError> {
        let nothing = Area { left: 0, top: 0, width: 1, height: 1 };
        let area = match &self.before {
            None => picture.area(),
            Some(before) => picture.difference(before).unwrap_or(nothing),
        };
        let palette = &mut self.palette;
        let indices: Vec<u8> = picture.part(area).map(|colour| palette.index(colour)).collect();
        let frame = Frame {
            delay: self.delay,
            left: area.left as u16,
            top: area.top as u16,
            width: area.width as u16,
            height: area.height as u16,
            buffer: indices.into(),
            ..Frame::default()
        };
        self.encoder.write_frame(&frame).map_err(wrong)?;
        self.before = Some(picture);
        Ok(())
    }

    /// Ends the file.
    ///
    /// # Errors
    /// Returns [`DrawError`] if the file cannot be written.
    pub fn finish(self) -> Result<W, DrawError> {
        self.encoder.into_inner().map_err(|e| DrawError::Encode(e.to_string()))
    }
}

impl Palette {
    fn index(&mut self, colour: [u8; 3]) -> u8 {
        let [r, g, b] = colour;
        *self.met.entry(colour).or_insert_with(|| self.quant.index_of(&[r, g, b, 255]) as u8)
    }
}

fn wrong(error: gif::EncodingError) -> DrawError {
    DrawError::Encode(error.to_string())
}

fn no_size(bitmap: &Bitmap) -> DrawError {
    DrawError::NoBitmap { width_px: bitmap.width, height_px: bitmap.height }
}
