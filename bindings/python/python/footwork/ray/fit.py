"""Fitting of the weights of channels and of settings to measured motion, by CMA-ES."""

import copy
import json
import math
import os
import statistics
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import footwork
from footwork.ray.cluster import Progress, connected
from footwork.ray.evaluate import Evaluator, Figures

# Metrics that are made lower, with their weights: response, slide of the feet before correction, path, jerk of the root.
METRICS = {"t90_mean_s": 1.0, "label_skate_ik_off_cm_s": 1.0, "path_error_m": 1.0, "jerk_root": 1.0}
# Metrics that may rise by a tenth. Those that are 0 at the start may rise by nothing.
KEPT = ("label_skate_cm_s", "heading_error_deg", "pops_per_min", "steady_straight_transitions_per_s")
_KEPT_RISE = 1.1
SETTINGS = (
    "responsiveness",
    "search.discontinuity_cost",
    "search.slide_cost",
    "search.path_cost",
    "search.steady_cost",
    "transition.half_life_s",
)

# Beginning of the names of weights of channels.
_CHANNEL = "channel_cost."
# Ratio of a metric that a candidate does not have, since the character never does what is measured.
_MISSING = 1e3
# Largest change of a weight or a setting, up or down, in octaves: a factor of 16.
_OCTAVES = 4.0
# Standard deviation of the first candidates, in octaves.
_FIRST_OCTAVES = 1.0
# Candidates that are compared once more in runs that the fit has not seen.
_FINALISTS = 6
# Number of the first run with the database that is kept apart.
_FIRST_KEPT_RUN = 48


@dataclass(frozen=True)
class Point:
    """A candidate of a fit."""

    #: The fitted settings by name: ``"channel_cost.<label>"``, ``"search.slide_cost"``.
    settings: dict[str, float]
    #: Means of the metrics over the runs.
    metrics: dict[str, float]
    #: Weighted mean of the metrics divided by those at the start, with the shares by which metrics of ``keep`` rose too far. 1 at the
    #: start.
    score: float


@dataclass(frozen=True)
class Fit:
    """The result of a fit."""

    #: Whether the fitted settings are better on the database that was kept apart.
    accepted: bool
    #: Why, in a sentence.
    reason: str
    #: The configuration with the fitted settings, or that of the start if they were not accepted.
    config: dict
    #: The start, and all candidates in the order of their evaluation.
    points: list[Point]
    #: The best candidate.
    chosen: Point
    #: Gain on the fitted database in other runs, in percent of the metrics, less what metrics of ``keep`` rose too far.
    fitted_gain_pct: float
    #: Gain on the database that was kept apart, in percent of the metrics: mean over its runs.
    gain_pct: float
    #: The 95 % interval of ``gain_pct`` over its runs.
    interval_pct: tuple[float, float]
    #: Metrics on the database that was kept apart: (at the start, fitted), means over its runs.
    kept_apart: dict[str, tuple[float, float]]
    _goals: tuple[str, ...] = field(repr=False, default=tuple(METRICS))

    @property
    def front(self) -> list[Point]:
        """The points that no other point beats or equals in all metrics of the fit."""
        values = [[point.metrics[name] for name in self._goals] for point in self.points]
        return [p for p, mine in zip(self.points, values) if not any(_beats(other, mine) for other in values)]

    @property
    def toml(self) -> str:
        """The fitted settings as lines of a configuration file."""
        tables: dict[str, list[str]] = {}
        for name, value in self.chosen.settings.items():
            *above, key = _path(name)
            quoted = key if key.isidentifier() else json.dumps(key)
            tables.setdefault(".".join(["matcher", *above]), []).append(f"{quoted} = {value}")
        return "\n".join("\n".join([f"[{table}]", *lines, ""]) for table, lines in sorted(tables.items()))

    def save(self, path: str | os.PathLike) -> None:
        """Writes :attr:`toml` to a file.

        :raises footwork.Error: The settings were not accepted.
        """
        if not self.accepted:
            raise footwork.Error(f"the fitted settings are not saved: {self.reason}")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"# {self.reason}\n{self.toml}")

    def plot(self, path: str | os.PathLike) -> None:
        """Draws all points, the front, the start and the chosen one, for each pair of metrics (PNG, SVG or PDF, by the name)."""
        from matplotlib.figure import Figure

        pairs = [(a, b) for i, a in enumerate(self._goals) for b in self._goals[i + 1 :]] or [self._goals * 2]
        columns = min(3, len(pairs))
        rows = math.ceil(len(pairs) / columns)
        figure = Figure(figsize=(4.2 * columns, 3.6 * rows), layout="constrained")
        layers = [
            (self.points, "0.75", "o", "candidates"),
            (self.front, "tab:blue", "o", "front"),
            (self.points[:1], "black", "s", "start"),
            ([self.chosen], "tab:red", "*", "chosen"),
        ]
        for k, (a, b) in enumerate(pairs):
            axes = figure.add_subplot(rows, columns, k + 1, xlabel=a, ylabel=b)
            for points, colour, marker, label in layers:
                x, y = ([point.metrics[name] for point in points] for name in (a, b))
                axes.scatter(x, y, s=80 if marker == "*" else 18, c=colour, marker=marker, label=label)
        figure.axes[0].legend()
        figure.savefig(path)


