"""Databases: views without copies, files, errors; clips, doctor, retargeting, evaluation, pictures."""

import gc
import pickle

import numpy as np
import pytest

import footwork

VIEWS = ["features", "feature_offset", "feature_scale", "rotations", "translations", "row_frames", "row_clips", "row_flags",
         "contacts"]


def test_arrays_are_views_that_keep_the_database_alive():
    database = footwork.built_in()
    for name in VIEWS:
        view = getattr(database, name)
        assert not view.flags.owndata and not view.flags.writeable and view.base is database, name
        assert view.ctypes.data == getattr(database, name).ctypes.data or view.size == 0
    features, copy = database.features, database.features.copy()
    del database, view
    gc.collect()
    np.zeros(10_000_000)
    assert (features == copy).all()


def test_shapes_agree(database):
    rows, columns = database.features.shape
    assert len(database.columns) == columns == len(database.feature_scale) == len(database.feature_offset)
    assert len(database.row_frames) == len(database.row_clips) == len(database.row_flags) == rows
    frames = database.rotations.shape[0]
    assert database.rotations.shape == (frames, len(database.joints), 4)
    assert database.translations.shape == (frames, len(database.translated_joints), 3)
    assert database.contacts.shape == (frames, len(database.contact_joints))
    np.testing.assert_allclose(np.linalg.norm(database.rotations, axis=2), 1, atol=1e-3)
    assert len(database.parents) == len(database.joints) and database.parents[0] == -1
    for clip in database.clips:
        own = database.row_frames[clip.first_row:][: clip.rows]
        assert ((own >= clip.first_frame) & (own < clip.first_frame + clip.frames)).all()
    assert {tag for tag, _, _ in database.tag_spans} <= set(database.tags)
    assert database.report["rows"] == rows


def test_files_and_pickles_hold_the_same_content(database, tmp_path):
    database.save(tmp_path / "a.fwdb")
    for other in [footwork.Database.load(tmp_path / "a.fwdb"), pickle.loads(pickle.dumps(database))]:
        assert other.content_hash == database.content_hash
        assert (other.features == database.features).all()
        assert other.report is None
    (tmp_path / "b.fwdb").write_bytes(b"nothing")
    for path in ["b.fwdb", "c.fwdb"]:
        with pytest.raises(footwork.Error, match=path):
            footwork.Database.load(tmp_path / path)
    with pytest.raises(footwork.Error):
        footwork.Database.from_bytes(b"")


def test_clips_from_files_and_arrays_build_the_same(tmp_path):
    clips = [clip for clip in footwork.built_in_clips() if clip.name.startswith("walk_")][:4]
    for clip in clips:
        clip.save(tmp_path / f"{clip.name}.bvh")
        other = footwork.RawClip(
            clip.name, clip.rate_hz, clip.joints, clip.parents, clip.translations, clip.rotations, looping=clip.looping
        )
        assert (other.rotations == clip.rotations).all() and other.rate_hz == clip.rate_hz
    read = footwork.read_clips([tmp_path])
    assert sorted(clip.name for clip in read) == sorted(clip.name for clip in clips)
    database = footwork.build(tmp_path, {"build": {"search_rate_hz": 60}})
    assert database.search_rate_hz == 60
    assert database.content_hash == footwork.build(read, {"build": {"search_rate_hz": 60}}).content_hash
    with pytest.raises(footwork.Error, match="did you mean `search_rate_hz`"):
        footwork.build(tmp_path, {"build": {"search_rate": 60}})
    for bad in [np.zeros((0, 1, 3), np.float32), np.full((2, 1, 3), np.nan, np.float32), np.zeros((2, 2, 3), np.float32)]:
        with pytest.raises(footwork.Error):
            footwork.RawClip("a", 30, ["a"], [-1], bad, np.zeros((len(bad), 1, 4), np.float32))


def test_a_missing_folder_is_named():
    with pytest.raises(footwork.Error, match="/nonexistent"):
        footwork.build(["/nonexistent"])


