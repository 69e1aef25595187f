"""Types of the compiled part."""

import os
from collections.abc import Iterator, Sequence
from typing import Any, Literal, Protocol, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Card",
    "Game",
    "ProbableSet",
    "ReadError",
    "Reader",
    "Table",
    "__version__",
    "_has_loaded",
    "evaluate",
    "find_sets",
    "play",
    "read",
    "render",
]

__version__: str

_Path = str | os.PathLike[str]
_Picture = NDArray[np.uint8]
_Order = Literal["rgb", "bgr"]

class _Readable(Protocol):
    def read(self) -> bytes: ...

class _PilPicture(Protocol):
    def tobytes(self) -> bytes: ...
    def convert(self, mode: str) -> Any: ...

_Source = _Path | bytes | bytearray | memoryview | _Readable | _PilPicture | _Picture

class ReadError(Exception):
    """A photo could not be read, or the networks could not be loaded; the message says what to do.

    A path where nothing is raises ``FileNotFoundError``, and another one that cannot be opened ``OSError``.
    """

    kind: Literal[
        "not_a_photo",
        "damaged",
        "too_large",
        "too_small",
        "no_decoder",
        "models",
        "no_engine",
        "failed",
    ]

@final
class Card:
    """A card of a table."""

    @property
    def code(self) -> str:
        """Four characters, such as ``2spd``: the card, or the best guess if ``unsure``."""

    @property
    def name(self) -> str:
        """In words, such as ``two striped purple diamonds``."""

    @property
    def confidence(self) -> float:
        """Probability that ``code`` is right, 0 to 1."""

    @property
    def unsure(self) -> bool:
        """Whether the confidence is below the threshold; such a card is in no sure set."""

    @property
    def corners(self) -> list[tuple[float, float]]:
        """The four corners (x, y), clockwise, a long side first, in pixels of the upright photo."""

    @property
    def alternatives(self) -> list[tuple[str, float]]:
        """The other cards that it may be, with their probabilities, most probable first."""

@final
class ProbableSet:
    """Three cards that are a set more likely than not, at least one of them unsure."""

    @property
    def cards(self) -> tuple[int, int, int]:
        """Indices into ``Table.cards``, ascending."""

    @property
    def confidence(self) -> float:
        """Probability that the three are a set, 0.5 to 1."""

    @property
    def decided_by(self) -> int:
        """Index of the card to look at: of the three, the one that is least sure."""

