//! Events of montages against an independent oracle: the times at which each event is due, computed from the specification in
//! 64-bit numbers.

use crate::common;

use common::Random;
use footwork::database::Database;
use footwork::input::MotionInput;
use footwork::machine::{
    LayerSpec, Machine, MachineSpec, MontageSpec, NotifySpec, OneOrMany, SectionSpec, StateSpec, WindowSpec,
};
use footwork::matcher::{Character, EventKind, FiredEvent, MatcherConfig, MotionMatcher};
use footwork::math::Transform;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// Tolerance of times, seconds: montages add up 32-bit numbers.
const NEAR_S: f64 = 2e-3;
const TICK_S: f64 = 1.0 / 60.0;
const CLIP: &str = "wave_left";

fn db() -> Arc<Database> {
    static DB: OnceLock<Arc<Database>> = OnceLock::new();
    DB.get_or_init(|| {
        let options = footwork_gait::GaitOptions { gestures: true, ..Default::default() };
        let clips = footwork_gait::clips(&options);
        let clips: Vec<_> = clips.into_iter().filter(|c| c.name == "idle" || c.name == CLIP).collect();
        assert_eq!(clips.len(), 2);
        Arc::new(common::built(&clips, &Default::default()).0)
    })
    .clone()
}

fn clip_seconds() -> f64 {
    let db = db();
    let clip = db.clips.iter().position(|c| c.name == CLIP).unwrap();
    db.view(footwork::frames::ClipIndex::new(clip), false).seconds()
}

/// Events of the clip itself.
const OWN: [&str; 2] = ["wave_begin", "wave_end"];

fn montage(layer: usize) -> MontageSpec {
    MontageSpec {
        name: format!("m{layer}"),
        layer: format!("l{layer}"),
        clip: CLIP.into(),
        start: Some("go".into()),
        stop: Some("stop".into()),
        ..MontageSpec::default()
    }
}

/// Returns a standing character with one layer per montage; `go` begins all montages, `stop` interrupts them.
fn character(montages: Vec<MontageSpec>) -> Arc<Character> {
    let layer = |m: &MontageSpec| LayerSpec {
        name: m.layer.clone(),
        mask: [("left_hand".to_owned(), 1.0)].into(),
        ..LayerSpec::default()
    };
    let spec = MachineSpec {
        variables: [("go", 0.0), ("stop", 0.0)].map(|(name, value)| (name.to_owned(), value)).into(),
        states: vec![StateSpec {
            name: "stands".into(),
            clip: Some(OneOrMany::One("idle".into())),
            ..StateSpec::default()
        }],
        layers: montages.iter().map(layer).collect(),
        montages,
        ..MachineSpec::default()
    };
    static ALONE: OnceLock<Arc<Character>> = OnceLock::new();
    let alone = ALONE.get_or_init(|| Arc::new(Character::new(db(), MatcherConfig::default()).unwrap()));
    let machine = Machine::new(db(), spec).unwrap_or_else(|e| panic!("{e}"));
    Arc::new(alone.with_machine(Some(Arc::new(machine))).unwrap())
}

/// Events of a run, and the time of the first control tick with `stop` set, if any.
struct Run {
    fired: Vec<FiredEvent>,
    stopped_s: f64,
}

fn run(character: &Arc<Character>, seconds: f64, stop_s: f64, mut next_dt_s: impl FnMut() -> f64) -> Run {
    let mut variables = character.machine().unwrap().variables();
    let mut m = MotionMatcher::of(character.clone(), Transform::IDENTITY).unwrap();
    variables.set("go", 1.0).unwrap();
    let mut run = Run { fired: Vec::new(), stopped_s: f64::INFINITY };
    while m.state().header.clock.time_s < seconds {
        let now_s = m.state().header.clock.time_s;
        if now_s >= stop_s && run.stopped_s.is_infinite() {
            variables.set("stop", 1.0).unwrap();
            // The first tick that was still undecided.
            run.stopped_s = ((now_s - 1e-5) / TICK_S).ceil() * TICK_S;
        }
        m.update(&MotionInput { variables: variables.values(), ..MotionInput::default() }, next_dt_s() as f32).unwrap();
        run.fired.extend(m.output().events.iter().copied().filter(|e| e.layer.is_some()));
    }
    let in_order = run.fired.windows(2).find(|e| e[0].time_s > e[1].time_s);
    assert_eq!(in_order, None, "out of order");
    run
}

