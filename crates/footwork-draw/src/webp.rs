//! Animated WebP, lossless. `image-webp` encodes the pictures; the container follows the "WebP Container Specification" (RIFF;
//! chunks VP8X, ANIM, and an ANMF per picture). Only the changed part of each picture is stored.

use crate::bitmap::{Area, Bitmap};
use crate::error::DrawError;
use image_webp::{ColorType, EncoderParams, WebPEncoder};

/// Maximum width and height of the format.
const LARGEST: u32 = 1 << 24;
/// VP8X: the file is animated.
const ANIMATED: u8 = 0x02;
/// ANMF: the picture replaces the pixels under it, and remains.
const REPLACE: u8 = 0x02;
/// Bytes before the picture's chunk in a file with one picture: `RIFF`, size, `WEBP`.
const FILE_HEAD: usize = 12;

/// Writer for a file that repeats forever.
pub struct WebpWriter {
    size: [u32; 2],
    chunks: Vec<u8>,
    before: Option<Bitmap>,
    /// Duration of a picture, in milliseconds.
    duration: u32,
}

impl WebpWriter {
    /// Starts a file of pictures of one size. `duration_ms` is the duration of each picture.
    ///
    /// # Errors
    /// Returns [`DrawError`] for sizes that WebP does not support.
    pub fn new(width: u32, height: u32, duration_ms: u32) -> Result<Self, DrawError> {
        if width == 0 || height == 0 || width > LARGEST || height > LARGEST {
            return Err(DrawError::NoBitmap { width_px: width, height_px: height });
        }
        Ok(Self { size: [width, height], chunks: Vec::new(), before: None, duration: duration_ms.min(LARGEST - 1) })
    }

    /// Adds a picture.
    ///
    /// # Errors
    /// Returns [`DrawError`] if it has another size or cannot be encoded.
    pub fn push(&mut self, picture: Bitmap) -> Result<(), DrawError> {
        if [picture.width, picture.height] != self.size {
            return Err(DrawError::NoBitmap { width_px: picture.width, height_px: picture.height });
        }
        let nothing = Area { left: 0, top: 0, width: 1, height: 1 };
        let area = match &self.before {
            None => picture.area(),
            Some(before) => picture.difference(before).unwrap_or(nothing),
        };
        let pixels: Vec<u8> = picture.part(area).flatten().collect();
        // Prediction makes the file smaller if much moves; without it, long runs of one colour are smaller.
        let [with, without] = [true, false].map(|predict| still(&pixels, area, predict));
        let (with, without) = (with?, without?);
        let file = if with.len() < without.len() { with } else { without };
        let mut frame = Vec::with_capacity(file.len() + 16);
        for v in [area.left / 2, area.top / 2, area.width - 1, area.height - 1, self.duration] {
            frame.extend(u24(v));
        }
        frame.push(REPLACE);
        frame.extend_from_slice(&file[FILE_HEAD..]);
        chunk(&mut self.chunks, b"ANMF", &frame);
        self.before = Some(picture);
        Ok(())
    }

    /// Returns the file.
    ///
    /// # Errors
    /// Returns [`DrawError`] if the file would exceed 4 GB.
    pub fn finish(self) -> Result<Vec<u8>, DrawError> {
        let mut body = b"WEBP".to_vec();
        let [width, height] = self.size;
        let mut head = vec![ANIMATED, 0, 0, 0];
        head.extend(u24(width - 1).into_iter().chain(u24(height - 1)));
        chunk(&mut body, b"VP8X", &head);
        // Background: white. Repeats: 0 means forever.
        chunk(&mut body, b"ANIM", &[255, 255, 255, 255, 0, 0]);
        body.extend_from_slice(&self.chunks);
        let Ok(size) = u32::try_from(body.len()) else {
            return Err(DrawError::Encode("the file would have more than 4 GB".to_owned()));
        };
        Ok([b"RIFF".as_slice(), &size.to_le_bytes(), &body].concat())
    }
}

/// Returns the file of one picture.
fn still(pixels: &[u8], area: Area, predict: bool) -> Result<Vec<u8>, DrawError> {
    let mut file = Vec::new();
    let mut encoder = WebPEncoder::new(&mut file);
    let mut params = EncoderParams::default();
    params.use_predictor_transform = predict;
    encoder.set_params(params);
    let encoded = encoder.encode(pixels, area.width, area.height, ColorType::Rgb8);
    encoded.map_err(|e| DrawError::Encode(e.to_string()))?;
    Ok(file)
}

/// Appends a chunk: name, size, content, and a padding byte after an odd size.
fn chunk(out: &mut Vec<u8>, name: &[u8; 4], content: &[u8]) {
    out.extend_from_slice(name);
    out.extend_from_slice(&(content.len() as u32).to_le_bytes());
    out.extend_from_slice(content);
    if content.len() % 2 == 1 {
        out.push(0);
    }
}

/// Returns three bytes, lowest first.
fn u24(v: u32) -> [u8; 3] {
    let [a, b, c, _] = v.to_le_bytes();
    [a, b, c]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns pictures of a dot that moves to the right over white.
    fn pictures() -> Vec<Bitmap> {
        let dotted = |x: usize| {
            let mut b = Bitmap { width: 33, height: 21, rgb: vec![[255; 3]; 33 * 21] };
            b.rgb[10 * 33 + x] = [200, 10, 90];
            b
        };
        // The third and the fourth are equal.
        [3, 9, 14, 14, 31].map(dotted).to_vec()
    }

    #[test]
    fn every_picture_comes_back_to_the_pixel_with_its_duration() {
        let pictures = pictures();
        let mut writer = WebpWriter::new(33, 21, 40).unwrap();
        pictures.iter().for_each(|p| writer.push(p.clone()).unwrap());
        let bytes = writer.finish().unwrap();
        let mut decoder = image_webp::WebPDecoder::new(std::io::Cursor::new(&bytes)).unwrap();
        assert!(decoder.is_animated() && decoder.dimensions() == (33, 21));
        assert_eq!(decoder.num_frames() as usize, pictures.len());
        assert_eq!(decoder.loop_count(), image_webp::LoopCount::Forever);
        for picture in &pictures {
            let mut pixels = vec![0; decoder.output_buffer_size().unwrap()];
            assert_eq!(decoder.read_frame(&mut pixels).unwrap(), 40);
            let step = pixels.len() / picture.rgb.len();
            let rgb: Vec<[u8; 3]> = pixels.chunks_exact(step).map(|p| [p[0], p[1], p[2]]).collect();
            assert!(rgb == picture.rgb);
        }
    }

    #[test]
    fn pictures_of_another_size_and_sizes_that_cannot_be_are_refused() {
        assert!(WebpWriter::new(0, 5, 40).is_err() && WebpWriter::new(5, 1 << 25, 40).is_err());
        let mut writer = WebpWriter::new(34, 21, 40).unwrap();
        assert!(writer.push(pictures().remove(0)).is_err());
    }
}
