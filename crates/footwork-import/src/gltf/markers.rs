//! Markers in the `extras` of an animation.

use footwork::clip::ClipEvent;
use gltf::json::animation::Animation;
use serde::Deserialize;

#[derive(Deserialize)]
struct Extras {
    #[serde(default)]
    markers: Vec<Marker>,
    #[serde(default)]
    events: Vec<Marker>,
}

#[derive(Deserialize)]
struct Marker {
    name: String,
    #[serde(alias = "time_s")]
    time: f32,
}

/// Returns events in order of time, relative to the first key. `extras` may hold any data; other shapes are ignored.
pub(super) fn read(animation: &Animation, start_s: f64) -> Vec<ClipEvent> {
    let extras = animation.extras.as_ref().and_then(|e| serde_json::from_str::<Extras>(e.get()).ok());
    let markers = extras.into_iter().flat_map(|e| e.markers.into_iter().chain(e.events));
    let mut events: Vec<ClipEvent> = markers
        .filter(|m| m.time.is_finite())
        .map(|m| ClipEvent { name: m.name, time_s: m.time - start_s as f32 })
        .collect();
    events.sort_by(|a, b| a.time_s.total_cmp(&b.time_s));
    events
}