/// Returns the times at which each event of a montage is due if it begins at 0: an event at the border of two sections belongs to
/// the section that ends there, and a section that is entered by a jump begins with the events at its begin.
#[derive(Default)]
struct Due {
    moments: BTreeMap<String, Vec<f64>>,
    windows: BTreeMap<String, Vec<[f64; 2]>>,
}

fn due(m: &MontageSpec, own: &[(&str, f64)], clip_s: f64, until_s: f64) -> Due {
    let rate = f64::from(m.rate.unwrap_or(1.0));
    let whole = vec![(0.0, clip_s, None)];
    let sections: Vec<(f64, f64, Option<usize>)> = m
        .sections
        .iter()
        .enumerate()
        .map(|(i, s)| {
            let named = s.next.as_ref().map(|next| m.sections.iter().position(|s| s.name == *next).unwrap());
            let to_s = s.to_s.map_or(m.sections.get(i + 1).map_or(clip_s, |n| f64::from(n.from_s)), f64::from);
            (f64::from(s.from_s), to_s, named.or((i + 1 < m.sections.len()).then_some(i + 1)))
        })
        .collect();
    let sections = if sections.is_empty() { whole } else { sections };
    let moments = m.notifies.iter().map(|n| (n.name.clone(), f64::from(n.at_s)));
    let moments: Vec<(String, f64)> = moments.chain(own.iter().map(|(n, at)| ((*n).to_owned(), *at))).collect();
    let mut out = Due::default();
    let mut open: BTreeMap<String, f64> = BTreeMap::new();
    let (mut at, mut begin_s, mut jumped) = (Some(0), 0.0, true);
    while let Some((from_s, to_s, next)) = at.map(|i: usize| sections[i]).filter(|_| begin_s < until_s) {
        let when = |s: f64| begin_s + (s - from_s) / rate;
        for (name, s) in &moments {
            if (from_s < *s && *s <= to_s) || (jumped && *s == from_s) {
                out.moments.entry(name.clone()).or_default().push(when(*s));
            }
        }
        for w in &m.windows {
            let (a, b) = (f64::from(w.from_s), f64::from(w.to_s));
            let close = |open: &mut BTreeMap<String, f64>, windows: &mut BTreeMap<String, Vec<[f64; 2]>>, s: f64| {
                if let Some(begin) = open.remove(&w.name) {
                    windows.entry(w.name.clone()).or_default().push([begin, s]);
                }
            };
            if jumped {
                if a <= from_s && from_s < b {
                    open.entry(w.name.clone()).or_insert(begin_s);
                } else {
                    close(&mut open, &mut out.windows, begin_s);
                }
            }
            if from_s < a && a <= to_s {
                open.insert(w.name.clone(), when(a));
            }
            if from_s < b && b <= to_s {
                close(&mut open, &mut out.windows, when(b));
            }
            if next.is_none() {
                close(&mut open, &mut out.windows, when(to_s));
            }
        }
        begin_s = when(to_s);
        jumped = next.is_some_and(|n| at != n.checked_sub(1) || sections[n].0 != to_s);
        at = next;
    }
    for (name, begin) in open {
        out.windows.entry(name).or_default().push([begin, f64::INFINITY]);
    }
    out
}

/// Result of a comparison.
#[derive(Debug, Default, PartialEq)]
struct Tally {
    events: usize,
    lost: usize,
    doubled: usize,
    begins: usize,
    ends: usize,
}

