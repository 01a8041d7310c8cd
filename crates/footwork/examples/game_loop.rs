//! A complete game loop: input, a capsule of the game's own, tags, footsteps, save and restore.

use footwork::adjust::root::RootMode;
use footwork::database::TagQuery;
use footwork::input::ExternalBody;
use footwork::prelude::*;
use glam::Vec3;
use std::error::Error;
use std::sync::Arc;

const DT_S: f32 = 1.0 / 60.0;

fn main() -> Result<(), Box<dyn Error>> {
    // Once: clips, database, character. A game loads a `.fwdb` file instead.
    let clips = footwork_gait::clips(&Default::default());
    let (database, _) = build(&clips, &BuildConfig::default(), &BuildOptions::default())?;
    let mut config = MatcherConfig::default();
    config.root.mode = RootMode::External;
    let character = Arc::new(Character::new(Arc::new(database), config)?);
    let db = character.database().ok_or("a character of clips has a database")?.clone();
    // Who walks does not run. A tag that the database does not have is an error with the nearest name.
    let no_run = db.tag_query("!run")?;

    let mut hero = MotionMatcher::of(character, Transform::IDENTITY)?;
    let mut capsule = Capsule::default();
    let mut saved = None;
    for frame in 0..600 {
        // 1. The player.
        let stick = player(frame);
        // 2. The engine moves the capsule: physics, walls, moving platforms.
        let body = capsule.step(stick);
        // 3. The animation follows the capsule.
        let tags = if stick.gait == Gait::Run { TagQuery::default() } else { no_run };
        let input = MotionInput { body: Some(body), tags, ..MotionInput::stick(stick) };
        let pose = hero.update(&input, DT_S)?;
        // 4. The pose goes to the renderer: local transforms, joint 0 in the world.
        let _skinned: &[glam::Vec3] = &pose.translations;
        // 5. Sounds.
        for step in &hero.output().footsteps {
            let foot = db.skeleton.name(step.joint);
            println!("{:5.2} s  step of {foot} at {:.2}  in {}", step.time_s, step.position, name(&hero));
        }
        // 6. A checkpoint, and back to it.
        match frame {
            300 => saved = Some((hero.state().clone(), capsule)),
            450 => {
                let (state, body) = saved.as_ref().ok_or("nothing was saved")?;
                hero.restore(state)?;
                capsule = *body;
            }
            _ => {}
        }
    }
    let apart = hero.pose().world_from_root().translation - capsule.position;
    println!("the feet are {:.0} cm from the capsule", 100.0 * apart.length());
    Ok(())
}

fn name(hero: &MotionMatcher) -> &str {
    hero.clip_name().unwrap_or("no clip")
}

/// Ahead, to the left, a run, and rest.
fn player(frame: u32) -> Stick {
    match frame {
        0..150 => Stick::towards(Vec3::Z, Gait::Walk),
        150..300 => Stick::towards(Vec3::X, Gait::Walk),
        300..500 => Stick::towards(Vec3::new(-0.7, 0.0, 0.7), Gait::Run),
        _ => Stick::default(),
    }
}

/// What a physics engine does, in three lines: it accelerates towards the stick and turns where it goes.
#[derive(Clone, Copy, Default)]
struct Capsule {
    position: Vec3,
    velocity: Vec3,
    facing: Facing,
}

impl Capsule {
    fn step(&mut self, stick: Stick) -> ExternalBody {
        let speed = if stick.gait == Gait::Run { 4.0 } else { 1.75 };
        let wanted = stick.world(stick.movement, 0.0) * speed;
        self.velocity += (wanted - self.velocity) * (4.0 * DT_S);
        self.position += self.velocity * DT_S;
        let turn = Facing::from_direction(self.velocity).filter(|_| self.velocity.length() > 0.3);
        let turn = turn.map_or(0.0, |f| self.facing.angle_to(f)).clamp(-4.0 * DT_S, 4.0 * DT_S);
        self.facing = self.facing.turned(turn);
        let Self { position, velocity, facing } = *self;
        ExternalBody { position, velocity, facing, yaw_rate_radps: turn / DT_S }
    }
}
