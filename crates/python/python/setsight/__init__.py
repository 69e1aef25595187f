"""Reads a table of SET cards from a photo, finds the sets, and draws them.

    import setsight

    table = setsight.read("table.jpg")          # a path, a file's bytes, or an array
    for card in table.cards:
        print(card.code, card.name, card.confidence)
    for a, b, c in table.sets:                  # indices into table.cards
        print(table.cards[a].name, table.cards[b].name, table.cards[c].name)

Many photos: keep a ``Reader``, which loads the networks once. Threads may share it, and processes that
are forked load it anew. Pictures are numpy arrays of height x width x (R, G, B), uint8, upright. OpenCV's
own functions give B, G, R: turn them with ``array[..., ::-1]``, or red cards are read as something else.

Codes of cards: number ``1 2 3``, shading ``f``(illed) ``o``(pen) ``s``(triped), colour ``g``(reen)
``p``(urple) ``r``(ed), shape ``d``(iamond) ``o``(val) ``s``(quiggle); ``2spd`` is two striped purple
diamonds.
"""

from . import general
from ._setsight import (
    Card,
    ProbableSet,
    Reader,
    ReadError,
    Table,
    __version__,
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