def test_searches_are_explained_and_brute_force_agrees(database, character):
    clip = next(clip for clip in database.clips if clip.name == "walk_175_loop")
    told = character.search(clip.name, 0.5, k=5, stick=(0, 1), run=True)
    costs = [candidate["cost"] for candidate in told["candidates"]]
    assert costs == sorted(costs) and 5 <= len(costs) <= 7
    for candidate in told["candidates"]:
        parts = sum(candidate["channels"].values()) + candidate["beside"] + candidate["tags"]
        assert parts == pytest.approx(candidate["cost"], rel=1e-3)
    brute = footwork.Character(database, {"matcher": {"search": {"backend": "brute"}}})
    assert brute.search(clip.name, 0.5, k=5, stick=(0, 1), run=True) == told
    matcher = footwork.Matcher(character)
    assert matcher.explain() is None or matcher.explain()["candidates"]
    for _ in range(60):
        matcher.step(stick=(0, 1))
    assert len(matcher.explain(3)["candidates"]) >= 3
    for wrong in [("no clip", 0.0), (clip.name, -1.0), (clip.name, 1e9), (clip.name, float("nan"))]:
        with pytest.raises(footwork.Error):
            character.search(*wrong)


def test_the_doctor_finds_and_fixes():
    clips = [clip for clip in footwork.built_in_clips() if clip.name.startswith("walk_1")][:3]
    rotations = clips[0].rotations.copy()
    rotations[20, 5] = [1, 0, 0, 0]
    broken = footwork.RawClip(
        "broken", clips[0].rate_hz, clips[0].joints, clips[0].parents, clips[0].translations, rotations
    )
    told, fixed = footwork.doctor([broken, *clips[1:]])
    found = [finding for finding in told["findings"] if finding["clip"] == "broken"]
    assert any(finding["check"] in ("spike", "flip", "glitch") for finding in found), told["findings"]
    assert [clip.name for clip in fixed if clip.name == "broken"]
    alone, _ = footwork.doctor([broken], checks=["rate"])
    assert all(finding["check"] == "rate" for finding in alone["findings"])
    with pytest.raises(footwork.Error, match="no check is named"):
        footwork.doctor([broken], checks=["health"])


def test_clips_onto_another_skeleton():
    clips = [clip for clip in footwork.built_in_clips() if clip.name == "walk_175_loop"]
    larger = footwork.RawClip(
        "larger", clips[0].rate_hz, clips[0].joints, clips[0].parents, clips[0].translations * 2, clips[0].rotations
    )
    done, told = footwork.retarget([larger])
    assert told["scale"] == pytest.approx(0.5, rel=0.05)
    assert done[0].joints == clips[0].joints and len(done[0].rotations) == len(clips[0].rotations)


def test_evaluations_measure_variants_and_the_data(database):
    told = footwork.evaluate(database, {"mine": None, "quick": {"matcher": {"responsiveness": 2.0}}}, courses=["a"])
    assert set(told) == {"mocap", "mine", "quick"}
    assert 0 <= told["mine"]["path_error_m"]["mean"] < 0.2
    for wrong in [{"courses": ["z"]}, {"runs": 0}]:
        with pytest.raises(footwork.Error):
            footwork.evaluate(database, **wrong)


def test_pictures_of_clips_and_of_crowds(database, character, tmp_path):
    picture = footwork.film(database, clip="walk_175_loop")
    assert picture._repr_png_().startswith(b"\x89PNG")
    matcher = footwork.Matcher(character)
    positions, rotations, contacts = [], [], []
    for _ in range(60):
        matcher.step(stick=(0, 1))
        positions.append(matcher.world_positions.copy())
        rotations.append(matcher.world_rotations.copy())
        contacts.append(matcher.contacts.copy())
    run = [np.array(a) for a in (positions, rotations, contacts)]
    webp = footwork.film(character, *run, rate_hz=60, format="webp", every=0.1)
    assert webp.data[:4] == b"RIFF" and webp.data[8:12] == b"WEBP"
    assert "image/webp" in webp._repr_mimebundle_() and webp._repr_png_() is None
    webp.save(tmp_path / "a.webp")
    assert (tmp_path / "a.webp").read_bytes() == webp.data
    for wrong in [{"view": "below"}, {"format": "gif"}, {"width": 1}, {"rate_hz": float("nan")}, {"every": -1.0}]:
        with pytest.raises(footwork.Error):
            footwork.film(character, *run, **wrong)
    with pytest.raises(footwork.Error):
        footwork.film(character, np.full_like(run[0], np.nan), run[1])


def test_networks_drive_characters():
    networks = footwork.Networks.built_in()
    crowd = footwork.Crowd(footwork.Character(networks), 2)
    ahead = np.array([[0, 0, 1]] * 2, np.float32)
    for _ in range(180):
        crowd.step(ahead)
    assert crowd.world_positions[0, 0, 2] > 2