impl Tally {
    /// Compares sorted times; times near `unsure_s` are optional.
    fn times(&mut self, what: &str, expected: &[f64], found: &[f64], until_s: f64, unsure_s: f64) {
        let before = (self.lost, self.doubled);
        let sure = |t: f64| usize::from((t - unsure_s).abs() > NEAR_S && t < until_s);
        let (mut i, mut k) = (0, 0);
        while i < expected.len() || k < found.len() {
            match (expected.get(i), found.get(k)) {
                (Some(e), Some(f)) if (e - f).abs() <= NEAR_S => {
                    (i, k) = (i + 1, k + 1);
                    self.events += 1;
                }
                (Some(e), f) if f.is_none_or(|f| e < f) => {
                    self.lost += sure(*e);
                    i += 1;
                }
                (_, f) => {
                    self.doubled += f.map_or(0, |f| sure(*f));
                    k += 1;
                }
            }
        }
        if before != (self.lost, self.doubled) {
            println!("{what}: due at {expected:.4?}, reported at {found:.4?}");
        }
    }

    fn montage(
        &mut self,
        name: &dyn Fn(&FiredEvent) -> String,
        of_layer: &[FiredEvent],
        due: &Due,
        end_s: f64,
        stopped_s: f64,
    ) {
        let mut found: BTreeMap<(String, u8), Vec<f64>> = BTreeMap::new();
        for e in of_layer {
            let kind = match e.kind {
                EventKind::Moment => 0,
                EventKind::Begin => 1,
                EventKind::End { .. } => 2,
            };
            found.entry((name(e), kind)).or_default().push(e.time_s);
        }
        // The run ends inside a tick: events near its end are not compared.
        let until_s = end_s.min(stopped_s) - if stopped_s < end_s { -NEAR_S } else { 0.1 };
        let unsure_s = stopped_s;
        let of = |name: &str, kind: u8| found.get(&(name.to_owned(), kind)).cloned().unwrap_or_default();
        let known = |name: &String| due.moments.contains_key(name) || due.windows.contains_key(name);
        assert!(found.keys().all(|(name, _)| known(name)), "never due: {:?}", found.keys().find(|k| !known(&k.0)));
        for (name, times) in &due.moments {
            self.times(name, times, &of(name, 0), until_s, unsure_s);
        }
        for (name, windows) in &due.windows {
            let mut begins: Vec<f64> = windows.iter().map(|w| w[0]).collect();
            let mut ends: Vec<f64> = windows.iter().map(|w| w[1]).collect();
            begins.sort_by(f64::total_cmp);
            ends.sort_by(f64::total_cmp);
            self.times(&format!("begin of {name}"), &begins, &of(name, 1), until_s, unsure_s);
            self.times(&format!("end of {name}"), &ends, &of(name, 2), until_s, unsure_s);
            if stopped_s < end_s {
                // Each window that began has ended.
                assert_eq!(of(name, 1).len(), of(name, 2).len(), "window {name}");
            }
            (self.begins, self.ends) = (self.begins + of(name, 1).len(), self.ends + of(name, 2).len());
        }
    }
}

