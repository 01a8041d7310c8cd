//! Parts of a clip with one action each: a take may hold many.

use super::rest::{LEVEL_M, at_end, flights, hands, plants, seats};
use super::track::Track;
use std::ops::Range;

/// Shorter times between two events do not part them, in seconds: hands and feet of one vault follow each other sooner.
const APART_S: f32 = 0.4;
/// Longest part before an event, and after it, in seconds.
const AROUND_S: f32 = 6.0;

/// Returns the parts of a track in order of time. Each begins with the event before its own and ends with the one after it.
pub fn parts(track: &Track) -> Vec<Range<usize>> {
    let events = events(track);
    let around = track.frames_of(AROUND_S);
    let part = |k: usize| {
        let before = k.checked_sub(1).map_or(0, |k| events[k].end);
        let after = events.get(k + 1).map_or(track.frames(), |next| next.start);
        let (first, last) = (events[k].start.saturating_sub(around), events[k].end + around);
        before.max(first)..after.min(last)
    };
    (0..events.len()).map(part).collect()
}

/// Returns the stretches with flights, hands that touch, other grounds, and ways to seats and from them.
fn events(track: &Track) -> Vec<Range<usize>> {
    let (plants, hands) = (plants(track), hands(track));
    let flights = flights(track, &plants, &hands);
    let levels = plants.windows(2).filter(|pair| (pair[1].ground(track).y - pair[0].ground(track).y).abs() > LEVEL_M);
    let levels = levels.map(|pair| pair[0].frames.end.min(pair[1].frames.start)..pair[1].frames.start + 1);
    // A seat is reached at its start and left at its end. Meanwhile hands rest, too.
    let seats = seats(track);
    let hands = hands.into_iter().map(|hand| hand.frames);
    let hands = hands.filter(|hand| !seats.iter().any(|seat| seat.contains(&hand.start)));
    let ways = seats.iter().flat_map(|seat| [seat.start..seat.start + 1, seat.end - 1..seat.end]);
    let inside = |way: &Range<usize>| !at_end(track, way);
    let mut all: Vec<Range<usize>> =
        flights.into_iter().chain(hands).chain(levels).chain(ways.filter(inside)).collect();
    all.sort_by_key(|event| (event.start, event.end));
    let apart = track.frames_of(APART_S);
    let mut events: Vec<Range<usize>> = Vec::new();
    for event in all {
        match events.last_mut() {
            Some(last) if event.start < last.end + apart => last.end = last.end.max(event.end),
            _ => events.push(event),
        }
    }
    events
}
