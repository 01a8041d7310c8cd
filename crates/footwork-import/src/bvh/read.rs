//! Parses bytes to [`Bvh`].

use super::error::{BvhError, BvhProblem as P, Fault};
use super::lexer::{Lexer, line_of};
use super::{Bvh, hierarchy, motion};

/// Parses the bytes of a BVH file. `source`, usually a path, is only used in messages.
///
/// # Errors
/// Returns a [`BvhError`] unless the file holds a complete, finite, unambiguous motion: see [`BvhProblem`](super::BvhProblem).
/// Never panics, and allocates in proportion to `bytes`, not to the numbers of a header.
pub fn parse(bytes: &[u8], source: &str) -> Result<Bvh, BvhError> {
    check_encoding(bytes).and_then(|start| document(bytes, start)).map_err(|fault| locate(fault, bytes, source))
}

/// Returns the start of the text: after a byte order mark, if there is one.
fn check_encoding(bytes: &[u8]) -> Result<usize, Fault> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(Fault::new(0, P::Utf16));
    }
    Ok(if bytes.starts_with(&[0xef, 0xbb, 0xbf]) { 3 } else { 0 })
}

fn document(bytes: &[u8], start: usize) -> Result<Bvh, Fault> {
    let mut lexer = Lexer { bytes, at: start };
    let joints = hierarchy::read(&mut lexer)?;
    let tree_end = lexer.at;
    if let Some(word) = lexer.peek().filter(|w| w.is("ROOT")) {
        lexer.word();
        let (first, second) = (joints[0].name.clone(), super::error::quote(lexer.name().text));
        return Err(Fault::new(word.at, P::TwoRoots { first, second }));
    }
    let header = motion::header(&mut lexer)?;
    if joints.iter().all(|j| j.channels.is_empty()) {
        return Err(Fault::new(tree_end, P::NoChannels));
    }
    let values = motion::rows(&mut lexer, header.frames, &joints)?;
    let channels: usize = joints.iter().map(|j| j.channels.len()).sum();
    if joints.iter().any(|j| j.name.contains('\0')) {
        return Err(Fault::new(tree_end, P::Binary));
    }
    Ok(Bvh { frames: values.len() / channels, joints, frame_time_s: header.frame_time_s, values })
}

/// Converts the byte of a fault to a line. For a file with NUL bytes, the fault is that it is binary, whatever was found first.
fn locate(fault: Fault, bytes: &[u8], source: &str) -> BvhError {
    let fault = match bytes.iter().position(|b| *b == 0) {
        Some(at) if !matches!(fault.problem, P::Utf16) => Fault::new(at, P::Binary),
        _ => fault,
    };
    BvhError { file: source.to_owned(), line: Some(line_of(bytes, fault.at)), problem: fault.problem }
}

#[cfg(test)]
mod tests {
    use super::super::Channel;
    use super::*;
    use footwork::skeleton::Skeleton;

    /// Two joints, nine channels, two frames; the rows are in lines 22 and 23.
    const SMALL: &str = "HIERARCHY
ROOT Hips
{
\tOFFSET 1 2 3
\tCHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
\tJOINT Leg
\t{
\t\tOFFSET 0 -40 0
\t\tCHANNELS 3 Zrotation Yrotation Xrotation
\t\tEnd Site
\t\t{
\t\t\tOFFSET 0 -50 0
\t\t}
\t}
}

MOTION
Frames: 2
Frame Time: 0.033333
1 2 3 4 5 6 7 8 9

10 20 30 40 50 60 70 80 90
";

    fn changed(from: &str, to: &str) -> String {
        assert!(SMALL.contains(from), "{from:?}");
        SMALL.replacen(from, to, 1)
    }

    fn same_as_small(text: &[u8]) {
        assert_eq!(parse(text, "t").unwrap(), parse(SMALL.as_bytes(), "t").unwrap());
    }

    /// Returns the message for a damaged file, without the file's name.
    fn message(text: impl AsRef<[u8]>) -> String {
        let error = parse(text.as_ref(), "walk.bvh").expect_err("an error").to_string();
        error.strip_prefix("walk.bvh:").expect("file and line").to_owned()
    }