/// Returns a montage with random sections, rate and blends, and events at frames, ticks, borders, 0 and random times.
fn random_montage(r: &mut Random, layer: usize, clip_s: f64) -> MontageSpec {
    let pick = |r: &mut Random, n: u64| (r.bits() % n) as usize;
    let length = clip_s as f32;
    let place = |r: &mut Random, borders: &[f32]| match r.bits() % 5 {
        0 => ((r.bits() % (30.0 * clip_s) as u64) as f32 / 30.0).min(length),
        1 => ((r.bits() % (60.0 * clip_s) as u64) as f32 / 60.0).min(length),
        2 if !borders.is_empty() => borders[(r.bits() % borders.len() as u64) as usize],
        3 => [0.0, length][(r.bits() % 2) as usize],
        _ => r.between(0.0, length),
    };
    let count = pick(r, 4);
    let mut cuts: Vec<f32> = (0..count).map(|_| (r.between(0.1, length - 0.4) * 30.0).round() / 30.0).collect();
    cuts.sort_by(f32::total_cmp);
    cuts.dedup();
    let cuts: Vec<f32> = cuts.into_iter().fold(vec![0.0], |mut all, cut| {
        if cut - all[all.len() - 1] > 0.15 {
            all.push(cut);
        }
        all
    });
    let sections = if cuts.len() == 1 && r.bits().is_multiple_of(2) {
        vec![]
    } else {
        let names: Vec<String> = (0..cuts.len()).map(|i| format!("s{i}")).collect();
        let section = |(i, from_s): (usize, &f32)| {
            let gap = r.bits().is_multiple_of(4).then(|| cuts.get(i + 1).map_or(length, |c| *c) - 0.05);
            let next = r.bits().is_multiple_of(2).then(|| names[(r.bits() % names.len() as u64) as usize].clone());
            SectionSpec { name: names[i].clone(), from_s: *from_s, to_s: gap, next, leave: None }
        };
        cuts.iter().enumerate().map(section).collect()
    };
    let notifies = (0..40).map(|i| NotifySpec { name: format!("n{layer}_{i}"), at_s: place(r, &cuts) }).collect();
    let windows = (0..10)
        .map(|i| {
            let (a, b) = (place(r, &cuts), place(r, &cuts));
            let from_s = a.min(b).min(length - 0.06);
            WindowSpec { name: format!("w{layer}_{i}"), from_s, to_s: a.max(b).max(from_s + 0.05).min(length) }
        })
        .collect();
    let rates = [0.25, 0.5, 1.0, 1.0, 1.3, 2.0, 4.0];
    MontageSpec {
        rate: Some(rates[pick(r, 7)]),
        blend_in_s: Some([0.0, 0.2, 0.5][pick(r, 3)]),
        blend_out_s: Some([0.0, 0.2, 0.5][pick(r, 3)]),
        sections,
        notifies,
        windows,
        ..montage(layer)
    }
}

/// Returns the events of the clip itself.
fn own_events() -> Vec<(&'static str, f64)> {
    let db = db();
    let clip = db.clips.iter().position(|c| c.name == CLIP).unwrap();
    let of_clip = db.events.iter().filter(|e| e.clip.at() == clip);
    of_clip
        .map(|e| (OWN.into_iter().find(|n| *n == db.event_names[e.name.at()]).unwrap(), f64::from(e.time_s)))
        .collect()
}

#[test]
fn of_a_million_events_none_is_lost_none_is_doubled_and_every_window_ends() {
    const LAYERS: usize = 8;
    let (clip_s, own) = (clip_seconds(), own_events());
    let (mut all, mut r) = (Tally::default(), Random(7));
    let mut case = 0;
    while all.events < 1_000_000 {
        case += 1;
        let montages: Vec<MontageSpec> = (0..LAYERS).map(|layer| random_montage(&mut r, layer, clip_s)).collect();
        let character = character(montages.clone());
        let name = |e: &FiredEvent| character.event_name(e.event).unwrap().to_owned();
        let seconds = 20.0;
        let stop_s = if r.bits().is_multiple_of(2) { f64::from(r.between(0.1, 12.0)) } else { f64::INFINITY };
        let steady = [0.0, 1.0 / 144.0, 1.0 / 60.0, 1.0 / 50.0, 1.0 / 30.0, 0.1, 0.5][(r.bits() % 7) as usize];
        let mut dice = Random(r.bits());
        let run = run(&character, seconds, stop_s, || match dice.bits() % 8 {
            0 => 0.0,
            1 => f64::from(dice.between(0.0, 0.5)),
            _ if steady == 0.0 => f64::from(dice.between(0.001, 0.05)),
            _ => steady,
        });
        for (layer, m) in montages.iter().enumerate() {
            let of_layer: Vec<_> = run.fired.iter().copied().filter(|e| e.layer == Some(layer as u16)).collect();
            let due = due(m, &own, clip_s, seconds + 1.0);
            let before = Tally { ..all };
            all.montage(&name, &of_layer, &due, seconds, run.stopped_s);
            let (lost, doubled) = (all.lost - before.lost, all.doubled - before.doubled);
            assert_eq!((lost, doubled), (0, 0), "lost, doubled; case {case}, dt {steady}, stop {stop_s}: {m:#?}");
        }
    }
    println!("{case} runs of {LAYERS} montages: {all:?}");
}