def fit(
    database: footwork.Database,
    kept_apart: footwork.Database,
    config: str | os.PathLike | dict | None = None,
    *,
    channels: Sequence[str] | None = None,
    settings: Sequence[str] = SETTINGS,
    metrics: Mapping[str, float] = METRICS,
    keep: Sequence[str] = KEPT,
    courses: Sequence[str] | None = None,
    evaluations: int = 300,
    runs: int = 2,
    kept_runs: int = 8,
    seed: int = 1,
    workers: int | None = None,
    address: str | None = None,
    progress: Progress | None = None,
) -> Fit:
    """Fits weights of channels and settings of the matcher, so that measured motion is better.

    CMA-ES (https://arxiv.org/abs/1604.00772) changes all of them by factors, 16 at most, and lowers the mean of ``metrics``, each divided by its
    value at the start. The best candidates are compared once more in other runs. The chosen one is then measured against the start
    on ``kept_apart``, in runs with other random numbers. It is accepted if its gain there is positive with a confidence of 95 %, and
    if no metric of ``keep`` rises by more than a tenth there with that confidence. A fit to few clips often does not pass: its gain
    was luck.

    The result is the same for any number of workers.

    :param database: Database of the clips that settings are fitted to.
    :param kept_apart: Database of other clips, with the same skeleton and schema. With the same clips, only the courses are kept
        apart.
    :param config: Settings at the start: a TOML file, or its tables as a dictionary. Default: the default settings.
    :param channels: Labels of the channels whose weights are fitted, as in ``Database.channels``. Default: all.
    :param settings: Names of settings of the table ``matcher`` that are fitted; positive numbers.
    :param metrics: Metrics to lower, with their weights.
    :param keep: Metrics that may rise by a tenth at most. Those that the courses do not measure are left out.
    :param courses: Courses of the evaluation. Default: all.
    :param evaluations: Number of candidates, at least 1.
    :param runs: Runs for each candidate, 1 to 24.
    :param kept_runs: Runs with ``kept_apart``, 4 to 48.
    :param seed: Seed of the candidates, at least 1.
    :param workers: As for :func:`evaluate_many`.
    :param address: As for :func:`build_corpus`.
    :param progress: Called with the number of evaluated candidates and the number of all.
    :raises footwork.Error: An argument is out of range, a metric is unknown or 0 at the start, or a setting is unknown.
    """
    for name, value, least, most in [
        ("evaluations", evaluations, 1, 10**6),
        ("runs", runs, 1, 24),
        ("kept_runs", kept_runs, 4, 48),
        ("seed", seed, 1, 2**32 - 1),
    ]:
        if not least <= value <= most:
            raise footwork.Error(f"`{name}`: expected {least} to {most}, found {value}")
    if not metrics or min(metrics.values()) <= 0.0:
        raise footwork.Error(f"`metrics`: expected at least one, with weights above 0; found {dict(metrics)}")
    start = _tables(config)
    names = _names(database, channels, settings)
    first = _values(database, start, names)
    with connected(workers, address) as at_once:
        space = _Space(start, names, first)
        judge = _Judge(Evaluator(database, courses), at_once, metrics, keep)
        points = _search(space, judge, evaluations, range(runs), seed, progress)
        chosen, fitted = _choose(space, judge, points, range(runs, 2 * runs + 2))
        judge = _Judge(Evaluator(kept_apart, courses), at_once, metrics, keep)
        numbers = range(_FIRST_KEPT_RUN, _FIRST_KEPT_RUN + kept_runs)
        before, [after] = judge.beside_start(start, [space.config(chosen.settings)], numbers)
    gains = [100 * (1 - judge.ratio(b, a)) for b, a in zip(before, after)]
    mean, interval = _interval(gains)
    measured = [name for name in (*metrics, *keep) if any(name in run for run in before)]
    kept = {name: (_mean(before, name), _mean(after, name)) for name in measured}
    rises = [f"{name} from {kept[name][0]:.3g} to {kept[name][1]:.3g}" for name in judge.risen(before, after)]
    accepted, reason = _verdict(mean, interval, rises)
    return Fit(
        accepted=accepted,
        reason=reason,
        config=space.config(chosen.settings) if accepted else start,
        points=points,
        chosen=chosen,
        fitted_gain_pct=100 * (1 - fitted),
        gain_pct=mean,
        interval_pct=interval,
        kept_apart=kept,
        _goals=tuple(metrics),
    )