    #[track_caller]
    fn refused(from: &str, to: &str, expected: &str) {
        let found = message(changed(from, to));
        assert!(found.starts_with(expected), "{found}\ndoes not start with\n{expected}");
    }

    #[test]
    fn a_small_file_reads_as_written() {
        let b = parse(SMALL.as_bytes(), "t").unwrap();
        assert_eq!((b.frames, b.channels(), b.frame_time_s), (2, 9, 0.033333));
        assert_eq!((b.joints[0].name.as_str(), b.joints[0].parent), ("Hips", None));
        assert_eq!((b.joints[1].name.as_str(), b.joints[1].parent), ("Leg", Some(0)));
        assert_eq!(b.joints[1].offset.to_array(), [0.0, -40.0, 0.0]);
        assert_eq!(b.joints[1].end_site.map(|e| e.y), Some(-50.0));
        assert_eq!(b.joints[0].channels.iter().map(|c| c.name()).next_back(), Some("Xrotation"));
        let expected: Vec<f32> = (1..=9u8).chain((1..=9).map(|v| v * 10)).map(f32::from).collect();
        assert_eq!(b.values, expected);
    }

    #[test]
    fn layout_does_not_matter() {
        same_as_small(SMALL.trim_end().as_bytes());
        same_as_small(SMALL.replace('\n', "\r\n").as_bytes());
        same_as_small(SMALL.replace('\n', "\r").as_bytes());
        same_as_small(SMALL.replace(' ', " \t  ").as_bytes());
        same_as_small(SMALL.replace('\n', " \n\n \n").as_bytes());
        same_as_small(format!("\u{feff}{SMALL}").as_bytes());
        same_as_small(SMALL.replace("\n\t{", " {").replace("\n{", "{").as_bytes());
        same_as_small(changed("Frames: 2", "frames:2").as_bytes());
        same_as_small(changed("Frames: 2", "Frames :\t2").as_bytes());
        same_as_small(changed("10 20 30", "1e1 2.0E+1 +30.").as_bytes());
        same_as_small(changed("End Site", "EndSite").as_bytes());
        same_as_small(changed("End Site", "End Site toe_end").as_bytes());
        let lower = SMALL.to_lowercase().replace("hips", "Hips").replace("leg", "Leg");
        same_as_small(lower.as_bytes());
        let upper = SMALL.to_uppercase().replace("HIPS", "Hips").replace("LEG", "Leg");
        same_as_small(upper.as_bytes());
        let tree = SMALL.split("MOTION").next().unwrap();
        let one_line = SMALL.replacen(tree, &(tree.replace('\n', " ") + "\n"), 1);
        same_as_small(one_line.as_bytes());
    }

    #[test]
    fn names_keep_spaces_and_colons() {
        let b = parse(changed("JOINT Leg", "JOINT  mixamorig:Left Leg \t").as_bytes(), "t").unwrap();
        assert_eq!(b.joints[1].name, "mixamorig:Left Leg");
    }

    #[test]
    fn joints_may_have_any_channels() {
        let text = changed("CHANNELS 3 Zrotation Yrotation Xrotation\n\t\tEnd", "CHANNELS 1 Yposition\n\t\tEnd");
        let text = text.replace(" 8 9\n", "\n").replace(" 80 90\n", "\n");
        let b = parse(text.as_bytes(), "t").unwrap();
        assert_eq!(b.joints[1].channels, [Channel::ALL[1]]);

        let text = changed("\t\tCHANNELS 3 Zrotation Yrotation Xrotation\n", "");
        let text = text.replace(" 7 8 9\n", "\n").replace(" 70 80 90\n", "\n");
        assert_eq!(parse(text.as_bytes(), "t").unwrap().joints[1].channels, []);
        let text = text.replace("OFFSET 0 -40 0\n", "OFFSET 0 -40 0\nCHANNELS 0\n");
        assert_eq!(parse(text.as_bytes(), "t").unwrap().joints[1].channels, []);
    }

    #[test]
    fn encodings_other_than_text_are_named() {
        let utf16: Vec<u8> = [0xff, 0xfe].into_iter().chain(SMALL.bytes().flat_map(|b| [b, 0])).collect();
        assert!(message(&utf16).starts_with("1: the text is UTF-16: expected plain text; save as UTF-8"));
        assert!(message(&utf16[2..]).starts_with("1: found a NUL byte: expected text"));
        assert!(message(b"Kaydara FBX Binary  \x00\x1a").starts_with("1: found a NUL byte"));
        refused("JOINT Leg", "JOINT L\0g", "6: found a NUL byte");
        refused("20 30", "20 3\0", "22: found a NUL byte");
    }