@final
class Table:
    """The cards and sets on a table. A picture without cards gives an empty one. It can be iterated over,
    card by card; a notebook shows what ``draw`` gives.

    It cannot be pickled, as it holds its picture: hand ``to_dict()`` from one process to another.
    """

    @property
    def width(self) -> int:
        """Of the upright photo, in pixels."""

    @property
    def height(self) -> int:
        """Of the upright photo, in pixels."""

    @property
    def deck(self) -> str:
        """The edition: ``classic``, ``rectangles`` or ``unknown``, or the name of the deck that was given."""

    @property
    def mirrored(self) -> bool:
        """Whether the picture shows the table mirrored, as webcams often store it."""

    @property
    def warning(self) -> str | None:
        """What is wrong with the photo's file, though it could be read."""

    @property
    def cards(self) -> list[Card]:
        """In reading order: row by row, each row from left to right."""

    @property
    def sets(self) -> list[tuple[int, int, int]]:
        """All sets among the sure cards and by ``classes``, as indices into ``cards``."""

    @property
    def classes(self) -> list[tuple[int, int, int, int] | None]:
        """Each card's group in number, shading, colour and shape, 0 to 2, where a screen shows clearly which
        cards are alike, even of a deck that nobody knows; else empty."""

    @property
    def probable_sets(self) -> list[ProbableSet]:
        """The sets that hang on unsure cards, most probable first; at most fifty."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Card]: ...
    def __bool__(self) -> bool:
        """Always true: a table without cards is one, too."""

    def to_dict(self) -> dict[str, Any]:
        """What ``setsight scan --format json`` prints of a table, see docs/reference/json.md: plain numbers, texts,
        lists and dicts. Corners are rounded to hundredths of a pixel, probabilities to 1e-4."""

    def _repr_jpeg_(self) -> bytes:
        """What notebooks show: the picture that ``draw`` gives, as JPEG."""

    def draw(self) -> _Picture:
        """The photo with its cards and sets drawn in, above a strip that lists the sets: an array of at
        least height x width x (R, G, B), uint8. A JPEG or HEIC of more than 64 megapixels is
        drawn at half, a quarter or an eighth of its sides."""

@final
class Reader:
    """Reads photos with networks that are loaded once. Threads may share it.

    models: a folder that ``setsight train`` wrote, instead of the networks inside the package. It is read
    here; files that change later do not matter to this reader.
    deck: ``classic``, ``rectangles`` or a deck's file; by default the cards tell which of the two it is.
    threads: threads within one photo, 1 to 1024, by default 1; they pay for taught decks only. To read
    many photos at once, call ``read`` from several threads.

    Raises ``ReadError`` for models that cannot be loaded, ``ValueError`` for what does not go together.
    """

    def __new__(
        cls,
        *,
        models: _Path | None = None,
        deck: _Path | None = None,
        threads: int | None = None,
    ) -> Reader: ...
    def read(self, source: _Source, *, order: _Order = "rgb") -> Table:
        """Reads a photo: the path of a JPEG, HEIC, PNG, WebP, BMP or TIFF (or AVIF with ffmpeg), the bytes
        of such a file, such a file that is open, a picture of PIL, or an array of height x width x (R, G,
        B), uint8, upright. An array of height x width is read as grey. The interpreter's lock is released
        meanwhile.

        order: of an array's channels; ``bgr`` for what ``cv2.imread`` gives. A ``UserWarning`` tells of an
        array whose red and blue look swapped.

        Raises ``ReadError``, ``FileNotFoundError`` or ``OSError`` for a file; ``TypeError`` or
        ``ValueError`` for an array of another type or shape.
        """

def read(source: _Source, *, order: _Order = "rgb") -> Table:
    """Reads a photo as ``Reader().read`` does; the reader is loaded at the first call and kept."""

def _has_loaded() -> bool: ...
def find_sets(codes: Sequence[str]) -> list[tuple[int, int, int]]:
    """All sets among different cards that are given as codes, as indices.

    Raises ``ValueError`` for what is no code, and for a card that is there twice.
    """

def render(
    seed: int,
    *,
    index: int = 0,
    kind: str = "mixed",
    cards: int | None = None,
    deck: _Path | None = None,
    size: tuple[int, int] | None = None,
    mirrored: bool = False,
) -> tuple[_Picture, dict[str, Any]]:
    """Draws table number ``index`` (from 0) of the series of ``seed``, as ``setsight render`` does: the same
    numbers give the same picture everywhere. Both are 0 to 2**64 - 1; training of the shipped networks has
    used the seeds below 2**32.

    kind: what makes it hard to read, such as ``plain`` or ``glare``. cards: how many, 0 to 81; by default as
    the kind has them. deck: ``classic`` (default), ``rectangles``, ``invented`` or a deck's file. size:
    width and height, 32 to 8192 pixels each.

    Gives height x width x (R, G, B), uint8, and the labels as in labels.json (docs/reference/labels.md), of every card
    in view: code, center and corners in pixels, x before y.
    """

def evaluate(
    folder: _Path,
    *,
    models: _Path | None = None,
    deck: _Path | None = None,
    jobs: int = 0,
) -> dict[str, Any]:
    """Measures how well the labelled photos of a folder are read, ``jobs`` at once (0: as many as there are
    cores): the figures that ``setsight eval --format json`` prints, see docs/reference/schemas/eval.json.

    Ctrl-C ends it after the photos in hand. Raises ``ValueError`` for a folder without good labels. Photos
    that cannot be read are listed under ``failed``.
    """

@final
class Game:
    """A game of the generalised game, which the checker has passed."""

    @property
    def seed(self) -> int:
        """What it was dealt from."""

    @property
    def sets(self) -> list[list[list[int]]]:
        """The sets in the order of finding: v cards each, a card as its p values, 0 to v - 1."""

    @property
    def board_sizes(self) -> list[int]:
        """Cards on the board at each set, with those of the set."""

    @property
    def drawn(self) -> int:
        """Cards drawn from the deck in all."""

    @property
    def seconds(self) -> float:
        """CPU seconds of dealing and solver together. ``setsight general`` counts the solver alone."""

def play(
    values: int = 3,
    properties: int = 4,
    sets: int = 1,
    *,
    seed: int = 1,
    solver: str = "cover",
    dealer: str = "rejection",
    budget: float = 60.0,
    memory: int = 1024,
) -> Game:
    """Plays one game of the generalised game until ``sets`` sets are found or the deck is out; the game that
    ``setsight general --seed`` plays.

    solver: ``cover``, ``dynamic`` or ``brute``. dealer: ``rejection`` or ``fisher-yates``. budget: CPU
    seconds, memory: MiB, after which it is given up.

    Raises ``ValueError`` for rules that cannot be played, ``RuntimeError`` for a game that was given up.
    """
