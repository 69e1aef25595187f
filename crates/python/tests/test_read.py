"""Photos from paths, bytes and arrays."""

import io
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import setsight


def pixels(path: Path) -> "np.ndarray[Any, np.dtype[np.uint8]]":
    return np.asarray(Image.open(path).convert("RGB"))


def codes(table: setsight.Table) -> list[str]:
    return [card.code for card in table.cards]


def test_a_table_is_what_scan_prints(
    samples: list[Path], program: Callable[..., list[dict[str, Any]]]
) -> None:
    lines = program("scan", *samples)
    assert len(lines) == len(samples) > 5
    for path, line in zip(samples, lines):
        table = setsight.read(path)
        told = table.to_dict()
        assert told["cards"] and told == {name: line[name] for name in told}
        assert set(line) - set(told) == {"version", "image", "stage_ms", "engine"}
        assert [list(s) for s in table.sets] == line["sets"]
        assert [list(s.cards) for s in table.probable_sets] == [
            s["cards"] for s in line["probable_sets"]
        ]
        assert codes(table) == [card["code"] for card in line["cards"]]
        assert (table.width, table.height, table.deck) == (line["width"], line["height"], line["deck"])


def test_path_bytes_and_array_agree(samples: list[Path]) -> None:
    for path in samples[:3]:
        table = setsight.read(str(path))
        assert setsight.read(path.read_bytes()).to_dict() == table.to_dict()
        assert setsight.read(bytearray(path.read_bytes())).to_dict() == table.to_dict()
        png = io.BytesIO()
        Image.open(path).save(png, "png")
        # As the same decoder gives them: the pixels of the photo, as an array and as a file.
        array = pixels(path)
        assert setsight.read(png.getvalue()).to_dict() == setsight.read(array).to_dict()
        assert codes(setsight.read(array)) == codes(table)


def test_arrays_in_the_order_of_opencv(samples: list[Path]) -> None:
    for path in samples:
        rgb = pixels(path)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            expected = setsight.read(rgb)
            assert setsight.read(rgb[..., ::-1], order="bgr").to_dict() == expected.to_dict()
    swapped = [path for path in samples if "r" in {code[2] for code in codes(setsight.read(path))}]
    assert len(swapped) > 5
    for path in swapped:
        with pytest.warns(UserWarning, match='order="bgr"'):
            setsight.read(pixels(path)[..., ::-1])
    with pytest.raises(ValueError, match='order="gbr": expected "rgb"'):
        setsight.read(rgb, order="gbr")  # type: ignore[arg-type]


def test_what_else_holds_a_picture(samples: list[Path]) -> None:
    data = samples[0].read_bytes()
    expected = setsight.read(data).to_dict()
    assert setsight.read(memoryview(data)).to_dict() == expected
    assert setsight.read(io.BytesIO(data)).to_dict() == expected
    with samples[0].open("rb") as file:
        assert setsight.read(file).to_dict() == expected
    with pytest.raises(TypeError, match='open it with open\\(path, "rb"\\)'):
        setsight.read(io.StringIO("text"))  # type: ignore[arg-type]
    picture = Image.open(samples[0])
    assert setsight.read(picture).to_dict() == setsight.read(pixels(samples[0])).to_dict()
    # Stored lying down, as phones do it.
    turned = picture.rotate(90, expand=True)
    turned.getexif()[0x0112] = 6
    assert codes(setsight.read(turned)) == codes(setsight.read(picture))


def test_a_table_is_iterated_over_and_shown(samples: list[Path]) -> None:
    table = setsight.read(samples[0])
    assert [card.code for card in table] == codes(table) and len(table) == len(table.cards)
    assert Image.open(io.BytesIO(table._repr_jpeg_())).size == table.draw().shape[1::-1]
    empty = setsight.read(np.full((200, 300, 3), 90, np.uint8))
    assert len(empty) == 0 and empty


def test_what_a_card_says(samples: list[Path]) -> None:
    table = setsight.read(samples[0])
    card = table.cards[0]
    assert len(card.code) == 4 and card.name and 0.9 < card.confidence <= 1 and not card.unsure
    assert len(card.corners) == 4
    assert all(0 <= x <= table.width and 0 <= y <= table.height for x, y in card.corners)
    assert repr(card).startswith(f"<Card {card.code}") and "12 cards" in repr(table)
    json.dumps(table.to_dict())
    with pytest.raises(AttributeError):
        card.code = "1fgd"  # type: ignore[misc]


def test_a_card_has_the_members_that_the_schema_names(card_schema: dict[str, Any]) -> None:
    fields = {name for name in dir(setsight.Card) if not name.startswith("_")}
    # What only one of them has is named here.
    assert set(card_schema) - fields == {"properties"}
    assert fields - set(card_schema) == {"name"}


