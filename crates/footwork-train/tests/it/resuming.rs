//! An interrupted training continues with equal results.

use crate::common;

use common::{settings, train, train_through, train_with};
use footwork_train::checkpoint::Checkpoint;
use footwork_train::error::TrainError;
use footwork_train::train::TrainSettings;

#[test]
fn a_resumed_training_gives_what_an_uninterrupted_one_gives() {
    let settings = settings([120, 60, 60]);
    let expected = train_through(&settings);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.fwnet.checkpoint");
    // In each phase, and between two phases.
    for stop_after in [50, 120, 150, 200] {
        let stopped = train(&settings, Some(&path), false, stop_after).unwrap_err();
        assert!(matches!(&stopped, TrainError::Interrupted { path: Some(p) } if *p == path), "{stopped}");
        assert!(stopped.to_string().contains("--resume"), "{stopped}");
        let mut steps = 0;
        let found = train_with(&settings, Some(&path), true, &mut |_, _| steps += 1).unwrap();
        assert_eq!(steps, 240 - stop_after);
        assert!(found.networks.to_bytes().unwrap() == expected.networks.to_bytes().unwrap(), "{stop_after}");
        for (found, expected) in found.phases.iter().zip(&expected.phases) {
            assert_eq!((&found.losses, &found.validation), (&expected.losses, &expected.validation));
        }
    }
}

#[test]
fn a_checkpoint_that_cannot_be_used_is_refused_in_one_line() {
    let settings = settings([30, 10, 10]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.fwnet.checkpoint");
    let refused = |settings: &TrainSettings| {
        let text = train(settings, Some(&path), true, u64::MAX).unwrap_err().to_string();
        assert!(!text.contains('\n'), "{text}");
        text
    };
    assert!(refused(&settings).contains("no checkpoint to resume from"));
    train(&settings, Some(&path), false, 20).unwrap_err();
    assert!(refused(&TrainSettings { hidden: 32, ..settings.clone() }).contains("of other sizes"));
    let whole = std::fs::read(&path).unwrap();
    let mut other = Checkpoint::from_bytes(&whole).unwrap();
    assert_eq!(Checkpoint::from_bytes(&other.to_bytes().unwrap()), Ok(other.clone()));
    other.identity.database = "another".into();
    std::fs::write(&path, other.to_bytes().unwrap()).unwrap();
    assert!(refused(&settings).contains("of another database"));
    for length in (0..whole.len()).step_by(whole.len() / 50) {
        std::fs::write(&path, &whole[..length]).unwrap();
        assert!(refused(&settings).contains("cannot resume"), "{length}");
    }
}
