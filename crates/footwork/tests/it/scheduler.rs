//! A crowd with a budget of searches: the budget is kept, significant characters get more searches, and every character gets
//! some.

use crate::common;

use common::{random_stick, walk};
use footwork::database::MirrorMode;
use footwork::frames::ClipIndex;
use footwork::input::{InputError, MotionInput};
use footwork::matcher::{Character, Crowd, MatcherConfig, MatcherState, Output, Scratch, SearchScheduler};
use footwork::math::Transform;
use glam::Vec3;

const DT_S: f32 = 1.0 / 60.0;

/// Returns a stick held in a direction.
fn held(yaw_rad: f32) -> MotionInput<'static> {
    walk(Vec3::new(footwork::advanced::math::sin(yaw_rad), 0.0, footwork::advanced::math::cos(yaw_rad)))
}

/// Characters steered by random sticks.
struct Players {
    character: Character,
    states: Vec<MatcherState>,
    scratch: Scratch,
    outputs: Vec<Output>,
    time_s: f64,
}

impl Players {
    fn new(characters: usize) -> Self {
        let character = Character::new(common::gait(MirrorMode::Query), MatcherConfig::default()).unwrap();
        let states = vec![character.state_at(Transform::IDENTITY).unwrap(); characters];
        let outputs = (0..characters).map(|_| character.output()).collect();
        Self { scratch: character.scratch(), character, states, outputs, time_s: 0.0 }
    }

    /// Changes the settings.
    fn set(&mut self, change: impl FnOnce(&mut MatcherConfig)) {
        let mut config = self.character.config().clone();
        change(&mut config);
        self.character = self.character.with_config(config).unwrap();
    }

    /// Runs one frame; returns for each character whether it searched.
    fn frame(&mut self, scheduler: &mut SearchScheduler, significance: &[f32]) -> Vec<bool> {
        let inputs: Vec<MotionInput> = (0..self.states.len()).map(|i| random_stick(i as u64, self.time_s)).collect();
        self.frame_of(&inputs, scheduler, significance)
    }

    fn frame_of(&mut self, inputs: &[MotionInput], scheduler: &mut SearchScheduler, significance: &[f32]) -> Vec<bool> {
        let Self { character, states, scratch, outputs, .. } = self;
        scheduler.step(character, inputs, significance, DT_S, Crowd { states, scratch, outputs }).unwrap();
        self.time_s += f64::from(DT_S);
        self.outputs.iter().map(|o| o.searches > 0).collect()
    }

    fn bits(&self) -> Vec<String> {
        self.states.iter().map(common::bits).collect()
    }
}

#[test]
fn the_budget_is_kept_over_time_and_nobody_starves() {
    let (n, budget, frames) = (40, 3, 600);
    let mut crowd = Players::new(n);
    let mut scheduler = SearchScheduler::new(n, budget);
    // From the main character to a distant one.
    let significance: Vec<f32> = (0..n).map(|i| if i == 0 { 1.0 } else { 1.0 / (i * i) as f32 }).collect();
    let (mut last, mut searches, mut longest) = (vec![0; n], vec![0; n], vec![0; n]);
    for frame in 0..frames {
        for (i, searched) in crowd.frame(&mut scheduler, &significance).into_iter().enumerate() {
            if searched {
                longest[i] = longest[i].max(frame - last[i]);
                (last[i], searches[i]) = (frame, searches[i] + 1);
            }
        }
    }
    let all: usize = searches.iter().sum();
    assert!(all <= budget * frames + n, "{all} searches");
    // One second, plus the time to serve all others that have waited as long.
    let bound = 60 + n.div_ceil(budget) + 1;
    for i in 0..n {
        assert!(frames - last[i] <= bound && longest[i] <= bound, "{i}: {} and {}", frames - last[i], longest[i]);
    }
    assert!(searches[0] > 2 * searches[n - 1], "{searches:?}");
}

#[test]
fn a_frame_keeps_its_budget_and_pays_for_the_clips_that_ended_in_the_frame_before() {
    let mut crowd = Players::new(12);
    // All characters request a search in every frame, and no transition occurs unless a clip ends.
    crowd.set(|c| (c.search.interval_s, c.search.transition_cost) = (DT_S, 1e6));
    let db = crowd.character.database().unwrap().clone();
    let ends = db.clips.iter().position(|c| !c.looping()).unwrap();
    for state in &mut crowd.states {
        let h = &mut state.header;
        h.playback.playing.clip = ClipIndex::new(ends);
        h.playback.playing.time_s = db.view(h.playback.playing.clip, false).seconds() - 0.2;
        h.anchor.playing_s = h.playback.playing.time_s;
    }
    let mut scheduler = SearchScheduler::new(12, 3);
    let inputs = [held(0.0); 12];
    let searches: Vec<usize> =
        (0..20).map(|_| crowd.frame_of(&inputs, &mut scheduler, &[1.0; 12]).iter().filter(|s| **s).count()).collect();
    let over = searches.iter().position(|n| *n == 12).unwrap_or_else(|| panic!("{searches:?}"));
    for (frame, n) in searches.iter().enumerate() {
        // Nine above the budget: the next frame's budget is used up, except for one search that is always allowed.
        let expected = if frame == over { 12 } else { 3 - 2 * usize::from(frame == over + 1) };
        assert_eq!(*n, expected, "frame {frame} of {searches:?}");
    }
}

