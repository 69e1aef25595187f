# Finds all sets among cards. Whole numbers only; runs on MicroPython and on CPython.
#
# A card is a number 0 to 80: number * 27 + shading * 9 + color * 3 + shape, each 0 to 2.
# An empty place is None.

NUMBERS = "123"
SHADINGS = "fos"  # filled, open, striped
COLORS = "gpr"  # green, purple, red
SHAPES = "dos"  # diamond, oval, squiggle

# The value that completes two values: THIRD[3 * a + b].
_THIRD = bytes((0, 2, 1, 2, 1, 0, 1, 0, 2))


def code(card):
    """The card's four letters, such as 2spd."""
    return NUMBERS[card // 27] + SHADINGS[card // 9 % 3] + COLORS[card // 3 % 3] + SHAPES[card % 3]


def parse(text):
    """The card of four letters; ValueError when they are none."""
    if len(text) != 4:
        raise ValueError("a card has four letters: " + text)
    text = text.lower()
    card = 0
    for letter, letters in zip(text, (NUMBERS, SHADINGS, COLORS, SHAPES)):
        value = letters.find(letter)
        if value < 0:
            raise ValueError("no card: " + text)
        card = 3 * card + value
    return card


def third(a, b):
    """The one card that makes a set with two different cards."""
    return (
        _THIRD[3 * (a // 27) + b // 27] * 27
        + _THIRD[3 * (a // 9 % 3) + b // 9 % 3] * 9
        + _THIRD[3 * (a // 3 % 3) + b // 3 % 3] * 3
        + _THIRD[3 * (a % 3) + b % 3]
    )


def find_sets(board):
    """All sets as places (i, j, k), i < j < k, in order. A card may lie in several places."""
    n = len(board)
    # first[card] is 1 + the last place with this card, link[place] the one before it.
    first = bytearray(81)
    link = bytearray(n)
    for place in range(n):
        card = board[place]
        if card is not None:
            link[place] = first[card]
            first[card] = place + 1
    found = []
    for i in range(n):
        a = board[i]
        if a is None:
            continue
        for j in range(i + 1, n):
            b = board[j]
            if b is None or a == b:
                continue
            k = first[third(a, b)]
            begin = len(found)
            while k > j + 1:
                found.insert(begin, (i, j, k - 1))
                k = link[k - 1]
    return found
