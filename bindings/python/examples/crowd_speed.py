"""Times a step of a crowd: `python crowd_speed.py [CHARACTERS] [THREADS]`. `crowd_speed.rs` does the same in Rust."""

import sys
import time

import numpy as np

import footwork

SECONDS = 10


def main(n=1000, threads=1):
    crowd = footwork.Crowd(footwork.Character(footwork.built_in()), n, threads=threads)
    times = []
    for step in range(SECONDS * 60):
        if step % 60 == 0:
            angles = (np.arange(n) * (1 + step // 60)).astype(np.float32)
            sticks = np.stack([np.sin(angles), np.zeros(n), np.cos(angles)], axis=1).astype(np.float32)
        start = time.perf_counter()
        crowd.step(sticks, dt=1 / 60)
        times.append(time.perf_counter() - start)
    mean_ms = 1e3 * np.mean(times)
    print(f"{n} characters, {threads} threads: {mean_ms:.2f} ms per step, {1e3 * mean_ms / n:.2f} us per character")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