#[test]
fn whoever_has_waited_longest_goes_first_whatever_others_matter_or_wish() {
    let n = 10;
    let mut crowd = Players::new(n);
    // The goal of the first five changes abruptly in every frame.
    crowd.set(|c| c.search.force_facing_deg = 0.0);
    let mut scheduler = SearchScheduler::new(n, 1);
    scheduler.longest_wait_s = 7.0 * DT_S;
    let significance: Vec<f32> = (0..n).map(|i| if i < 5 { 1.0 } else { 0.0 }).collect();
    for frame in 0..300 {
        let input = |i| held(if i < 5 { frame as f32 * 0.1 } else { 0.0 });
        let inputs: Vec<MotionInput> = (0..n).map(input).collect();
        crowd.frame_of(&inputs, &mut scheduler, &significance);
        let longest_s = (0..n).map(|i| scheduler.waited_s(i)).fold(0.0, f32::max);
        assert!(frame < n || longest_s < (n + 2) as f32 * DT_S, "frame {frame}: {} frames", longest_s / DT_S);
    }
}

#[test]
fn a_crowd_grows_at_its_end_and_shrinks_as_a_vector_does() {
    let mut crowd = Players::new(3);
    let mut scheduler = SearchScheduler::new(3, 1);
    (0..2).for_each(|_| drop(crowd.frame(&mut scheduler, &[1.0; 3])));
    let waited_s = |s: &SearchScheduler| (0..s.characters()).map(|i| s.waited_s(i)).collect::<Vec<f32>>();
    let before = waited_s(&scheduler);
    scheduler.resize(5);
    assert_eq!(waited_s(&scheduler), [before[0], before[1], before[2], f32::INFINITY, f32::INFINITY]);
    scheduler.swap_remove(0);
    assert_eq!(waited_s(&scheduler), [f32::INFINITY, before[1], before[2], f32::INFINITY]);
}

#[test]
fn with_budget_for_all_everyone_searches_at_the_interval() {
    let mut crowd = Players::new(8);
    let mut scheduler = SearchScheduler::new(8, 8);
    for frame in 0..60 {
        let searched = crowd.frame(&mut scheduler, &[1.0; 8]);
        // Abrupt changes of the goal and ends of clips may take precedence.
        assert!((0..8).all(|i| searched[i] || scheduler.waited_s(i) < 0.1 + 1e-3), "frame {frame}");
        assert!(frame > 0 || searched.iter().all(|s| *s));
    }
}

#[test]
fn who_needs_no_search_has_had_its_turn_and_keeps_nobody_waiting() {
    let n = 12;
    let mut crowd = Players::new(n);
    crowd.set(|c| c.search.keep_playing_within = 1e6);
    let mut scheduler = SearchScheduler::new(n, 1);
    let bound_s = 1.0 + (n + 1) as f32 * DT_S;
    let mut searches = 0;
    for frame in 0..300 {
        searches += crowd.frame(&mut scheduler, &[1.0; 12]).iter().filter(|s| **s).count();
        let longest_s = (0..n).map(|i| scheduler.waited_s(i)).fold(0.0, f32::max);
        assert!(frame < n || longest_s < bound_s, "frame {frame}: {longest_s} s");
    }
    assert!(searches < 300, "{searches}");
}

#[test]
fn the_same_frames_give_the_same_bits() {
    let run = || {
        let mut crowd = Players::new(12);
        let mut scheduler = SearchScheduler::new(12, 2);
        (0..200).for_each(|_| drop(crowd.frame(&mut scheduler, &[0.7; 12])));
        (crowd.bits(), scheduler)
    };
    assert_eq!(run(), run());
}

#[test]
fn odd_significance_and_no_budget_are_survived_and_every_one_still_searches() {
    let mut crowd = Players::new(4);
    let mut scheduler = SearchScheduler::new(4, 0);
    let significance = [f32::NAN, -1.0, 0.0, f32::INFINITY];
    let mut searches = [0; 4];
    for _ in 0..240 {
        let searched = crowd.frame(&mut scheduler, &significance);
        (0..4).for_each(|i| searches[i] += usize::from(searched[i]));
    }
    assert!(searches.iter().all(|s| *s >= 3), "{searches:?}");
    assert!(searches[3] > searches[0], "{searches:?}");
}

#[test]
fn slices_that_do_not_fit_are_refused_and_nobody_has_moved() {
    let mut crowd = Players::new(3);
    let mut scheduler = SearchScheduler::new(3, 1);
    let (before, schedule) = (crowd.bits(), scheduler.clone());
    let inputs = [held(0.0); 3];
    let Players { character, states, scratch, outputs, .. } = &mut crowd;
    let refused = scheduler.step(character, &inputs, &[1.0; 2], DT_S, Crowd { states, scratch, outputs });
    assert!(matches!(refused, Err(InputError::Characters { what: "significance", expected: 3, found: 2 })));
    let crowd_of_three = Crowd { states, scratch, outputs };
    let refused = scheduler.step(character, &inputs[..2], &[1.0; 3], DT_S, crowd_of_three);
    assert!(matches!(refused, Err(InputError::Characters { what: "inputs", .. })));
    assert_eq!(crowd.bits(), before);
    assert_eq!(schedule.waited_s(0), scheduler.waited_s(0));
}
