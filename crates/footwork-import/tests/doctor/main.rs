//! The doctor on good clips and on clips made faulty on purpose.

mod faults;

use faults::{Dice, MAKERS, Planted, world};
use footwork::clip::RawClip;
use footwork_gait::{GaitClip, GaitOptions, generate};
use footwork_import::doctor::{Diagnosis, DoctorOptions, Finding, Severity, examine};

fn diagnose(clips: Vec<RawClip>) -> Diagnosis {
    examine(clips, &DoctorOptions::default()).unwrap()
}

fn told(f: &Finding) -> String {
    let part = |o: &Option<[usize; 2]>| o.map(|[a, b]| format!(" frames {a}-{b}")).unwrap_or_default();
    let joint = f.joint.as_deref().unwrap_or("-");
    format!("{} {} {} {joint}{}: {}", f.severity.name(), f.check.info().name, f.clip, part(&f.frames), f.what)
}

#[test]
fn nothing_is_wrong_with_the_built_in_clips() {
    let clips = footwork_gait::clips(&GaitOptions { terrain: true, ..Default::default() });
    let count = clips.len();
    let diagnosis = diagnose(clips.clone());
    let bad: Vec<String> = diagnosis.findings.iter().filter(|f| f.severity > Severity::Hint).map(told).collect();
    assert!(bad.is_empty(), "{} false alarms:\n{}", bad.len(), bad.join("\n"));
    assert_eq!(diagnosis.clips.len(), count);
    // Hints mark loops and change nothing else.
    for (a, b) in clips.iter().zip(&diagnosis.clips) {
        assert!(a.translations == b.translations && a.rotations == b.rotations, "{} was changed", a.name);
    }
}

/// Good clips of all kinds beside the faulty one: standing, walking, running, curves, turns.
const COMPANY: [&str; 6] =
    ["idle_shifting", "walk_150", "run_320", "curve_175_radius_300_left", "plant_run_90_left", "strafe_walk_90_right"];

struct Trial {
    found: bool,
    clean_after: bool,
    off_m: Option<(f32, f32)>,
    others: Vec<String>,
}

fn trial(good: &[GaitClip], maker: faults::Maker, dice: &mut Dice) -> (String, Trial) {
    loop {
        let victim = &good[dice.below(good.len())];
        let mut clips: Vec<RawClip> = COMPANY
            .iter()
            .filter(|n| **n != victim.clip.name)
            .map(|n| good.iter().find(|g| g.clip.name == *n).unwrap().clip.clone())
            .collect();
        let at = dice.below(clips.len());
        clips.insert(at, victim.clip.clone());
        let Some(planted) = maker(&mut clips, at, victim, dice) else { continue };
        return (format!("{planted:?}"), judge(clips, &planted, victim));
    }
}

fn judge(clips: Vec<RawClip>, planted: &Planted, good: &GaitClip) -> Trial {
    let diagnosis = diagnose(clips);
    let near = |f: &&Finding| {
        let overlaps = |[a, b]: [usize; 2], [c, d]: [usize; 2]| a <= d + 3 && c <= b + 3;
        f.check == planted.check
            && f.clip == planted.clip
            && (planted.joint.is_none() || planted.joint == f.joint)
            && planted.frames.zip(f.frames).is_none_or(|(a, b)| overlaps(a, b))
    };
    let found = diagnosis.findings.iter().find(near);
    let mends = found.is_some_and(|f| f.mends);
    let serious = |f: &&Finding| f.severity > Severity::Hint;
    let others =
        diagnosis.findings.iter().filter(serious).filter(|f| f.check != planted.check || f.clip != planted.clip);
    let others = others.map(told).collect();
    let clean_after = !mends || {
        let again = diagnose(diagnosis.clips.clone());
        !again.findings.iter().filter(serious).any(|f| f.check == planted.check && f.clip == planted.clip)
    };
    let off_m = planted.restores_m.filter(|_| mends).and_then(|bound| {
        let mended = diagnosis.clips.iter().find(|c| c.name == planted.clip)?;
        Some((distance(mended, &good.clip), bound))
    });
    Trial { found: found.is_some(), clean_after, off_m, others }
}

/// The furthest that a joint is from where it was in the good clip, metres.
fn distance(a: &RawClip, b: &RawClip) -> f32 {
    if a.frames() != b.frames() || (a.rate_hz - b.rate_hz).abs() > 1e-3 {
        return f32::INFINITY;
    }
    let mut worst = 0.0f32;
    for f in 0..a.frames() {
        for j in 0..a.skeleton.len() {
            worst = worst.max((world(a, f, j).translation - world(b, f, j).translation).length());
        }
    }
    worst
}