def test_a_drawn_table_is_an_array(samples: list[Path]) -> None:
    table = setsight.read(samples[0])
    drawn = table.draw()
    assert drawn.dtype == np.uint8 and drawn.shape[1:] == (table.width, 3)
    assert drawn.shape[0] >= table.height and drawn.flags.writeable
    assert np.any(drawn[: table.height] != pixels(samples[0]))


def test_layouts_that_are_read(samples: list[Path]) -> None:
    array = pixels(samples[0])
    expected = setsight.read(array).to_dict()
    wide = np.zeros((array.shape[0], 2 * array.shape[1], 3), np.uint8)
    wide[:, ::2] = array
    layouts = {
        "every second column": wide[:, ::2],
        "columns first": np.asfortranarray(array),
        "turned back": array[..., ::-1].copy()[..., ::-1],
        "upside down twice": array[::-1].copy()[::-1],
    }
    for name, other in layouts.items():
        assert setsight.read(other).to_dict() == expected, name
    locked = array.copy()
    locked.flags.writeable = False
    assert setsight.read(locked).to_dict() == expected


def test_grey_is_read_as_grey(samples: list[Path]) -> None:
    grey = np.asarray(Image.open(samples[0]).convert("L"))
    for array in (grey, grey[..., None], grey[:, ::1]):
        table = setsight.read(array)
        assert len(table.cards) == 12 and "grey" in repr(table)
        assert table.sets == [] and all(card.unsure for card in table.cards)


@pytest.mark.parametrize(
    ("array", "error", "words"),
    [
        (np.zeros((480, 640, 3)), TypeError, "an array of float64: expected height x width x 3"),
        (np.zeros((480, 640, 3), np.float32), TypeError, "255 * array"),
        (np.zeros((480, 640, 3), np.uint16), TypeError, "array >> 8"),
        (np.zeros((480, 640, 3), bool), TypeError, "a mask is not a picture"),
        (np.zeros((480, 640, 3), np.int64), TypeError, "0 to 255"),
        (np.zeros((0, 0, 3), np.uint8), ValueError, "an empty array (0 x 0 x 3)"),
        (np.zeros((480, 640, 0), np.uint8), ValueError, "an empty array"),
        (np.zeros((480, 640, 4), np.uint8), ValueError, "array[..., :3]"),
        (np.zeros((3, 480, 640), np.uint8), ValueError, "array.transpose(1, 2, 0)"),
        (np.zeros((2, 480, 640, 3), np.uint8), ValueError, "one picture after the other"),
        (np.zeros(640, np.uint8), ValueError, "an array of 640"),
        (np.zeros((), np.uint8), ValueError, "expected height"),
        (np.zeros((480, 640, 2), np.uint8), ValueError, "an array of 480 x 640 x 2"),
    ],
)
def test_arrays_that_are_no_picture(array: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error) as raised:
        setsight.read(array)
    assert words in str(raised.value)


