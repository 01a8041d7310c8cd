use super::*;
use footwork::advanced::math::sin_cos;

const EMPTY: PathPlot<'static> =
    PathPlot { title: "t", commanded: &[], walked: &[], transitions: &[], sections: &[], rate_hz: 60.0 };

/// Returns a walk along a rose curve that never repeats, at 60 samples per second.
fn wander(samples: usize, scale: f32) -> Vec<PathSample> {
    (0..samples)
        .map(|i| {
            let t = i as f32 / 60.0;
            let ((a, b), (c, d)) = (sin_cos(t * 0.31), sin_cos(t * 0.173));
            let position = Vec3::new(a * 9.0 + d * 4.0, 0.0, b * 7.0 + c * 5.0) * scale;
            PathSample { position, facing: Facing::from_yaw(t * 0.4) }
        })
        .collect()
}

fn at(x: f32, z: f32) -> PathSample {
    PathSample { position: Vec3::new(x, 0.0, z), facing: Facing::FORWARD }
}

/// Returns the numbers of the first path whose element contains `mark`.
fn path_numbers(svg: &str, mark: &str) -> Vec<f64> {
    let element = svg.lines().find(|l| l.starts_with("<path") && l.contains(mark)).unwrap();
    let d = element.split('"').nth(1).unwrap();
    d.split(|c: char| c.is_ascii_alphabetic() || c == ' ')
        .filter(|t| !t.is_empty())
        .map(|t| t.parse().unwrap())
        .collect()
}

/// Checks basic XML rules: one root, tags closed in order, no stray `&` or `<`.
fn well_formed(svg: &str) {
    let mut open = Vec::new();
    for piece in svg.split('<').skip(1) {
        let (tag, text) = piece.split_once('>').expect("a tag ends");
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        let name = tag.trim_matches('/').split_whitespace().next().unwrap();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(name);
        }
        for entity in text.split('&').skip(1) {
            assert!(["amp;", "lt;", "gt;", "quot;", "#39;"].iter().any(|e| entity.starts_with(e)), "{entity}");
        }
    }
    assert!(open.is_empty() && svg.starts_with("<svg"));
    for word in ["NaN", "inf", "-0 ", "-0\""] {
        assert!(!svg.contains(word), "{word}");
    }
}

#[test]
fn nothing_at_all_gives_a_file_that_says_so() {
    let file = svg(&EMPTY);
    well_formed(&file);
    assert!(file.contains("nothing to show"));
    let nan = [at(f32::NAN, 0.0), at(0.0, f32::INFINITY), at(1e30, 0.0)];
    assert!(svg(&PathPlot { walked: &nan, ..EMPTY }).contains("nothing to show"));
}

#[test]
fn plus_z_is_up_the_page_plus_x_to_the_left_and_metres_are_equal() {
    let walked = [at(0.0, 0.0), at(0.0, 3.0), at(3.0, 3.0)];
    let file = svg(&PathPlot { walked: &walked, rate_hz: 0.0, ..EMPTY });
    let p = path_numbers(&file, "stroke-width=\"2.4\"");
    let [x0, y0, x1, y1, x2, y2] = p[..] else { panic!("{p:?}") };
    assert!(x0 == x1 && y1 < y0, "{p:?}");
    assert!(y1 == y2 && x2 < x1, "{p:?}");
    assert!(((y0 - y1) - (x1 - x2)).abs() < 0.2);
}

#[test]
fn facing_is_ticked_every_half_second_in_its_own_direction() {
    // 2 s at 30 Hz; facing +X, which is left.
    let walked: Vec<PathSample> =
        (0..60).map(|i| PathSample { facing: Facing::from_yaw(1.570_796_4), ..at(0.0, i as f32 * 0.1) }).collect();
    let file = svg(&PathPlot { walked: &walked, rate_hz: 30.0, ..EMPTY });
    let p = path_numbers(&file, "stroke-width=\"1.1\"");
    assert_eq!(p.len(), 4 * 4);
    assert!(p[2] == -TICK_PX && p[3].abs() < 0.1, "{p:?}");
}

#[test]
fn ten_minutes_stay_readable_and_small() {
    let (commanded, walked) = (wander(36_000, 1.0), wander(36_000, 1.02));
    let transitions: Vec<usize> = (0..36_000).step_by(7).collect();
    let sections: Vec<(usize, String)> = (0..120).map(|i| (i * 300, format!("part {}", i % 40))).collect();
    let plot =
        PathPlot { commanded: &commanded, walked: &walked, transitions: &transitions, sections: &sections, ..EMPTY };
    let file = svg(&plot);
    well_formed(&file);
    assert!(file.len() < 500_000, "{}", file.len());
    let walked = file.lines().filter(|l| l.contains("stroke-width=\"2.4\"") && !l.contains("h26"));
    let segments: usize = walked.map(|l| l.matches('L').count()).sum();
    assert!((500..=MAX_SEGMENTS).contains(&segments), "{segments}");
    assert!(file.matches("<circle").count() <= MAX_MARKS + 3);
}

