"""Reads a table of SET cards from a photo, finds the sets, and draws them.

    import setsight

    table = setsight.read("table.jpg")          # a path, a file's bytes, or an array
    for card in table.cards:
        print(card.code, card.name, card.confidence)
    for a, b, c in table.sets:                  # indices into table.cards
        print(table.cards[a].name, table.cards[b].name, table.cards[c].name)

Many photos: keep a ``Reader``, which loads the networks once. Threads may share it, and processes that
are forked load it anew. Pictures are numpy arrays of height x width x (R, G, B), uint8, upright. OpenCV's
own functions give B, G, R: read those with ``order="bgr"``, or red cards are read as something else.

Codes of cards: number ``1 2 3``, shading ``f``(illed) ``o``(pen) ``s``(triped), colour ``g``(reen)
``p``(urple) ``r``(ed), shape ``d``(iamond) ``o``(val) ``s``(quiggle); ``2spd`` is two striped purple
diamonds.
"""

import ctypes
import os
import sys

from . import general
from ._setsight import (
    Card,
    ProbableSet,
    Reader,
    ReadError,
    Table,
    __version__,
    _has_loaded,
    evaluate,
    find_sets,
    read,
    render,
)

__all__ = [
    "Card",
    "ProbableSet",
    "ReadError",
    "Reader",
    "Table",
    "__version__",
    "evaluate",
    "find_sets",
    "general",
    "read",
    "render",
]


def _end_without_the_parents_threads() -> None:
    """Lets a process that was forked off end. When a process exits, ONNX Runtime waits for its threads, and
    those of the parent are not there. Python has ended by then: it has flushed its files and called what
    ``atexit`` knows."""
    if _has_loaded():
        libc = ctypes.CDLL(None)
        # Called with the exit status, before what was registered earlier.
        libc.on_exit(ctypes.cast(libc._exit, ctypes.c_void_p), None)


# Of the systems on which this happens, those with glibc have the function.
if sys.platform == "linux" and hasattr(ctypes.CDLL(None), "on_exit"):
    os.register_at_fork(after_in_child=_end_without_the_parents_threads)
