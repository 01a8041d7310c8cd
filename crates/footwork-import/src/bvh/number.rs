//! Converts decimal text to `f32`, eight digits at a time.
//!
//! A motion block consists of short decimals such as `-170.569358`. Up to 7 digits before and 7 after the point form a mantissa
//! below 2^53, whose division by an exact power of ten is correctly rounded. Up to 19 digits are read one by one; anything else
//! goes to `str::parse`. All three methods give the bits of `text.parse::<f64>() as f32`, on every machine.
//!
//! Source for eight digits in one word: D. Lemire, "Quickly parsing eight digits" (2018).

use super::lexer::{is_blank, is_line_end};

/// Reason why a word is not a value.
#[derive(Debug, PartialEq)]
pub(super) enum Reject {
    NotANumber,
    NotFinite,
}

/// Powers of ten are exact up to 10^22.
const TEN: [f64; 20] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19];
const TEN_INT: [u64; 8] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000];

/// Reads the number that starts at byte `at` of a motion row. Returns its value and its end.
#[inline(always)]
pub(super) fn value(bytes: &[u8], at: usize) -> Result<(f32, usize), Reject> {
    match plain(bytes, at) {
        Some(v) => Ok(v),
        None => unusual(bytes, at),
    }
}

/// Reads a plain short decimal with 8 bytes to spare after it. Returns `None` for other numbers.
#[inline(always)]
fn plain(bytes: &[u8], at: usize) -> Option<(f32, usize)> {
    // Longest case: a sign, 7 digits, a point and 8 bytes that are examined.
    let window: &[u8; 24] = bytes.get(at..at + 24)?.try_into().ok()?;
    let sign = usize::from(window[0] == b'-');
    let (whole, n) = digits(window, sign);
    let point = sign + n;
    let (mantissa, decimals, end) = if window[point] == b'.' {
        let (part, m) = digits(window, point + 1);
        if n == 8 || m == 8 || n + m == 0 {
            return None;
        }
        (whole * TEN_INT[m] + part, m, point + 1 + m)
    } else {
        if n == 8 || n == 0 {
            return None;
        }
        (whole, 0, point)
    };
    let after = window[end];
    if !(after == b' ' || is_blank(after) || is_line_end(after)) {
        return None;
    }
    let magnitude = mantissa as f64 / TEN[decimals];
    let v = if sign == 1 { -magnitude } else { magnitude };
    Some((v as f32, at + end))
}

/// Reads the digits at `window[i..i + 8]` up to the first other byte. Returns their value and number; the value is invalid for
/// 8.
#[inline(always)]
fn digits(window: &[u8; 24], i: usize) -> (u64, usize) {
    let Some(Ok(bytes)) = window.get(i..i + 8).map(<[u8; 8]>::try_from) else { return (0, 8) };
    // Digits become 0..=9; the next line sets the high bit of all other bytes. A carry can only corrupt bytes after the first
    // of these.
    let t = u64::from_le_bytes(bytes) ^ 0x3030_3030_3030_3030;
    let other = (t.wrapping_add(0x7676_7676_7676_7676) | t) & 0x8080_8080_8080_8080;
    let n = (other.trailing_zeros() / 8) as usize;
    // The first digit is the lowest byte: shift the digits up so that leading zeros fill the rest.
    let v = (t << 8) << (56 - 8 * (n.min(7) as u32));
    let pairs = v.wrapping_mul(10).wrapping_add(v >> 8);
    let low = (pairs & 0x0000_00ff_0000_00ff).wrapping_mul(0x000f_4240_0000_0064);
    let high = ((pairs >> 16) & 0x0000_00ff_0000_00ff).wrapping_mul(0x0000_2710_0000_0001);
    (low.wrapping_add(high) >> 32, n)
}

/// Reads numbers with many digits, at the end of the file or with exponents; rejects words that are not numbers.
#[inline(never)]
fn unusual(bytes: &[u8], at: usize) -> Result<(f32, usize), Reject> {
    if let Some(v) = long(bytes, at) {
        return Ok(v);
    }
    let len = bytes[at..].iter().position(|b| is_blank(*b) || is_line_end(*b)).unwrap_or(bytes.len() - at);
    Ok((word(&bytes[at..at + len])?, at + len))
}

