//! Tests of motion files, folders, sidecars and the doctor.

mod any_bytes;
mod common;
mod detected_contacts;
mod doctor;
mod folders;
#[cfg(feature = "fbx")]
mod formats;
mod import_real_motion;
mod multiply;
mod settings;
mod shards;