class _Space:
    """What is fitted: names of weights and settings, with their values at the start."""

    def __init__(self, start: dict, names: list[str], first: list[float]) -> None:
        self._start, self._names, self._first = start, names, first
        #: The start, in octaves.
        self.origin = [0.0] * len(names)

    def settings(self, octaves: Sequence[float]) -> dict[str, float]:
        """Returns the settings that differ from the start by octaves, with four digits, as they are written."""
        return {name: float(f"{v * 2.0**o:.4g}") for name, v, o in zip(self._names, self._first, octaves)}

    def config(self, settings: Mapping[str, float]) -> dict:
        """Returns the configuration of the start with other settings."""
        config = copy.deepcopy(self._start)
        for name, value in settings.items():
            _set(config, name, value)
        return config


class _Judge:
    """Compares candidates with the start."""

    def __init__(self, evaluator: Evaluator, at_once: int, metrics: Mapping[str, float], keep: Sequence[str]) -> None:
        self._evaluator, self._at_once, self._metrics, self._keep = evaluator, at_once, metrics, keep

    def run(self, configs: Sequence[dict], runs: Sequence[int]) -> list[list[Figures]]:
        """Evaluates configurations."""
        return self._evaluator.run(configs, runs, self._at_once)

    def beside_start(
        self, start: dict, configs: Sequence[dict], runs: Sequence[int]
    ) -> tuple[list[Figures], list[list[Figures]]]:
        """Evaluates the start and configurations. The start must have all metrics, above 0."""
        of_start, *found = self.run([start, *configs], runs)
        for name in self._metrics:
            values = [run.get(name) for run in of_start]
            if not all(value is not None and value > 0.0 for value in values):
                raise footwork.Error(
                    f"`metrics`: expected metrics that these courses measure, above 0 at the start; `{name}` is {values}"
                )
        return of_start, found

    def ratio(self, start: Figures, found: Figures) -> float:
        """Returns the weighted mean of the metrics, each divided by its value at the start."""
        ratios = [w * (found[name] / start[name] if name in found else _MISSING) for name, w in self._metrics.items()]
        return sum(ratios) / sum(self._metrics.values())

    def score(self, start: list[Figures], found: list[Figures]) -> float:
        """Returns the score over several runs: see :attr:`Point.score`."""
        ratio = statistics.fmean(self.ratio(s, f) for s, f in zip(start, found))
        excess = sum(_excess(_mean(start, name), _mean(found, name)) for name in self._keep if name in start[0])
        return ratio + excess / sum(self._metrics.values())

    def risen(self, start: list[Figures], found: list[Figures]) -> list[str]:
        """Returns the metrics to be kept that rise too far with a confidence of 95 %, or that a run has lost."""
        return [name for name in self._keep if _rises([s.get(name) for s in start], [f.get(name) for f in found])]

    def point(self, settings: dict[str, float], start: list[Figures], found: list[Figures]) -> Point:
        """Returns a candidate with what was measured of it."""
        names = [name for name in (*self._metrics, *self._keep) if name in start[0]]
        return Point(settings, {name: _mean(found, name) for name in names}, self.score(start, found))


def _search(
    space: _Space, judge: _Judge, evaluations: int, runs: Sequence[int], seed: int, progress: Progress | None
) -> list[Point]:
    """Returns the start and all candidates in the order of their evaluation."""
    try:
        # Only fits need it.
        import cma
    except ImportError as missing:
        raise ImportError("footwork.ray.fit needs cma: pip install 'footwork[ray]'") from missing
    options = {"seed": seed, "bounds": [-_OCTAVES, _OCTAVES], "verbose": -9}
    search = cma.CMAEvolutionStrategy(space.origin, _FIRST_OCTAVES, options)
    settings = space.settings(space.origin)
    start, _ = judge.beside_start(space.config(settings), [], runs)
    points = [judge.point(settings, start, start)]
    while len(points) <= evaluations:
        asked = search.ask()
        candidates = [space.settings(list(map(float, octaves))) for octaves in asked]
        found = judge.run([space.config(settings) for settings in candidates], runs)
        new = [judge.point(settings, start, figures) for settings, figures in zip(candidates, found)]
        search.tell(asked, [point.score for point in new])
        points += new
        if progress is not None:
            progress(min(len(points) - 1, evaluations), evaluations)
        if search.stop():
            break
    return points