/// Reads decimals of up to 19 digits, anywhere in the file.
fn long(bytes: &[u8], at: usize) -> Option<(f32, usize)> {
    let negative = bytes.get(at) == Some(&b'-');
    let start = at + usize::from(negative);
    let (mut end, mut mantissa, mut digits, mut point) = (start, 0u64, 0usize, None);
    while let Some(b) = bytes.get(end) {
        match b {
            b'0'..=b'9' => {
                digits += 1;
                if digits > 19 {
                    return None;
                }
                mantissa = mantissa * 10 + u64::from(b - b'0');
            }
            b'.' if point.is_none() => point = Some(digits),
            b if is_blank(*b) || is_line_end(*b) => break,
            _ => return None,
        }
        end += 1;
    }
    if digits == 0 {
        return None;
    }
    let magnitude = mantissa as f64 / TEN[digits - point.unwrap_or(digits)];
    // Above 2^53 the quotient may be off by its last bits, which only matters if two f32 values are equally near.
    let from_tie = (magnitude.to_bits() & 0x1fff_ffff).abs_diff(0x1000_0000);
    if mantissa >= 1 << 53 && from_tie < 4 {
        return None;
    }
    let v = if negative { -magnitude } else { magnitude };
    Some((v as f32, end))
}

/// Parses a whole word as a number.
pub(super) fn word(text: &[u8]) -> Result<f32, Reject> {
    // Microsoft's C library prints NaN and infinity as `-1.#IND00` or similar.
    if text.contains(&b'#') {
        return Err(Reject::NotFinite);
    }
    let v: f64 = std::str::from_utf8(text).ok().and_then(|t| t.parse().ok()).ok_or(Reject::NotANumber)?;
    let v = v as f32;
    if v.is_finite() { Ok(v) } else { Err(Reject::NotFinite) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn padded(text: &str) -> Result<(f32, usize), Reject> {
        value(format!("{text}                         ").as_bytes(), 0)
    }

    fn same(text: &str) {
        let expected = text.parse::<f64>().unwrap() as f32;
        let (v, end) = padded(text).unwrap();
        assert_eq!((v.to_bits(), end), (expected.to_bits(), text.len()), "{text}");
        // The same number at the end of a file.
        let (v, end) = value(text.as_bytes(), 0).unwrap();
        assert_eq!((v.to_bits(), end), (expected.to_bits(), text.len()), "{text} at the end");
    }

    #[test]
    fn numbers_read_as_the_standard_library_reads_them() {
        for text in [
            "0",
            "-0",
            "-0.000000",
            "1",
            "-170.569358",
            "0.0000001",
            "1234567.1234567",
            "12345678",
            "12345678.5",
            "0.12345678",
            "0.123456789012345678901",
            "1.",
            ".5",
            "-.5",
            "+3.25",
            "1e3",
            "-2.5E-4",
            "1e-400",
            "123456789012345678901234567890",
            "9999999.9999999",
            "-170.569358123456789",
            // Slightly above the middle between 1 and the next f32.
            "1.000000059604644776",
            "16777217.00000000001",
            "0.000000000000000000000000000000000000000000001",
            "3.4028235e38",
        ] {
            same(text);
        }
    }

    #[test]
    fn words_that_are_no_finite_number_are_refused() {
        for text in ["", "-", ".", "-.", "abc", "1,5", "1.2.3", "0x10", "1..2", "--1", "1-2", "é", "1e"] {
            assert_eq!(padded(&format!("{text}!")), Err(Reject::NotANumber), "{text}");
        }
        for text in ["nan", "NaN", "-nan", "inf", "-Infinity", "1e300", "-1.#IND00", "1.#QNAN"] {
            assert_eq!(padded(text), Err(Reject::NotFinite), "{text}");
        }
        assert_eq!(padded("."), Err(Reject::NotANumber));
        assert_eq!(padded("-"), Err(Reject::NotANumber));
    }

    proptest! {
        #[test]
        fn any_short_decimal_reads_as_the_standard_library_reads_it(
            sign in "-?", whole in "[0-9]{0,9}", part in "[0-9]{1,9}"
        ) {
            same(&format!("{sign}{whole}.{part}"));
        }

        #[test]
        fn any_long_decimal_reads_as_the_standard_library_reads_it(
            sign in "-?", whole in "[0-9]{0,12}", part in "[0-9]{1,18}"
        ) {
            same(&format!("{sign}{whole}.{part}"));
        }

        #[test]
        fn decimals_near_the_middle_between_two_floats_read_as_the_standard_library_reads_them(
            v in 1.0f32..100_000.0, digits in 10usize..16
        ) {
            let middle = f64::midpoint(f64::from(v), f64::from(v.next_up()));
            same(&format!("{middle:.digits$}"));
        }

        #[test]
        fn any_float_reads_back(v in proptest::num::f32::NORMAL) {
            same(&format!("{v}"));
            same(&format!("{v:e}"));
        }

        #[test]
        fn any_bytes_read_as_a_number_or_not_at_all(bytes in proptest::collection::vec(any::<u8>(), 1..40)) {
            let _ = value(&bytes, 0);
        }

        #[test]
        fn what_is_taken_is_what_the_standard_library_takes(text in "[-+0-9.e]{1,12}") {
            let expected = text.parse::<f64>().ok().map(|v| v as f32).filter(|v| v.is_finite());
            prop_assert_eq!(padded(&text).ok().map(|v| v.0.to_bits()), expected.map(f32::to_bits));
        }
    }
}
