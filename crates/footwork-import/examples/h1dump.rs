// args: out folder, then sources (folders/files) or `gait:RATE`
use footwork::build::{self, BuildConfig, JointRoles, RootMotion, RootMotionConfig};
use footwork::clip::RawClip;
use footwork::math::{Quat, Transform};
use glam::Vec3;
use std::fmt::Write;

struct Lcg(u64);
impl Lcg {
    fn n(&mut self) -> f32 {
        let mut s = 0.0;
        for _ in 0..12 {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            s += ((self.0 >> 40) as f32) / (1u64 << 24) as f32;
        }
        s - 6.0
    }
}

fn world(c: &RawClip, f: usize) -> Vec<Transform> {
    let j = c.skeleton.len();
    let mut w: Vec<Transform> = Vec::new();
    for k in 0..j {
        let l = Transform::new(c.translations[f * j + k], c.rotations[f * j + k]);
        w.push(match c.skeleton.parents()[k] {
            Some(p) => w[p.at()] * l,
            None => l,
        });
    }
    w
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    for src in &args[1..] {
        let (clips, truths, config) = if let Some(rate) = src.strip_prefix("gait:") {
            let rate: f32 = rate.parse().unwrap();
            let opt = footwork_gait::GaitOptions { rate_hz: rate, ..Default::default() };
            let mut g = footwork_gait::generate(&opt);
            let mut rng = Lcg(7);
            for c in &mut g {
                let j = c.clip.skeleton.len();
                for (i, t) in c.clip.translations.iter_mut().enumerate() {
                    if i % j == 0 {
                        continue;
                    }
                    *t += Vec3::new(rng.n(), rng.n(), rng.n()) * 0.001;
                }
                for (i, q) in c.clip.rotations.iter_mut().enumerate() {
                    if i % j == 0 {
                        continue;
                    }
                    let v = Vec3::new(rng.n(), rng.n(), rng.n()) * 0.2f32.to_radians();
                    *q = (Quat::from_rotation_x(v.x) * Quat::from_rotation_y(v.y) * Quat::from_rotation_z(v.z) * *q)
                        .normalize();
                }
                c.clip.annotations = Default::default();
            }
            let truths: Vec<_> = g.iter().map(|c| Some(c.truth.clone())).collect();
            (g.into_iter().map(|c| c.clip).collect::<Vec<_>>(), truths, BuildConfig::default())
        } else {
            let (src, cfg) = match src.split_once('@') {
                Some((s, t)) => {
                    (s.to_string(), footwork_import::CharacterConfig::load(std::path::Path::new(t)).unwrap())
                }
                None => (src.clone(), footwork_import::CharacterConfig::default()),
            };
            let i = footwork_import::import_clips(&[src.into()], std::path::Path::new("."), &cfg.source, None).unwrap();
            let mut b = cfg.build.clone();
            b.root = RootMotionConfig { mode: RootMotion::Synthesize, speed_from_feet: Some(false), ..b.root };
            b.pose_rate_hz = Some(i.clips[0].rate_hz);
            let p = build::prepare(&i.clips, &b).unwrap();
            let t = vec![None; p.len()];
            (p, t, b)
        };
        let roles = JointRoles::resolve(&clips[0].skeleton, &config.roles).unwrap();
        let feet = build::contact_joints(&clips[0].skeleton, &roles, &config).unwrap();
        let hips = roles.get("hips").map_or(0, |j| j.at());
        let mut out = String::new();
        for (c, t) in clips.iter().zip(truths) {
            writeln!(
                out,
                "clip {} {} {} {} {}",
                c.name.replace(' ', "_"),
                c.rate_hz,
                u8::from(c.looping),
                c.frames(),
                feet.len()
            )
            .unwrap();
            let s = &c.skeleton;
            writeln!(
                out,
                "feet {}",
                feet.iter()
                    .map(|f| format!("{}<{}", s.name(*f), s.name(s.parents()[f.at()].unwrap())))
                    .collect::<Vec<_>>()
                    .join(" ")
            )
            .unwrap();
            for f in 0..c.frames() {
                let w = world(c, f);
                let mut p = |v: Vec3| write!(out, "{} {} {} ", v.x, v.y, v.z).unwrap();
                p(w[0].translation);
                p(w[hips].translation);
                for j in &feet {
                    let a = s.parents()[j.at()].unwrap();
                    p(w[a.at()].translation);
                    p(w[j.at()].translation);
                }
                for k in 0..feet.len() {
                    let (a, b) = match &t {
                        Some(t) => (u8::from(t.touching[f][k]), u8::from(t.contacts[f][k])),
                        None => (2, 2),
                    };
                    write!(out, "{a} {b} ").unwrap();
                }
                writeln!(out).unwrap();
            }
        }
        let name = src.replace(['/', ':'], "_");
        std::fs::write(format!("{}/{}.txt", args[0], name), out).unwrap();
    }
}
