"""What several tests use: the built-in character, and a random stick."""

import numpy as np
import pytest

import footwork


@pytest.fixture(scope="session")
def database():
    return footwork.built_in()


@pytest.fixture(scope="session")
def character(database):
    return footwork.Character(database)


@pytest.fixture
def sticks():
    """Returns directions in the world: for each of `n` characters another, which changes every half second."""

    def at(step, n):
        random = np.random.default_rng(step // 30)
        angles = random.uniform(0, 2 * np.pi, n)
        directions = np.stack([np.sin(angles), np.zeros(n), np.cos(angles)], axis=1)
        return (directions * random.uniform(0, 1, (n, 1))).astype(np.float32)

    return at
