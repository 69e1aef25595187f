"""Sets among codes, drawn tables, measuring, the generalised game."""

import pickle
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import setsight
from setsight import general


def test_sets_among_codes() -> None:
    assert setsight.find_sets(["2spd", "3frs", "1ogo"]) == [(0, 1, 2)]
    assert setsight.find_sets(["2spd", "3frs"]) == []
    assert setsight.find_sets([]) == []
    deck = [n + f + c + s for n in "123" for f in "fos" for c in "gpr" for s in "dos"]
    assert len(setsight.find_sets(deck)) == 1080
    found = set(setsight.find_sets(deck[:15]))
    by_hand = {
        three
        for three in combinations(range(15), 3)
        if all(len({deck[i][p] for i in three}) != 2 for p in range(4))
    }
    assert found == by_hand
    with pytest.raises(ValueError, match="card 1: "):
        setsight.find_sets(["2spd", "4spd"])
    with pytest.raises(ValueError, match="2spd is there twice"):
        setsight.find_sets(["2spd", "2spd", "1ogo"])


def test_a_table_is_drawn_as_the_program_draws_it(
    program: Callable[..., Any], tmp_path: Path
) -> None:
    import json
    import os
    import subprocess

    out = tmp_path / "drawn"
    command = [os.environ["SETSIGHT_PROGRAM"], "render", "--out", out, "--seed", "5", "--count", "3"]
    subprocess.run([*map(str, command), "--kind", "glare"], check=True, capture_output=True)
    labels = json.loads((out / "labels.json").read_text())["photos"]
    for index, label in enumerate(labels):
        array, told = setsight.render(5, index=index, kind="glare")
        file = label.pop("file")
        assert told == label
        stored = np.asarray(Image.open(out / file)).astype(int)
        assert stored.shape == array.shape == (label["height"], label["width"], 3)
        # Decoders of JPEG may differ by rounding.
        assert np.abs(stored - array).max() <= 4


def test_drawn_tables_have_seeds_and_options() -> None:
    array, labels = setsight.render(7, kind="plain", cards=5, size=(640, 480), deck="rectangles")
    again, _ = setsight.render(7, kind="plain", cards=5, size=(640, 480), deck="rectangles")
    assert np.array_equal(array, again) and array.shape == (480, 640, 3)
    assert len(labels["cards"]) == 5 and labels["deck"] == "rectangles"
    other, _ = setsight.render(7, index=1, kind="plain", cards=5, size=(640, 480))
    assert not np.array_equal(array, other)
    for options, words in [
        ({"kind": "ugly"}, "expected one of plain"),
        ({"cards": 82}, "a deck has 81"),
        ({"size": (8, 8)}, "32 to 8192"),
        ({"deck": "none"}, "deck none"),
    ]:
        with pytest.raises(ValueError, match=words):
            setsight.render(7, **options)  # type: ignore[arg-type]


def test_what_is_drawn_is_read() -> None:
    array, labels = setsight.render(2**33, kind="plain")
    table = setsight.read(array)
    assert sorted(card.code for card in table.cards) == sorted(c["code"] for c in labels["cards"])


def test_figures_are_those_of_the_program(
    samples: list[Path], program: Callable[..., list[dict[str, Any]]]
) -> None:
    figures = setsight.evaluate(samples[0].parent, jobs=2)
    (expected,) = program("eval", samples[0].parent)
    for told in (figures, expected):
        del told["median_cpu_ms"]
    assert figures == expected and figures["all"]["photos"] == len(samples)
    with pytest.raises(ValueError, match="none: cannot be read: .* expected a labelled folder"):
        setsight.evaluate(samples[0].parent / "none")


def test_games_are_those_of_the_program(program: Callable[..., list[dict[str, Any]]]) -> None:
    rules = ["--values", "4", "--properties", "4", "--sets", "3", "--games", "5", "--seed", "9"]
    (line,) = program("general", *rules)
    games = [general.play(4, 4, 3, seed=9 + number) for number in range(5)]
    assert [game.board_sizes[0] for game in games] == line["board_sizes"]
    assert [len(game.sets) for game in games] == line["found"]
    game = games[0]
    assert (game.seed, len(game.sets), len(game.sets[0]), len(game.sets[0][0])) == (9, 3, 4, 4)
    for cards in game.sets:
        for values in zip(*cards):
            assert len(set(values)) in (1, 4)
    assert game.seconds > 0 and game.drawn >= game.board_sizes[-1]
    for options, words in [
        ({"values": 0}, "0 values: "),
        ({"solver": "luck"}, "no solver is called luck"),
        ({"dealer": "me"}, "expected \"rejection\""),
        ({"budget": 0.0}, "above 0"),
    ]:
        with pytest.raises(ValueError, match=words):
            general.play(**options)  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match="seed 1, after 0 sets: out of time"):
        general.play(7, 7, 1, solver="brute", budget=0.05)


def test_the_solver_with_z3_plays_or_says_that_it_is_not_there() -> None:
    # It is not in the package; a library of the whole workspace has it.
    try:
        game = general.play(solver="smt")
    except ValueError as error:
        assert "smt" in str(error)
    else:
        assert game.board_sizes == general.play().board_sizes


def test_what_goes_between_processes(samples: list[Path]) -> None:
    table = setsight.read(samples[0])
    assert pickle.loads(pickle.dumps(table.to_dict())) == table.to_dict()
    with pytest.raises(TypeError, match="pickle"):
        pickle.dumps(table)