#[test]
fn a_path_that_zigzags_at_every_sample_is_cut_down_to_the_limit() {
    let walked: Vec<PathSample> = (0..30_000).map(|i| at((i % 2) as f32 * 20.0, (i % 997) as f32 * 0.02)).collect();
    let file = svg(&PathPlot { walked: &walked, ..EMPTY });
    well_formed(&file);
    assert!(file.len() < 500_000, "{}", file.len());
}

#[test]
fn simplification_moves_the_line_by_less_than_the_tolerance() {
    let points: Vec<[f64; 2]> =
        wander(3000, 20.0).iter().map(|s| [f64::from(s.position.x), f64::from(s.position.z)]).collect();
    let thin = line::simplify(&points, 0.5);
    assert!(thin.len() < points.len() / 5 && thin[0] == points[0]);
    for p in &points {
        let nearest = thin.windows(2).map(|w| line::distance_to(*p, w[0], w[1])).fold(f64::MAX, f64::min);
        assert!(nearest <= 0.5 + 1e-9, "{nearest}");
    }
}

#[test]
fn labels_are_escaped_and_equal_labels_share_a_colour_and_a_legend_entry() {
    let walked = wander(600, 1.0);
    let nasty = "</svg> & \"walk\" 'x'\u{0}\u{7}\n<b>";
    let sections = [(400, nasty.to_owned()), (0, nasty.to_owned()), (200, "turn".to_owned())];
    let file = svg(&PathPlot { title: nasty, walked: &walked, sections: &sections, ..EMPTY });
    well_formed(&file);
    assert!(file.contains("&lt;/svg&gt; &amp; &quot;walk&quot;"));
    let drawn = file.lines().filter(|l| l.contains("stroke-width=\"2.4\"") && !l.contains("h26"));
    let colours: Vec<&str> = drawn.map(|l| l.split("stroke=\"").nth(1).unwrap().split('"').next().unwrap()).collect();
    assert_eq!(colours, ["#0072b2", "#d55e00", "#0072b2"]);
    // In the plot with its halo, and in the legend.
    assert_eq!(file.matches(">turn<").count(), 3);
    assert_eq!(file.matches("h26\"").count(), 3);
}

#[test]
fn gaps_bad_rates_and_indices_out_of_range_leave_a_valid_file() {
    let mut walked = wander(600, 1.0);
    walked[300].position.x = f32::NAN;
    walked[30].facing = Facing { x: f32::NAN, z: 0.0 };
    let sections = [(700, "late".to_owned()), (590, "end".to_owned())];
    for rate_hz in [60.0, 0.0, f32::NAN, -1.0, f32::INFINITY, 1e-30, 1e30] {
        let transitions = [5, 300, 10_000, usize::MAX];
        let plot = PathPlot { walked: &walked, transitions: &transitions, sections: &sections, rate_hz, ..EMPTY };
        let file = svg(&plot);
        well_formed(&file);
        assert!(file.contains("transition (2)") && !file.contains("late"));
        let line = file.lines().find(|l| l.contains("stroke-width=\"2.4\"")).unwrap();
        assert_eq!(line.matches('M').count(), 2, "a gap lifts the pen");
    }
    for only in [vec![at(2.0, -1.0)], vec![at(1e6, 1e6); 9]] {
        well_formed(&svg(&PathPlot { walked: &only, ..EMPTY }));
        well_formed(&svg(&PathPlot { commanded: &only, ..EMPTY }));
    }
}

#[test]
fn marks_that_would_hide_each_other_are_drawn_once() {
    let transitions: Vec<usize> = (0..600).collect();
    let still = svg(&PathPlot { walked: &[at(0.0, 0.0); 600], transitions: &transitions, ..EMPTY });
    // Start and transition, and both in the legend.
    assert_eq!(still.matches("<circle").count(), 4);
    assert!(still.contains("transition (600)"));
    assert_eq!(path_numbers(&still, "stroke-width=\"1.1\"").len(), 4);
    let turning: Vec<PathSample> =
        (0..600).map(|i| PathSample { facing: Facing::from_yaw(i as f32 * 0.02), ..at(0.0, 0.0) }).collect();
    let turning = svg(&PathPlot { walked: &turning, ..EMPTY });
    assert_eq!(path_numbers(&turning, "stroke-width=\"1.1\"").len(), 20 * 4);
}