const TRIALS: usize = 12;
const SEED: u64 = 1000;

#[test]
fn planted_faults_are_found_and_mended() {
    let good = generate(&GaitOptions { routes: false, ..Default::default() });
    let (mut planted, mut found, mut broken, mut failures) = (0, 0, 0, Vec::new());
    println!(
        "{:<32} {:>7} {:>7} {:>7} {:>9} {:>9} {:>7}",
        "fault", "planted", "found", "mended", "restored", "worst cm", "beside"
    );
    for (k, (name, maker)) in MAKERS.iter().enumerate() {
        let mut dice = Dice(SEED + k as u64);
        let trials: Vec<(String, Trial)> = (0..TRIALS).map(|_| trial(&good, *maker, &mut dice)).collect();
        let count = |yes: fn(&Trial) -> bool| trials.iter().filter(|(_, t)| yes(t)).count();
        let ok = count(|t| t.found);
        let restored: Vec<(f32, f32)> = trials.iter().filter_map(|(_, t)| t.off_m).collect();
        let within = restored.iter().filter(|(off, bound)| off <= bound).count();
        let beside = trials.iter().map(|(_, t)| t.others.len()).sum::<usize>();
        println!(
            "{name:<32} {TRIALS:>7} {ok:>7} {:>7} {:>9} {:>9.1} {beside:>7}",
            count(|t| t.clean_after),
            format!("{within}/{}", restored.len()),
            100.0 * restored.iter().map(|(off, _)| *off).fold(0.0, f32::max),
        );
        (planted, found) = (planted + TRIALS, found + ok);
        for (what, t) in &trials {
            let off = t.off_m.filter(|(off, bound)| off > bound);
            broken += usize::from(!t.clean_after || off.is_some());
            if !t.found || !t.clean_after || off.is_some() || !t.others.is_empty() {
                failures.push(format!(
                    "{name}: found {}, clean after {}, off {off:?}: {what}\n    {}",
                    t.found,
                    t.clean_after,
                    t.others.join("\n    ")
                ));
            }
        }
    }
    println!("{found} of {planted} found");
    println!("{}", failures.join("\n"));
    assert!(found as f32 >= 0.95 * planted as f32, "{found} of {planted} found");
    assert_eq!(broken, 0, "mends that the doctor finds fault with, or that do not restore");
}

#[test]
fn moves_that_nothing_does_are_on_the_dance_card() {
    let straight = |name: &str| name.starts_with("walk_") || name.starts_with("run_") || name.starts_with("turn_");
    let clips = footwork_gait::clips(&GaitOptions { routes: false, ..Default::default() });
    let few: Vec<RawClip> = clips.iter().filter(|c| straight(&c.name)).cloned().collect();
    let diagnosis = diagnose(few);
    let says =
        |what: &str| diagnosis.findings.iter().any(|f| f.check.info().name == "coverage" && f.what.contains(what));
    assert!(says("turns, either way,") && says("backward at any speed"), "{:?}", diagnosis.findings);
    assert!(!says("nothing goes straight above"), "{:?}", diagnosis.findings);
    let ahead =
        diagnosis.dance_card.iter().find(|c| c.travel == "ahead" && c.speed_mps[0] == 1.0 && c.turn_deg_s[0] == -30.0);
    assert!(ahead.unwrap().have_s > 20.0);
}

#[test]
fn clips_of_next_to_nothing_are_examined_without_harm() {
    let mut walk = footwork_gait::clips(&GaitOptions { routes: false, ..Default::default() }).swap_remove(5);
    walk.annotations = Default::default();
    let joints = walk.skeleton.len();
    for frames in [1, 2, 3, 4, 7, 8, 12, 16, 20] {
        for looping in [false, true] {
            for rate_hz in [1.0, 60.0, 1000.0] {
                let mut clip = RawClip { looping, rate_hz, ..walk.clone() };
                clip.translations.truncate(frames * joints);
                clip.rotations.truncate(frames * joints);
                let twin = RawClip { name: "twin".into(), ..clip.clone() };
                for clip in diagnose(vec![clip, twin]).clips {
                    clip.validate().unwrap();
                }
            }
        }
    }
    assert!(diagnose(Vec::new()).findings.is_empty());
}
