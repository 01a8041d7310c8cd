//! For any bytes, the BVH parser returns a valid motion or an error with its location; it does not panic.

use footwork_import::bvh::{Bvh, Units, parse};
use proptest::prelude::*;

const SMALL: &str = "HIERARCHY
ROOT Hips
{
\tOFFSET 1.5 2e0 -3
\tCHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
\tJOINT Left Leg
\t{
\t\tOFFSET 0 -40 0
\t\tCHANNELS 2 Zrotation Xposition
\t\tEnd Site
\t\t{
\t\t\tOFFSET 0 -50 0
\t\t}
\t}
}
MOTION
Frames: 2
Frame Time: 0.033333
1.25 2 3 4 5 6 7 8
10.123456 20 30 40 50 60 70.5 80
";

fn sound(b: &Bvh) {
    assert!(!b.joints.is_empty() && b.frames > 0 && b.values.len() == b.frames * b.channels());
    assert!(b.values.iter().all(|v| v.is_finite()));
    if let Ok(clip) = b.to_clip("c", "t", Units::Auto) {
        clip.validate().unwrap();
        assert_eq!(clip.frames(), b.frames);
    }
}

/// Checks that the result is a valid motion, or an error with a line within the file.
fn check(bytes: &[u8]) {
    match parse(bytes, "t.bvh") {
        Ok(b) => sound(&b),
        Err(e) => {
            let lines = 1 + bytes.iter().filter(|b| matches!(b, b'\n' | b'\r')).count();
            assert!(e.line.is_some_and(|l| (1..=lines).contains(&l)), "{e}");
            assert!(e.to_string().starts_with("t.bvh:"));
        }
    }
}

#[test]
fn every_beginning_of_a_file_is_an_error_until_the_last_number_starts() {
    let whole = SMALL.len();
    for end in 0..=whole {
        check(&SMALL.as_bytes()[..end]);
        let read = parse(&SMALL.as_bytes()[..end], "t").is_ok();
        assert_eq!(read, end > whole - "80\n".len(), "{end} of {whole} bytes");
    }
}

#[test]
fn every_single_damaged_byte_is_survived() {
    for at in 0..SMALL.len() {
        for byte in [0, b' ', b'\n', b'}', b'{', b'9', b'-', b'.', b'e', b':', 0xff] {
            let mut bytes = SMALL.as_bytes().to_vec();
            bytes[at] = byte;
            check(&bytes);
            bytes.remove(at);
            check(&bytes);
        }
    }
}

proptest! {
    #[test]
    fn random_bytes_are_survived(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        check(&bytes);
    }

    #[test]
    fn random_words_of_the_format_are_survived(words in proptest::collection::vec(0usize..24, 0..120)) {
        const WORDS: [&str; 24] = [
            "HIERARCHY", "ROOT", "JOINT", "End", "Site", "OFFSET", "CHANNELS", "MOTION", "Frames:", "Frame", "Time:", "{",
            "}", "\n", "0", "1", "3", "6", "Xposition", "Yrotation", "-1e9", "nan", "4000000000", "a",
        ];
        let text: String = std::iter::once("HIERARCHY\nROOT a\n{ OFFSET 0 0 0\n")
            .chain(words.into_iter().flat_map(|w| [WORDS[w], " "]))
            .collect();
        check(text.as_bytes());
    }

    #[test]
    fn random_motion_blocks_are_survived(block in "[-+0-9. \t\r\ne]{0,200}", frames in 0u64..9) {
        let head = SMALL.split("Frames").next().unwrap();
        check(format!("{head}Frames: {frames}\nFrame Time: 0.1\n{block}").as_bytes());
    }

    #[test]
    fn random_splices_are_survived(a in 0usize..400, b in 0usize..400, byte in any::<u8>(), times in 0usize..5) {
        let (a, b) = (a.min(SMALL.len()), b.min(SMALL.len()));
        let mut bytes = SMALL.as_bytes()[..a].to_vec();
        bytes.extend(std::iter::repeat_n(byte, times));
        bytes.extend_from_slice(&SMALL.as_bytes()[b..]);
        check(&bytes);
    }
}
