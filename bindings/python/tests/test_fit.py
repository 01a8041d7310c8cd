"""Evaluations by tasks are those of one process, and fitted settings are accepted where they help."""

import os
import signal
import threading
import time
import tomllib

import pytest

import footwork

pytest.importorskip("ray")
pytest.importorskip("cma")
import footwork.ray  # noqa: E402

# A character that is pulled too little to its path.
SPOILT = {"matcher": {"search": {"path_cost": 0.4}}}
SMALL = {
    "channels": [],
    "settings": ["search.path_cost", "search.slide_cost"],
    "metrics": {"path_error_m": 1.0},
    "keep": [],
    "courses": ["a", "e"],
    "evaluations": 24,
    "runs": 2,
    "kept_runs": 4,
}


@pytest.mark.parametrize("workers", [1, 2])
def test_many_evaluations_have_the_figures_of_one(database, workers):
    configs = [None, SPOILT]
    told = []
    found = footwork.ray.evaluate_many(
        database, configs, courses=["a"], runs=[0, 3], workers=workers, progress=lambda *done: told.append(done)
    )
    for config, of_config in zip(configs, found):
        for run, of_run in zip([0, 3], of_config):
            rows = footwork.evaluate(database, {"one": config}, courses=["a"], first_run=run)
            assert of_run == {name: value["mean"] for name, value in rows["one"].items()}
    assert found[0] != found[1] and found[0][0] != found[0][1]
    assert told[-1] == (4, 4)


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="finds the processes of workers in /proc")
def test_a_killed_worker_is_replaced(database):
    configs = [{"matcher": {"responsiveness": 1.0 + 0.01 * k}} for k in range(8)]
    killed = []

    def kill():
        for _ in range(600):
            time.sleep(0.05)
            for process in filter(str.isdigit, os.listdir("/proc")):
                try:
                    with open(f"/proc/{process}/cmdline", "rb") as file:
                        works = b"ray::evaluate_task" in file.read()
                    if works:
                        os.kill(int(process), signal.SIGKILL)
                        killed.append(process)
                        return
                except (OSError, ValueError):
                    continue

    thread = threading.Thread(target=kill)
    thread.start()
    found = footwork.ray.evaluate_many(database, configs, courses=["b"], workers=2)
    thread.join()
    assert killed
    assert found == footwork.ray.evaluate_many(database, configs, courses=["b"], workers=1)


def test_a_fit_mends_spoilt_settings_with_any_number_of_workers(database, tmp_path):
    fits = [footwork.ray.fit(database, database, SPOILT, workers=workers, **SMALL) for workers in (1, 2)]
    fit = fits[0]
    assert fits[0] == fits[1]
    assert fit.accepted and fit.interval_pct[0] > 0.0 and fit.gain_pct > 10.0, fit.reason
    before, after = fit.kept_apart["path_error_m"]
    assert after < before and len(fit.points) >= 13 and fit.points[0].score == 1.0
    # One metric: the front is its least value. Other runs choose among the best points.
    least = min(point.metrics["path_error_m"] for point in fit.points)
    assert [point.metrics["path_error_m"] for point in fit.front] == [least] * len(fit.front) and fit.front
    assert fit.chosen in sorted(fit.points, key=lambda point: point.score)[:6]
    fitted = tomllib.loads(fit.toml)["matcher"]["search"]
    assert fitted["path_cost"] > 0.4
    assert fit.config["matcher"]["search"] == fitted
    fit.save(tmp_path / "fitted.toml")
    footwork.Character(database, tmp_path / "fitted.toml")
    fit.plot(tmp_path / "front.png")
    assert (tmp_path / "front.png").stat().st_size > 5000


def test_a_gain_by_luck_is_refused(database, tmp_path):
    """The cost of transitions at rest plays no part in courses without rest."""
    small = SMALL | {"settings": ["search.rest_cost", "look_at.half_life_s"]}
    fit = footwork.ray.fit(database, database, **small)
    assert not fit.accepted and "not better" in fit.reason and fit.config == {}
    with pytest.raises(footwork.Error, match="not saved"):
        fit.save(tmp_path / "fitted.toml")
    assert not (tmp_path / "fitted.toml").exists()


@pytest.mark.parametrize(
    "wrong",
    [
        {"channels": ["tail"]},
        {"channels": [], "settings": []},
        {"settings": ["search.slide"]},
        {"settings": ["search.backend"]},
        {"settings": ["search.foresight_cost"]},
        {"metrics": {"beauty": 1.0}},
        {"metrics": {}},
        {"courses": ["z"]},
        {"evaluations": 0},
        {"kept_runs": 3},
        {"seed": 0},
        {"workers": 0},
        {"config": {"matcher": {"speed": 3}}},
    ],
    ids=str,
)
def test_what_cannot_be_fitted_is_an_error(database, wrong):
    with pytest.raises(footwork.Error):
        footwork.ray.fit(database, database, **(SMALL | wrong))


def test_a_metric_to_be_kept_that_a_run_lacks_has_risen():
    from footwork.ray.fit import _Judge

    judge = _Judge(None, 1, {"path_error_m": 1.0}, ["pops_per_min", "never"])
    start = [{"pops_per_min": 1.0 + 0.01 * k} for k in range(4)]
    assert judge.risen(start, start) == []
    assert judge.risen(start, [{"pops_per_min": 2.0 + 0.01 * k} for k in range(4)]) == ["pops_per_min"]
    assert judge.risen(start, [*start[:3], {}]) == ["pops_per_min"]
    # Runs that lack it at the start are not compared.
    assert judge.risen([{}, *start[1:]], start) == judge.risen([{}] * 4, start) == []
    assert judge.risen([start[0], {}, {}, {}], [{"pops_per_min": 2.0}] * 4) == ["pops_per_min"]
