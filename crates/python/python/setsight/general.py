"""The generalised game: cards have p properties of v values, and a set has v cards.

from setsight import general

game = general.play(values=5, properties=4, sets=3, seed=1)
print(game.board_sizes, game.seconds)
"""

from ._setsight import Game, play

__all__ = ["Game", "play"]