def _choose(space: _Space, judge: _Judge, points: list[Point], runs: Sequence[int]) -> tuple[Point, float]:
    """Compares the best points once more in other runs. Returns the best of them, and its score there."""
    finalists = sorted(points, key=lambda point: point.score)[:_FINALISTS]
    configs = [space.config(point.settings) for point in finalists]
    start, found = judge.beside_start(space.config(space.settings(space.origin)), configs, runs)
    scores = [judge.score(start, figures) for figures in found]
    best = min(range(len(finalists)), key=scores.__getitem__)
    return finalists[best], scores[best]


def _verdict(gain: float, interval: tuple[float, float], rises: list[str]) -> tuple[bool, str]:
    """Returns whether a fit is accepted, and why."""
    told = f"gain on the database kept apart {gain:.1f} %, 95 % interval {interval[0]:.1f} to {interval[1]:.1f} %"
    if interval[0] <= 0.0:
        return False, f"{told}: not better than the start there"
    if rises:
        return False, f"{told}, but metrics of `keep` rise by more than a tenth: {', '.join(rises)}"
    return True, told


def _excess(start: float, found: float) -> float:
    """Returns by how much a metric to be kept has risen too far, as a share of its value at the start; in its own unit from 0."""
    return max(0.0, found - _KEPT_RISE * start) / (start if start > 0.0 else 1.0)


def _rises(start: list[float | None], found: list[float | None]) -> bool:
    """Returns whether a metric to be kept rises too far. Runs are compared one by one; those that lack it at the start are left out."""
    pairs = [(s, f) for s, f in zip(start, found) if s is not None]
    if any(f is None for _, f in pairs):
        return True
    beyond = [f - _KEPT_RISE * s for s, f in pairs]
    return max(beyond, default=0.0) > 0.0 and (len(beyond) == 1 or _interval(beyond)[1][0] > 0.0)


def _interval(samples: list[float]) -> tuple[float, tuple[float, float]]:
    """Returns the mean and its 95 % interval by Student's t, whose quantile is the series 26.7.5 of Abramowitz and Stegun."""
    n, z = len(samples), 1.959964
    v, mean = n - 1, statistics.fmean(samples)
    t = z + (z**3 + z) / (4 * v) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * v**2)
    half = t * statistics.stdev(samples) / math.sqrt(n)
    return mean, (mean - half, mean + half)


def _beats(a: list[float], b: list[float]) -> bool:
    """Returns whether a point is nowhere worse than another and somewhere better."""
    return all(x <= y for x, y in zip(a, b)) and a != b


def _mean(runs: list[Figures], name: str) -> float:
    """Returns the mean over runs; infinity for a metric that a run lacks."""
    return statistics.fmean(run.get(name, math.inf) for run in runs)


def _tables(config: str | os.PathLike | dict | None) -> dict:
    """Returns the tables of a configuration."""
    if config is None or isinstance(config, dict):
        return copy.deepcopy(config or {})
    with open(config, "rb") as file:
        return tomllib.load(file)


def _names(database: footwork.Database, channels: Sequence[str] | None, settings: Sequence[str]) -> list[str]:
    """Returns the names of everything that is fitted."""
    labels = [label for label, _, _ in database.channels]
    chosen = labels if channels is None else list(channels)
    if unknown := [label for label in chosen if label not in labels]:
        raise footwork.Error(f"`channels`: expected some of {', '.join(labels)}; found `{unknown[0]}`")
    names = [_CHANNEL + label for label in chosen] + list(settings)
    if not names:
        raise footwork.Error("`channels`, `settings`: expected at least one to fit")
    return names


def _values(database: footwork.Database, start: dict, names: list[str]) -> list[float]:
    """Returns the values at the start."""
    known = footwork.Character(database, start).config
    return [_value(known, name) for name in names]


def _value(config: dict, name: str) -> float:
    """Returns a setting of the table `matcher`."""
    value = config
    for key in _path(name):
        value = value.get(key, 1.0 if name.startswith(_CHANNEL) else None) if isinstance(value, dict) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise footwork.Error(f"`settings`: expected names of numbers in the table `matcher`, found `{name}`")
    if value <= 0.0:
        raise footwork.Error(f"`settings`: expected numbers above 0 at the start; `{name}` is {value}")
    return float(value)


def _set(config: dict, name: str, value: float) -> None:
    """Writes a setting to the table `matcher` of a configuration."""
    *above, key = _path(name)
    table = config.setdefault("matcher", {})
    for name in above:
        table = table.setdefault(name, {})
    table[key] = value


def _path(name: str) -> list[str]:
    """Returns the keys of a setting, from the table `matcher` down. The label of a channel is one key."""
    return name.split(".", 1) if name.startswith(_CHANNEL) else name.split(".")
