//! Tests the doctor on good clips and on clips with planted faults.

mod faults;
#[path = "../../../../footwork/tests/common/strides.rs"]
mod strides;

use faults::{MAKERS, Maker, Planted, world};
use footwork::advanced::math::Random;
use footwork::clip::RawClip;
use footwork_gait::{GaitClip, GaitOptions, generate};
use footwork_import::doctor::{Diagnosis, DoctorOptions, Finding, Severity, examine};
use strides::stride;

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
    // Hints may mark loops, but change nothing else.
    for (a, b) in clips.iter().zip(&diagnosis.clips) {
        assert!(a.translations == b.translations && a.rotations == b.rotations, "{} was changed", a.name);
    }
}

/// Good clips of all kinds beside the faulty one: idle, walking, running, curves, turns.
const COMPANY: [&str; 6] =
    ["idle_shifting", "walk_150", "run_320", "curve_175_radius_300_left", "plant_run_90_left", "strafe_walk_90_right"];

struct Trial {
    found: bool,
    clean_after: bool,
    off_m: Option<(f32, f32)>,
    others: Vec<String>,
}

fn trial(good: &[GaitClip], maker: Maker, dice: &mut Random) -> (String, Trial) {
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

/// Returns the maximum distance of a joint from its position in the good clip, in metres.
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
    let good = &good;
    let all: Vec<Vec<(String, Trial)>> = std::thread::scope(|scope| {
        let trials = |(k, (_, maker)): (usize, &(&str, Maker))| {
            let (maker, mut dice) = (*maker, Random(SEED + k as u64));
            scope.spawn(move || (0..TRIALS).map(|_| trial(good, maker, &mut dice)).collect())
        };
        let threads: Vec<_> = MAKERS.iter().enumerate().map(trials).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for ((name, _), trials) in MAKERS.iter().zip(all) {
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

/// Returns every second frame, starting at frame `from`.
fn half_rate(clip: &RawClip, from: usize) -> RawClip {
    let joints = clip.skeleton.len();
    let mut out = RawClip { rate_hz: 0.5 * clip.rate_hz, ..strides::unmarked(clip) };
    let frames = (from..clip.frames()).step_by(2);
    out.translations = frames.clone().flat_map(|f| clip.translations[f * joints..(f + 1) * joints].to_vec()).collect();
    out.rotations = frames.flat_map(|f| clip.rotations[f * joints..(f + 1) * joints].to_vec()).collect();
    out
}

/// Returns the findings above a hint.
fn alarms(diagnosis: &Diagnosis) -> Vec<String> {
    diagnosis.findings.iter().filter(|f| f.severity > Severity::Hint).map(told).collect()
}

#[test]
fn nothing_is_wrong_with_them_at_30_hz() {
    let clips = footwork_gait::clips(&GaitOptions { terrain: true, ..Default::default() });
    for from in [0, 1] {
        let bad = alarms(&diagnose(clips.iter().map(|c| half_rate(c, from)).collect()));
        assert!(bad.is_empty(), "from {from}: {} false alarms:\n{}", bad.len(), bad.join("\n"));
    }
}

/// Loops, with the number of strides of each.
const STRIDES: [(&str, f64); 4] =
    [("walk_125_loop", 4.0), ("walk_175_loop", 5.0), ("run_250_loop", 6.0), ("run_400_loop", 6.0)];

#[test]
fn nothing_is_wrong_with_single_strides_at_30_hz_and_their_copies_are_found() {
    let clips = footwork_gait::clips(&GaitOptions { routes: false, ..Default::default() });
    let named = |name: &str| clips.iter().find(|c| c.name == name).unwrap();
    for k in 0..4 {
        let phase = 0.05 + 0.25 * f64::from(k);
        let pack: Vec<RawClip> = STRIDES
            .iter()
            .map(|(name, strides)| half_rate(&stride(named(name), *strides, phase, k % 2 == 0), 0))
            .collect();
        let diagnosis = diagnose(pack.clone());
        let bad = alarms(&diagnosis);
        assert!(bad.is_empty(), "phase {phase}: {} false alarms:\n{}", bad.len(), bad.join("\n"));
        let twice =
            pack.iter().cloned().chain(pack.iter().map(|c| RawClip { name: format!("{}_copy", c.name), ..c.clone() }));
        let diagnosis = diagnose(twice.collect());
        assert_eq!(alarms(&diagnosis).len(), pack.len(), "{:?}", alarms(&diagnosis));
        assert!(diagnosis.clips.iter().all(|c| !c.name.ends_with("_copy")) && diagnosis.clips.len() == pack.len());
    }
}

#[test]
fn single_strides_are_found_to_be_loops() {
    let clips = footwork_gait::clips(&GaitOptions { routes: false, ..Default::default() });
    for (name, strides) in STRIDES {
        let loops = [false, true].map(|repeat| {
            let clip = stride(clips.iter().find(|c| c.name == name).unwrap(), strides, 0.3, repeat);
            RawClip { name: format!("{name}_{repeat}"), ..clip }
        });
        let diagnosis = diagnose(loops.to_vec());
        let hints = diagnosis.findings.iter().filter(|f| f.check.info().name == "unmarked_loop").count();
        assert_eq!(hints, 2, "{name}: {:?}", diagnosis.findings);
    }
}

#[test]
fn noise_at_30_hz_is_found_where_it_stands_out_of_the_motion() {
    let good = generate(&GaitOptions { routes: false, ..Default::default() });
    let slow: Vec<&GaitClip> = good.iter().filter(|g| g.clip.seconds() > 3.0).collect();
    let mut dice = Random(SEED + 500);
    let mut found = 0;
    for _ in 0..TRIALS * 4 {
        let mut clip = half_rate(&slow[dice.below(slow.len())].clip, 0);
        let joints = clip.skeleton.len();
        let j = clip.skeleton.find(dice.pick(&["Spine", "Neck", "Head", "LeftShoulder", "Hips"])).unwrap().at();
        let size = dice.between(0.03, 0.07);
        for f in 0..clip.frames() {
            let noise = glam::Vec3::new(dice.normal(), dice.normal(), dice.normal()) * size;
            let q = &mut clip.rotations[f * joints + j];
            *q = (*q * footwork::math::Quat::from_rotation_vector(noise)).normalize();
        }
        let (name, joint) = (clip.name.clone(), clip.skeleton.names()[j].clone());
        let diagnosis = diagnose(vec![clip]);
        let right =
            |f: &&Finding| f.check.info().name == "jitter" && f.clip == name && f.joint.as_ref() == Some(&joint);
        found += diagnosis.findings.iter().filter(right).count().min(1);
    }
    println!("noise of 1.7 to 4 degrees at 30 Hz: {found} of {} found", TRIALS * 4);
    assert!(found as f32 >= 0.95 * (TRIALS * 4) as f32, "{found} of {}", TRIALS * 4);
}
