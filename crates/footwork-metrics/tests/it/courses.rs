//! The courses are the published ones. Needs `FOOTWORK_DATA`.

use footwork_metrics::courses::{Run, course, parse_csv};
use std::path::PathBuf;

#[test]
fn the_courses_are_the_published_ones() {
    let Some(root) = std::env::var_os("FOOTWORK_DATA").filter(|v| !v.is_empty()) else {
        assert!(std::env::var_os("CI").is_none(), "FOOTWORK_DATA is not set: with CI set, no test may be skipped");
        println!("skipped: FOOTWORK_DATA is not set");
        return;
    };
    // Course g has no published version.
    for name in ["a", "b", "c", "d", "e", "f"] {
        let file = PathBuf::from(&root).join("courses").join(format!("{name}.csv"));
        let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let (published, ours) = (parse_csv(&text).unwrap().sticks, course(name, Run::new(0)).unwrap().rows);
        assert_eq!(published.len(), ours.len(), "{name}");
        for (k, (p, o)) in published.iter().zip(&ours).enumerate() {
            let same = (p.movement - o.movement).length() < 2e-6
                && (p.look - o.look).length() < 2e-6
                && (p.strafe, p.gait) == (o.strafe, o.gait);
            assert!(same, "course {name}, row {k}: {p:?} published, {o:?} here");
        }
    }
}
