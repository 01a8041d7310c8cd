//! A picture as pixels, and the difference between two of them.

/// Opaque bitmap.
#[derive(Clone, Debug, PartialEq)]
pub struct Bitmap {
    /// Width, in pixels.
    pub width: u32,
    /// Height, in pixels.
    pub height: u32,
    /// `[height x width]` red, green, blue.
    pub rgb: Vec<[u8; 3]>,
}

/// Part of a bitmap, in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Area {
    /// Distance from the left.
    pub left: u32,
    /// Distance from the top.
    pub top: u32,
    /// Width.
    pub width: u32,
    /// Height.
    pub height: u32,
}

impl Bitmap {
    /// Returns the area of the whole bitmap.
    pub fn area(&self) -> Area {
        Area { left: 0, top: 0, width: self.width, height: self.height }
    }

    /// Returns the pixels of a part, row by row.
    pub fn part(&self, area: Area) -> impl Iterator<Item = [u8; 3]> + '_ {
        let rows = area.top..area.top + area.height;
        rows.flat_map(move |y| {
            let start = (y * self.width + area.left) as usize;
            self.rgb[start..start + area.width as usize].iter().copied()
        })
    }

    /// Returns the smallest area with all pixels that differ from another bitmap of the same size, or `None` if there are none.
    /// Left and top are even, as WebP requires.
    pub fn difference(&self, before: &Self) -> Option<Area> {
        let (mut left, mut top, mut right, mut bottom) = (u32::MAX, u32::MAX, 0, 0);
        let rows = self.rgb.chunks_exact(self.width as usize).zip(before.rgb.chunks_exact(self.width as usize));
        for (y, (a, b)) in rows.enumerate() {
            let Some(first) = a.iter().zip(b).position(|(a, b)| a != b) else { continue };
            let last = a.iter().zip(b).rposition(|(a, b)| a != b).unwrap_or(first);
            (left, right) = (left.min(first as u32), right.max(last as u32 + 1));
            (top, bottom) = (top.min(y as u32), y as u32 + 1);
        }
        let (left, top) = (left & !1, top & !1);
        (right > 0).then(|| Area { left, top, width: right - left, height: bottom - top })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_that_differs_is_found() {
        let white = Bitmap { width: 8, height: 6, rgb: vec![[255; 3]; 48] };
        assert_eq!(white.difference(&white), None);
        let mut dotted = white.clone();
        dotted.rgb[3 * 8 + 5] = [0; 3];
        dotted.rgb[4 * 8 + 3] = [1; 3];
        let area = dotted.difference(&white).unwrap();
        assert_eq!(area, Area { left: 2, top: 2, width: 4, height: 3 });
        assert_eq!(dotted.part(area).filter(|p| *p != [255; 3]).count(), 2);
        assert_eq!(white.part(white.area()).count(), 48);
    }
}