#[test]
fn a_notify_at_each_frame_fires_once_at_every_rate() {
    let clip_s = clip_seconds();
    for rate in [0.5, 1.0, 2.0] {
        let frames = (clip_s * 30.0).floor() as usize;
        let notify = |k: usize| NotifySpec { name: format!("f{k}"), at_s: k as f32 / 30.0 };
        let m = MontageSpec { rate: Some(rate), notifies: (0..frames).map(notify).collect(), ..montage(0) };
        let character = character(vec![m]);
        for dt_s in [1.0 / 60.0, 1.0 / 30.0, 1.0 / 50.0, 1.0 / 144.0, 0.25] {
            let run = run(&character, clip_s / f64::from(rate) + 1.0, f64::INFINITY, || dt_s);
            let mut count = vec![0; frames];
            for e in &run.fired {
                if let Some(k) = character.event_name(e.event).unwrap().strip_prefix('f') {
                    count[k.parse::<usize>().unwrap()] += 1;
                }
            }
            assert!(count.iter().all(|n| *n == 1), "rate {rate}, dt {dt_s}: {count:?}");
        }
    }
}

#[test]
fn a_short_attack_ends_its_window_and_so_does_one_that_is_broken_off() {
    // A section of 0.38 s, and a window that ends at or beyond its end.
    let section = SectionSpec { name: "hit".into(), from_s: 0.5, to_s: Some(0.88), next: None, leave: None };
    let window = |name: &str, from_s: f32, to_s: f32| WindowSpec { name: name.into(), from_s, to_s };
    let windows = vec![window("hit_box", 0.6, 0.85), window("armour", 0.5, 2.0)];
    let m = MontageSpec { sections: vec![section], windows, ..montage(0) };
    let character = character(vec![m]);
    for stop_s in [f64::INFINITY, 0.2] {
        let run = run(&character, 2.0, stop_s, || 1.0 / 60.0);
        let name = |e: &FiredEvent| character.event_name(e.event).unwrap().to_owned();
        let begins = run.fired.iter().filter(|e| e.kind == EventKind::Begin).map(name).collect::<Vec<_>>();
        let mut ends =
            run.fired.iter().filter(|e| matches!(e.kind, EventKind::End { .. })).map(name).collect::<Vec<_>>();
        ends.sort();
        assert_eq!(begins, ["armour", "hit_box"]);
        assert_eq!(ends, ["armour", "hit_box"], "stopped at {stop_s}");
    }
}

#[test]
fn a_pause_in_the_frame_in_which_a_montage_begins_reports_its_begin_once() {
    let notify = NotifySpec { name: "first".into(), at_s: 0.0 };
    let window = WindowSpec { name: "all".into(), from_s: 0.0, to_s: 1.0 };
    let character = character(vec![MontageSpec { notifies: vec![notify], windows: vec![window], ..montage(0) }]);
    for hz in [50.0, 60.0, 100.0] {
        let mut updates = 0;
        let run = run(&character, 3.0, f64::INFINITY, || {
            updates += 1;
            // Twenty updates with a time step of 0.
            if (2..22).contains(&updates) { 0.0 } else { 1.0 / hz }
        });
        for (name, kinds) in [("first", 1), ("all", 2)] {
            let of = run.fired.iter().filter(|e| character.event_name(e.event).unwrap() == name);
            assert_eq!(of.count(), kinds, "{hz} Hz: {name}");
        }
    }
}
