"""Drives the built-in character through the standard course for 60 s, and prints a hash of every bit of its poses.

The last line is the `pose_hash` of

    footwork simulate --course standard --seconds 60 --seed 1 --json
"""

import numpy as np

import footwork

STEPS = 3600
# Time steps are single precision, as in Rust.
DT_S = float(np.float32(1 / 60))


def main():
    matcher = footwork.Matcher(footwork.Character(footwork.built_in()))
    course, poses = footwork.Course("standard", seed=1), footwork.PoseHash()
    part = None
    for k in range(STEPS):
        time_s = k * DT_S
        if course.part(time_s) != part:
            part = course.part(time_s)
            print(f"{time_s:5.1f} s  {part}: plays {matcher.clip_name}")
        matcher.step(course.input(time_s, matcher), dt=DT_S)
        poses.update(matcher)
    print(poses.hexdigest())


if __name__ == "__main__":
    main()