    #[test]
    fn other_files_and_empty_files_are_refused() {
        for text in ["", " \r\n\t\n", "\u{feff}"] {
            assert!(message(text).contains("the file is empty: expected `HIERARCHY`"), "{text:?}");
        }
        assert_eq!(message("\n{\"asset\": 1}"), "2: expected `HIERARCHY`, found `{`: is this a BVH file?");
        refused("HIERARCHY\n", "", "1: expected `HIERARCHY`, found `ROOT`");
        assert!(message("\x1b[31m").contains("found ` [31m`"));
    }

    #[test]
    fn broken_trees_name_the_line() {
        let no_joints = "HIERARCHY\nMOTION\nFrames: 1\nFrame Time: 0.1\n";
        assert!(
            message(no_joints).starts_with("2: the hierarchy has no joints: expected `ROOT <name>`, found `MOTION`")
        );
        refused("\nMOTION", "ROOT Other\n{\nOFFSET 0 0 0\n}\nMOTION", "16: `Other` is a second ROOT after `Hips`");
        refused("\tJOINT Leg", "\tROOT Leg", "6: `Leg` is a second ROOT after `Hips`");
        refused("JOINT Leg", "JOINT Hips", "6: joint name `Hips` is used twice, first in line 2: rename one");
        refused("JOINT Leg", "JOINT ", "6: expected a joint name after `JOINT`, found none");
        refused("\t\t}\n\t}\n}", "\t\t}\n\t}\n", "17: the brace of joint `Hips`, opened in line 3, is not closed");
        refused("\n\t}\n}\n", "\n\t}\n}\n}\n", "16: `}` closes nothing");
        refused("\t\tOFFSET 0 -40 0\n", "", "13: joint `Leg` has no OFFSET");
        refused("OFFSET 0 -40 0", "OFFSET 0 -40", "9: OFFSET: expected a number, found `CHANNELS`");
        refused("OFFSET 0 -40 0", "OFFSET 0 -inf 0", "8: OFFSET: expected a finite number, found `-inf`");
        refused(
            "OFFSET 0 -40 0",
            "OFFSET 0 -40 0 0",
            "8: expected OFFSET, CHANNELS, JOINT, End Site or `}`, found `0`",
        );
        refused("OFFSET 0 -40 0", "OFFSET 0 -40 0\nOFFSET 0 0 0", "9: joint `Leg` has `OFFSET` twice");
        refused("JOINT Leg\n\t{", "JOINT Leg\n\t", "8: expected `{`, found `OFFSET`");
        let cut = SMALL.split("OFFSET 0 -50").next().unwrap();
        assert!(message(cut).starts_with("11: the file ends here, expected OFFSET in the End Site: it is truncated"));
        let cut = SMALL.split("JOINT").next().unwrap();
        assert!(message(cut).contains("is not closed: expected `}`, found the end of the file"));
    }

    #[test]
    fn channels_that_do_not_exist_or_do_not_count_are_refused() {
        let leg = "CHANNELS 3 Zrotation Yrotation Xrotation\n\t\tEnd";
        let with = |list: &str| format!("CHANNELS {list}\n\t\tEnd");
        refused(
            leg,
            &with("3 Zrotation Yrotaton Xrotation"),
            "9: joint `Leg` has a channel `Yrotaton`: expected one of",
        );
        refused(
            leg,
            &with("3 Zrotation Yrotation"),
            "9: joint `Leg`: expected 3 channels, as `CHANNELS 3` says, found 2",
        );
        refused(leg, &with("2 Zrotation Yrotation Xrotation"), "9: joint `Leg`: expected 2 channels");
        refused(leg, &with("4000000000 Zrotation"), "9: joint `Leg`: expected 4000000000 channels");
        refused(leg, &with("three Zrotation"), "9: expected the number of channels after CHANNELS, found `three`");
        refused(leg, &with("2 Xposition Xposition"), "9: joint `Leg` lists `Xposition` twice");
        refused(leg, &with("0\nCHANNELS 0"), "10: joint `Leg` has `CHANNELS` twice");
        let none = "HIERARCHY\nROOT A\n{\nOFFSET 0 0 0\n}\nMOTION\nFrames: 4000000000\nFrame Time: 0.1\n";
        assert!(message(none).starts_with("5: no joint has a channel"));
    }

