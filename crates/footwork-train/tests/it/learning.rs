//! Small networks are trained on a few clips.

use crate::common;

use common::{gait, settings, train_through};
use footwork_train::autoencoder::{Autoencoder, AutoencoderSizes};
use footwork_train::body_loss::{BodyLoss, LossWeights};
use footwork_train::checkpoint::{Checkpoint, Identity, Keeper};
use footwork_train::dataset::{Dataset, LONGEST_WINDOW};
use footwork_train::error::TrainError;
use footwork_train::kinematics::Kinematics;
use footwork_train::pace::Limit;
use footwork_train::train::DeviceKind;
use footwork_train::workshop::Workshop;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

#[test]
fn small_networks_learn_a_few_clips_and_untrained_ones_do_not_know_them() {
    let untrained = train_through(&settings([1, 1, 1])).quality;
    let trained = train_through(&settings([4000, 400, 400])).quality;
    println!("{untrained:?}\n{trained:?}");
    assert!(trained.reconstruction.mean_cm < 3.0, "{trained:?}");
    assert!(untrained.reconstruction.mean_cm > 8.0, "{untrained:?}");
    assert!(trained.planted_cm_s[0] < 0.3 * untrained.planted_cm_s[0], "{trained:?}");
    assert!(trained.contacts_right > 0.9, "{trained:?}");
}

#[test]
fn training_twice_gives_the_same_networks() {
    let settings = settings([60, 30, 30]);
    let [first, second] = [(); 2].map(|()| train_through(&settings).networks.to_bytes().unwrap());
    assert!(first == second);
}

#[test]
fn windows_stay_inside_their_clips() {
    let data = Dataset::read(gait()).unwrap();
    for frames in [2, 3, LONGEST_WINDOW] {
        let windows = data.windows(frames);
        assert!(!windows.is_empty());
        for window in 0..windows.len() {
            let start = windows.start(window);
            let sequence = data.sequence_of(start);
            // The successor of the last frame also belongs to the clip.
            assert!(start >= sequence.frames.start && start + frames <= sequence.frames.end + 1, "{frames} at {start}");
        }
    }
}

#[test]
fn a_number_that_is_none_stops_training_and_names_its_clip() {
    let db = gait();
    let mut data = Dataset::read(db).unwrap();
    let kinematics = Kinematics::new(&db.skeleton, &data.layout);
    let loss = BodyLoss::new(kinematics, &data.layout, &[], LossWeights::default());
    let sizes = AutoencoderSizes { latents: 4, hidden: 16, compressor_hidden: 16, batch: 8 };
    let mut autoencoder = Autoencoder::new(&data, sizes, loss.local(), 1);
    let sequence = data.sequences[1].clone();
    let frame = sequence.frames.start + 6;
    let width = data.layout.width();
    data.bodies[frame * width] = f32::NAN;
    let checkpoint = Checkpoint {
        identity: Identity { database: String::new(), sizes: String::new() },
        seed: 1,
        limits: [Limit::Steps(100_000); 3],
        phases: Vec::new(),
    };
    let mut shop = Workshop {
        device: DeviceKind::Cpu.open().unwrap(),
        seed: 1,
        observer: &mut |_| {},
        keeper: Keeper::new(None, checkpoint, Arc::new(AtomicBool::new(false))),
    };
    let error = autoencoder.train(&data, &loss, Limit::Steps(100_000), &mut shop).unwrap_err();
    let text = error.to_string();
    let TrainError::NotFinite { phase, clip, time_s, .. } = error else { panic!("{text}") };
    assert_eq!((phase, clip.as_str()), ("autoencoder", data.clip_names[sequence.clip.at()].as_str()));
    // The reported frame belongs to a window that contains the invalid one.
    assert!((0.0..0.06).contains(&(sequence.time_s(frame) - time_s)), "{text}");
    assert!(autoencoder.decompressor.parameters.iter().flat_map(|p| &p.values).all(|v| v.is_finite()));
    assert!(text.contains("no checkpoint yet") && !text.contains('\n'), "{text}");
}