def test_files_that_are_no_photo(samples: list[Path], tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="none.jpg: cannot be read"):
        setsight.read(tmp_path / "none.jpg")
    with pytest.raises(OSError, match="file"):
        setsight.read(tmp_path)
    whole = samples[0].read_bytes()
    kinds: dict[str, bytes] = {
        "not_a_photo": b"Dear diary, today",
        "damaged": whole[: len(whole) // 2],
        "too_small": b"",
    }
    small = io.BytesIO()
    Image.new("RGB", (8, 8)).save(small, "png")
    kinds["too_small"] = small.getvalue()
    for kind, data in kinds.items():
        with pytest.raises(setsight.ReadError) as raised:
            setsight.read(data)
        assert raised.value.kind == kind
        path = tmp_path / "photo.jpg"
        path.write_bytes(data)
        with pytest.raises(setsight.ReadError, match="photo.jpg: ") as raised:
            setsight.read(path)
        assert raised.value.kind == kind
    with pytest.raises(setsight.ReadError) as raised:
        setsight.read(np.zeros((8, 8, 3), np.uint8))
    assert raised.value.kind == "too_small"
    for other in (None, 7, [1, 2]):
        with pytest.raises(TypeError, match="expected a path"):
            setsight.read(other)  # type: ignore[arg-type]


def test_options(samples: list[Path], tmp_path: Path) -> None:
    classic = setsight.Reader(deck="classic", threads=2).read(samples[0])
    assert classic.deck == "classic" and len(classic.cards) == 12
    for options, error, words in [
        ({"deck": "no-such-deck"}, ValueError, "no-such-deck"),
        ({"threads": 0}, ValueError, "threads=0: expected 1 to 1024"),
        ({"threads": -1}, OverflowError, "negative"),
        ({"models": tmp_path / "none"}, setsight.ReadError, "reader.onnx"),
    ]:
        with pytest.raises(error, match=words):
            setsight.Reader(**options)  # type: ignore[arg-type]


def test_two_versions_of_a_folder_of_models(samples: list[Path], tmp_path: Path) -> None:
    models = samples[0].parents[2] / "models"
    first = tmp_path / "first"
    first.mkdir()
    for file in ("reader.onnx", "finder.onnx", "refiner.onnx", "fusion.json"):
        (first / file).write_bytes((models / file).read_bytes())
    old = setsight.Reader(models=first)
    expected = setsight.read(samples[0]).to_dict()
    assert old.read(samples[0]).to_dict() == expected
    # The folder changes under the reader, which keeps what it has loaded; a new one sees what is there.
    (first / "reader.onnx").write_bytes(b"no network")
    assert old.read(samples[0]).to_dict() == expected
    with pytest.raises(setsight.ReadError) as raised:
        setsight.Reader(models=first)
    assert raised.value.kind == "models"


def test_threads_share_a_reader(samples: list[Path]) -> None:
    reader = setsight.Reader()
    expected = [reader.read(path).to_dict() for path in samples[:4]]
    found: dict[int, Any] = {}

    def work(number: int) -> None:
        found[number] = reader.read(samples[number % 4]).to_dict()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[number] for number in range(12)] == expected * 3


def test_the_interpreter_goes_on_meanwhile(samples: list[Path]) -> None:
    reader = setsight.Reader()
    big = np.asarray(Image.open(samples[0]).convert("RGB").resize((4000, 3000)))
    steps = 0
    ended = threading.Event()

    def read() -> None:
        for _ in range(3):
            reader.read(big)
        ended.set()

    thread = threading.Thread(target=read)
    thread.start()
    while not ended.is_set():
        steps += 1
        time.sleep(0.001)
    thread.join()
    # With the lock held there would be a step between two photos at most.
    assert steps > 10


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_fork_reads_as_well(samples: list[Path]) -> None:
    script = f"""
import os, sys, warnings
warnings.simplefilter("ignore")
import setsight
path = {str(samples[0])!r}
reader = setsight.Reader()
expected = setsight.read(path).to_dict(), reader.read(path).to_dict()
child = os.fork()
if child == 0:
    same = (setsight.read(path).to_dict(), reader.read(path).to_dict()) == expected
    os._exit(0 if same else 3)
_, status = os.waitpid(child, 0)
sys.exit(os.waitstatus_to_exitcode(status))
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.parametrize("in_child", ["", "setsight.read(path)", "reader.read(path)"])
def test_a_fork_ends(samples: list[Path], in_child: str) -> None:
    script = f"""
import atexit, os, signal, sys, warnings
warnings.simplefilter("ignore")
import setsight
path = {str(samples[0])!r}
reader = setsight.Reader()
setsight.read(path)
sys.stdout.flush()
child = os.fork()
if child == 0:
    signal.alarm(20)
    atexit.register(print, "at the end")
    {in_child or "pass"}
    print("before", end=", ")
    sys.exit(7)
_, status = os.waitpid(child, 0)
sys.exit(os.waitstatus_to_exitcode(status))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (7, "before, at the end\n"), done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_ends_an_evaluation(samples: list[Path], tmp_path: Path) -> None:
    # Enough photos that it is still reading when the signal comes.
    label = json.loads((samples[0].parent / "labels.json").read_text())
    photos = []
    for number in range(400):
        photo = dict(label["photos"][number % len(label["photos"])])
        source = samples[0].parent / photo["file"]
        photo["file"] = f"{number}.jpg"
        (tmp_path / photo["file"]).symlink_to(source)
        photos.append(photo)
    (tmp_path / "labels.json").write_text(json.dumps({"photos": photos}))
    script = (
        "import setsight, sys\n"
        "print('ready', flush=True)\n"
        "try:\n"
        f"    setsight.evaluate({str(tmp_path)!r}, jobs=1)\n"
        "except KeyboardInterrupt:\n"
        "    sys.exit(7)\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        # Where these tests run in a shell's background, it would inherit that Ctrl-C is ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        assert child.stdout is not None
        assert select.select([child.stdout], [], [], 60)[0], "it does not begin"
        time.sleep(1)
        child.send_signal(signal.SIGINT)
        assert child.wait(timeout=60) == 7
    finally:
        child.kill()
