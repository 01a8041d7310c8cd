//! Picture as PNG. Text uses a built-in bitmap typeface, so it needs no system font and the result is the same on every machine.

use crate::bitmap::Bitmap;
use crate::error::DrawError;
use crate::shapes::{Anchor, Colour, Font, Picture, Point, Shape};
use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster};
use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, PremultipliedColorU8, Stroke, StrokeDash,
    Transform,
};

/// Draws a picture on white, as a PNG file.
///
/// # Errors
/// Returns [`DrawError`] if a bitmap cannot have this size, or encoding fails.
pub fn write(picture: &Picture) -> Result<Vec<u8>, DrawError> {
    page(picture)?.encode_png().map_err(|e| DrawError::Png(e.to_string()))
}

/// Draws a picture on white, as pixels.
///
/// # Errors
/// Returns [`DrawError`] if a bitmap cannot have this size.
pub fn bitmap(picture: &Picture) -> Result<Bitmap, DrawError> {
    let page = page(picture)?;
    // The page is opaque, so colours are equal to their premultiplied form.
    let rgb = page.pixels().iter().map(|p| [p.red(), p.green(), p.blue()]).collect();
    Ok(Bitmap { width: page.width(), height: page.height(), rgb })
}

fn page(picture: &Picture) -> Result<Pixmap, DrawError> {
    let size = (picture.width.ceil() as u32, picture.height.ceil() as u32);
    let mut page = Pixmap::new(size.0, size.1).ok_or(DrawError::NoBitmap { width_px: size.0, height_px: size.1 })?;
    page.fill(Color::WHITE);
    for shape in &picture.shapes {
        match shape {
            Shape::Area { points, fill, edge } => {
                let Some(path) = path(points, true) else { continue };
                page.fill_path(&path, &paint(*fill), FillRule::Winding, Transform::identity(), None);
                if let Some((colour, width)) = edge {
                    page.stroke_path(&path, &paint(*colour), &stroke(*width, false), Transform::identity(), None);
                }
            }
            Shape::Line { points, colour, width, dashed } => {
                if let Some(path) = path(points, false) {
                    page.stroke_path(&path, &paint(*colour), &stroke(*width, *dashed), Transform::identity(), None);
                }
            }
            Shape::Words { at, anchor, font, colour, text } => words(&mut page, *at, *anchor, *font, *colour, text),
        }
    }
    Ok(page)
}

fn path(points: &[Point], closed: bool) -> Option<Path> {
    let mut b = PathBuilder::new();
    for (i, [x, y]) in points.iter().enumerate() {
        if i == 0 { b.move_to(*x, *y) } else { b.line_to(*x, *y) }
    }
    if closed {
        b.close();
    }
    b.finish()
}

fn paint(c: Colour) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color_rgba8(c.0, c.1, c.2, c.3);
    paint
}

fn stroke(width: f32, dashed: bool) -> Stroke {
    let dash = if dashed { StrokeDash::new(vec![4.0, 3.0], 0.0) } else { None };
    Stroke { width, line_cap: LineCap::Round, line_join: LineJoin::Round, dash, ..Stroke::default() }
}

fn words(page: &mut Pixmap, at: Point, anchor: Anchor, font: Font, colour: Colour, text: &str) {
    let (weight, height, ascent) = match font {
        Font::Small => (FontWeight::Regular, RasterHeight::Size16, 13),
        Font::SmallBold => (FontWeight::Bold, RasterHeight::Size16, 13),
        Font::Large => (FontWeight::Bold, RasterHeight::Size24, 19),
    };
    let width = font.width(text);
    let left = at[0]
        - match anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => width / 2.0,
            Anchor::End => width,
        };
    // Text far outside is not visible, and its pixel coordinates would overflow.
    let near = left.abs().max(at[1].abs()) < 1e6;
    if !near {
        return;
    }
    let (mut x, top) = (left.round() as i32, at[1].round() as i32 - ascent);
    for c in text.chars() {
        if x > page.width() as i32 {
            return;
        }
        let glyph = get_raster(c, weight, height).or_else(|| get_raster('?', weight, height));
        for (row, line) in glyph.iter().flat_map(|g| g.rows().enumerate()) {
            for (column, cover) in line.iter().enumerate().filter(|p| *p.1 > 0) {
                blend(page, x + column as i32, top + row as i32, colour, *cover);
            }
        }
        x += font.advance() as i32;
    }
}

fn blend(page: &mut Pixmap, x: i32, y: i32, colour: Colour, cover: u8) {
    let (w, h) = (page.width() as i32, page.height() as i32);
    if !(0..w).contains(&x) || !(0..h).contains(&y) {
        return;
    }
    let pixel = &mut page.pixels_mut()[(y * w + x) as usize];
    let share = u32::from(cover) * u32::from(colour.3) / 255;
    let mix = |under: u8, over: u8| ((u32::from(under) * (255 - share) + u32::from(over) * share + 127) / 255) as u8;
    // The page is opaque everywhere, so colours are equal to their premultiplied form.
    let mixed = PremultipliedColorU8::from_rgba(
        mix(pixel.red(), colour.0),
        mix(pixel.green(), colour.1),
        mix(pixel.blue(), colour.2),
        255,
    );
    if let Some(mixed) = mixed {
        *pixel = mixed;
    }
}