    #[test]
    fn the_motion_header_is_checked() {
        refused("MOTION\n", "", "17: expected `MOTION` after the hierarchy, found `Frames:`");
        refused("Frames: 2", "Frames: two", "18: expected a whole number of frames after `Frames:`, found `two`");
        refused("Frames: 2", "Frames: -1", "18: expected a whole number of frames");
        refused("Frames: 2\n", "", "18: expected `Frames: <count>`, found `Frame Time: 0.033333`");
        refused("Frames: 2", "Frames: 0", "18: the motion has no frames: expected at least 1");
        for time in ["0", "-0.1", "nan", "inf", "0.0", "1e-9", "60", "0,0333", ""] {
            let expected = format!("19: a frame time of `{time}` is not usable: expected seconds per frame");
            refused("0.033333", time, &expected);
        }
        refused("Frame Time", "FrameTime", "19: expected `Frame Time: <seconds>`, found `FrameTime: 0.033333`");
    }

    #[test]
    fn rows_of_another_length_name_frame_line_and_counts() {
        refused(" 8 9\n", " 8\n", "20: frame 0 has 8 values, expected 9, one per channel");
        refused(" 8 9\n", " 8 9 10 11\n", "20: frame 0 has 11 values, expected 9");
        refused("10 20 30 40 50 60", "10 20 30\n40 50 60", "22: frame 1 has 3 values, expected 9");
        let cut = SMALL.split(" 80 90").next().unwrap();
        assert!(
            message(cut).starts_with("22: the file ends here, expected 2 more values of frame 1, which has 7 of 9")
        );
    }

    #[test]
    fn a_wrong_number_of_rows_names_both_counts() {
        refused("Frames: 2", "Frames: 3", "22: found 2 frames, expected 3 as `Frames:` says: the file is truncated");
        refused("Frames: 2", "Frames: 1", "22: found 2 frames, expected 1 as `Frames:` says: correct `Frames:` to 2");
        refused("Frames: 2", "Frames: 4000000000", "22: found 2 frames, expected 4000000000");
        refused("Frames: 2", "Frames: 18446744073709551615", "22: found 2 frames");
        let cut = SMALL.split("1 2 3 4").next().unwrap();
        assert!(message(cut).starts_with("19: found 0 frames, expected 2"));
    }

    #[test]
    fn values_that_are_no_finite_numbers_name_frame_joint_and_channel() {
        refused("70 80", "70 nan", "22: frame 1, joint `Leg`, Yrotation: expected a finite number, found `nan`");
        refused("70 80", "70 -1.#IND", "22: frame 1, joint `Leg`, Yrotation: expected a finite number");
        refused("70 80", "70 1e39", "22: frame 1, joint `Leg`, Yrotation: expected a finite number");
        refused("1 2 3 4", "1 2 x 4", "20: frame 0, joint `Hips`, Zposition: expected a number, found `x`");
        refused(
            "10 20",
            "10,5 20",
            "22: frame 1, joint `Hips`, Xposition: expected a number, found `10,5`; decimals need",
        );
    }

    #[test]
    fn depth_and_number_of_joints_are_limited() {
        let deep = |joints: usize| {
            let mut text = String::from("HIERARCHY\nROOT J\n{\nOFFSET 0 0 0\nCHANNELS 1 Yrotation\n");
            (1..joints).for_each(|j| text += &format!("JOINT J{j} {{ OFFSET 0 1 0\n"));
            text + &"}".repeat(joints) + "\nMOTION\nFrames: 1\nFrame Time: 0.1\n1\n"
        };
        assert_eq!(parse(deep(Skeleton::MAX_JOINTS).as_bytes(), "t").unwrap().joints.len(), Skeleton::MAX_JOINTS);
        assert!(message(deep(Skeleton::MAX_JOINTS + 1)).contains("more than 4096 joints"));
        assert!(message(deep(1_000_000)).contains("more than 4096 joints"));
    }
}
