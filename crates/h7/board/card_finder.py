# Finds the cards of a frame. For the OpenMV Cam H7, firmware 4.5 to 5.x.
#
# First by their symbols: what is darker than its surroundings and of a symbol's shape, one to three
# in a row. That works on a white table, in uneven light and where cards touch. Then by their white:
# bright blobs of a card's size and shape, where no symbols were found.
#
# The first way needs a second picture of the frame's size in grey (75 KB of the heap); where there is
# no room for it, the second is left.

import math

import image

# ---- symbols ------------------------------------------------------------------------------------

# A pixel is ink when it is darker than the mean around it: (pixels on each side that the mean
# takes in, by how much darker, pixels to thicken by). The first keeps neighbours apart, the second
# closes thin outlines.
PASSES = ((6, 4, 0), (7, 6, 1))
# Length of a symbol in pixels, and its length by its width: 1.9 to 2.3 seen straight on.
LEAST_SYMBOL = 8
MOST_SYMBOL = 80
LEAST_SYMBOL_ASPECT = 1.2
MOST_SYMBOL_ASPECT = 4.5
# A blob's pixels by those of the rectangle's border around it: an outline of one pixel has 0.75 to
# 1, two sides of something 0.5.
LEAST_INK = 0.7
# Each symbol is compared with each.
MOST_SYMBOLS = 72

# Of a card: a symbol's length in short sides; its width and the way to the next in long sides.
SYMBOL_LENGTH = 0.66
SYMBOL_WIDTH = 0.205
PITCH = 0.285


def attribute(thing, name):
    """A value that is a method on firmware 4.x and an attribute on 5.x."""
    value = getattr(thing, name)
    return value() if callable(value) else value


def _symbol(blob, grown):
    """A blob as (x, y, length, width, and the unit vector along its length), or None."""
    c = attribute(blob, "min_corners")
    ax, ay = c[1][0] - c[0][0] + c[2][0] - c[3][0], c[1][1] - c[0][1] + c[2][1] - c[3][1]
    bx, by = c[2][0] - c[1][0] + c[3][0] - c[0][0], c[2][1] - c[1][1] + c[3][1] - c[0][1]
    a, b = math.sqrt(ax * ax + ay * ay) / 2, math.sqrt(bx * bx + by * by) / 2
    if a < b:
        a, b, ax, ay = b, a, bx, by
    length, width = a - 2 * grown, b - 2 * grown
    if width < 2 or a < LEAST_SYMBOL_ASPECT * b or length > MOST_SYMBOL_ASPECT * width:
        return None
    if not LEAST_SYMBOL <= length <= MOST_SYMBOL:
        return None
    if attribute(blob, "pixels") < LEAST_INK * 2 * (length + width) * (1 + 2 * grown):
        return None
    ux, uy = ax / 2 / a, ay / 2 / a
    # The smallest rectangle around a diamond lies along one of its sides: turned from its length
    # by the angle whose tangent is width by length.
    angle = attribute(blob, "rotation")
    vx, vy = math.cos(angle), math.sin(angle)
    if abs(ux * vy - uy * vx) > 0.5 * b / math.sqrt(a * a + b * b):
        k = math.sqrt(1 + width * width / (length * length))
        length, width, ux, uy = length * k, width * k, vx, vy
    x = (c[0][0] + c[1][0] + c[2][0] + c[3][0]) / 4
    y = (c[0][1] + c[1][1] + c[2][1] + c[3][1]) / 4
    return (x, y, length, width, ux, uy)


def _outermost(found):
    """Of symbols that lie in one another the longest. But what holds much smaller ones that are not
    in its middle is the border of a card."""
    found.sort(key=lambda s: -s[2])
    kept = []
    for s in found:
        outer = None
        for k in kept:
            dx, dy = s[0] - k[0], s[1] - k[1]
            along, across = abs(dx * k[4] + dy * k[5]), abs(dx * k[5] - dy * k[4])
            if along < 0.5 * k[2] and across < 0.5 * k[3]:
                outer = k
                break
        if outer is not None:
            if not 0.2 * outer[2] < s[2] < 0.62 * outer[2]:
                continue
            parallel = abs(s[4] * outer[4] + s[5] * outer[5]) > 0.9
            if parallel and along < 0.12 * outer[2] and across < 0.2 * outer[3]:
                continue
            kept.remove(outer)
        kept.append(s)
    return kept


def find_symbols(img, gray):
    """What may be symbols. gray is drawn over."""
    found = []
    for reach, darker, grown in PASSES:
        gray.draw_image(img, 0, 0)
        gray.mean(reach, threshold=True, offset=darker, invert=True)
        if grown:
            gray.dilate(grown)
        for blob in gray.find_blobs([(128, 255)], x_stride=1, pixels_threshold=16, area_threshold=40):
            symbol = _symbol(blob, grown)
            if symbol is not None:
                found.append(symbol)
    gray.draw_image(img, 0, 0)
    found = [s for s in _outermost(found) if _on_white(gray, s)]
    return found[:MOST_SYMBOLS]


# Beyond a symbol's ends a card is white: the darkest of these places by the brightest. They lie in
# parts of its length and width from its middle.
_ENDS = ((-0.62, -0.4), (-0.62, 0.0), (-0.62, 0.4), (0.62, -0.4), (0.62, 0.0), (0.62, 0.4))
LEAST_WHITE = 0.7


def _on_white(gray, s):
    w, h = gray.width(), gray.height()
    low, high = 255, 1
    for a, b in _ENDS:
        x = int(s[0] + a * s[2] * s[4] - b * s[3] * s[5] + 0.5)
        y = int(s[1] + a * s[2] * s[5] + b * s[3] * s[4] + 0.5)
        if 0 <= x < w and 0 <= y < h:
            v = gray.get_pixel(x, y)
            low, high = min(low, v), max(high, v)
    return low >= LEAST_WHITE * high


# ---- symbols of a card --------------------------------------------------------------------------


def _apartness(a, b):
    """How unlike neighbours on a card two symbols are, 0 or more: those are alike, parallel, one pitch
    apart. None where they cannot be."""
    ratio = a[2] / b[2]
    if not 0.72 < ratio < 1.39:
        return None
    dot = a[4] * b[4] + a[5] * b[5]
    if abs(dot) < 0.93:
        return None
    ux, uy = (a[4] + b[4], a[5] + b[5]) if dot > 0 else (a[4] - b[4], a[5] - b[5])
    norm = math.sqrt(ux * ux + uy * uy)
    dx, dy = b[0] - a[0], b[1] - a[1]
    along, across = abs(dx * ux + dy * uy) / norm, abs(dx * uy - dy * ux) / norm
    length, width = (a[2] + b[2]) / 2, (a[3] + b[3]) / 2
    # A pitch is 1.33 to 1.5 widths; the next card's symbols are 2.1 away where cards touch.
    if along < 0.45 * length and width < across < 1.95 * width and 0.3 * length < across < 1.25 * length:
        pitch = across * SYMBOL_WIDTH / PITCH / width
        return abs(pitch - 1) + along / length + abs(ratio - 1) + abs(a[3] - b[3]) / width
    return None


def rows(symbols):
    """Lists of one to three symbols of a card, each in order across the symbols. What is most alike is
    joined first, so that a spot beside a card of three does not spoil it."""
    n = len(symbols)
    links = []
    for i in range(n):
        a = symbols[i]
        for j in range(i):
            b = symbols[j]
            reach = a[2] + b[2]
            if abs(a[0] - b[0]) < reach and abs(a[1] - b[1]) < reach:
                unlike = _apartness(a, b)
                if unlike is not None:
                    links.append((unlike, i, j))
    links.sort()
    found = [[s] for s in symbols]
    group = list(range(n))
    for _, i, j in links:
        one, other = group[i], group[j]
        if one != other and len(found[one]) + len(found[other]) <= 3:
            found[one] += found[other]
            found[other] = []
            group = [one if g == other else g for g in group]
    for members in found:
        if len(members) > 1:
            ux, uy = members[0][5], -members[0][4]
            members.sort(key=lambda s: s[0] * ux + s[1] * uy)
    return [members for members in found if members]


# Where ink is looked for, in pitches from a symbol's middle towards its row (further out the card's
# border may lie) and in lengths along it.
_ACROSS = (-0.42, -0.34, -0.26, -0.17, -0.08, 0.0)
_ALONG = (-0.15, 0.0, 0.15)
# A place has a symbol when it has so much of the contrast of those found.
INK_PART = 0.5


def _ink(gray, x, y, like, px, py):
    """Grey of the darkest and of the brightest pixels in the half of a symbol that lies against
    (px, py), or None outside the frame."""
    w, h = gray.width(), gray.height()
    values = []
    for i in _ACROSS:
        for j in _ALONG:
            u = int(x + px * i + like[4] * like[2] * j + 0.5)
            v = int(y + py * i + like[5] * like[2] * j + 0.5)
            if 0 <= u < w and 0 <= v < h:
                values.append(gray.get_pixel(u, v))
    if len(values) < 15:
        return None
    values.sort()
    return sum(values[:4]) / 4, sum(values[-3:]) / 3


def complete(gray, row):
    """The row with the symbols that the search has missed: those of one or two may be part of more."""
    n = len(row)
    if n > 2:
        return row
    first, last = row[0], row[-1]
    if n == 2:
        px, py = last[0] - first[0], last[1] - first[1]
    else:
        pitch = PITCH / SYMBOL_WIDTH * first[3]
        px, py = first[5] * pitch, -first[4] * pitch
    dark = bright = 0
    for s in row:
        for sign in (1, -1):
            ink = _ink(gray, s[0], s[1], s, sign * px, sign * py)
            if ink is None:
                return row
            dark, bright = dark + ink[0] / n / 2, bright + ink[1] / n / 2
    least = INK_PART * (bright - dark)
    added = []
    for s, sign in ((first, -1), (last, 1)):
        x, y = s[0] + sign * px, s[1] + sign * py
        ink = _ink(gray, x, y, s, sign * px, sign * py)
        if ink is not None and bright - ink[0] > least and ink[1] - ink[0] > least / 2:
            added.append((sign, (x, y) + s[2:]))
    if n + len(added) > 3:
        return row
    for sign, s in added:
        row = row + [s] if sign > 0 else [s] + row
    return row


# ---- the card around its symbols ----------------------------------------------------------------


def card_of(row):
    """The card that has these symbols: its middle, half its long side and half its short side as
    vectors (x, y, wx, wy, hx, hy)."""
    n = len(row)
    x = y = ux = uy = length = width = 0.0
    for s in row:
        sign = 1 if s[4] * row[0][4] + s[5] * row[0][5] > 0 else -1
        x, y = x + s[0] / n, y + s[1] / n
        ux, uy = ux + sign * s[4], uy + sign * s[5]
        length, width = length + s[2] / n, width + s[3] / n
    norm = math.sqrt(ux * ux + uy * uy)
    half = length / SYMBOL_LENGTH / 2
    hx, hy = ux / norm * half, uy / norm * half
    if n > 1:
        part = 0.5 / PITCH / (n - 1)
        return x, y, (row[-1][0] - row[0][0]) * part, (row[-1][1] - row[0][1]) * part, hx, hy
    # One symbol's width says little: not too far from 1.55, which a card is seen straight on.
    k = max(1.2, min(width / SYMBOL_WIDTH / 2 / half, 1.9))
    return x, y, hy * k, -hx * k, hx, hy


def like_neighbor(card, cards):
    """A card of one symbol with the long side that cards of several have, from the nearest that lies
    the same way: on a flat table they look alike. None without such a neighbour."""
    x, y, _, _, hx, hy = card
    best, least = None, 0
    for other in cards:
        dot = hx * other[4] + hy * other[5]
        size = other[4] * other[4] + other[5] * other[5]
        both = math.sqrt((hx * hx + hy * hy) * size)
        if abs(dot) > 0.95 * both:
            way = (x - other[0]) ** 2 + (y - other[1]) ** 2
            if best is None or way < least:
                # Its long side by its short one, both in the directions of the short one.
                ox, oy = other[4], other[5]
                along = (other[2] * ox + other[3] * oy) / size
                across = (other[2] * oy - other[3] * ox) / size
                best, least = (along, across), way
    if best is None:
        return None
    along, across = best
    return x, y, along * hx + across * hy, along * hy - across * hx, hx, hy


def as_parts(corners):
    """Corners in the order of fit as a card: middle and half sides."""
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = corners
    return (
        (ax + bx + cx + dx) / 4,
        (ay + by + cy + dy) / 4,
        (bx + cx - ax - dx) / 4,
        (by + cy - ay - dy) / 4,
        (cx + dx - ax - bx) / 4,
        (cy + dy - ay - by) / 4,
    )


# Where a side is looked at, in parts of half its length.
_PLACES = (-0.8, -0.6, -0.4, -0.2, 0.2, 0.4, 0.6, 0.8)
# Grey levels that a card's border must differ by from what lies around it.
LEAST_STEP = 4
# Parts of the way to an expected side between which it is looked for; of a lone symbol's long side,
# where nothing else says how long it is.
_NEAR = (0.8, 1.25)
_FAR = (0.66, 1.4)


# A step in grey so far from the expected place, in parts of the way there from where the search starts,
# counts half: a neighbour's border or a shadow's edge may be the stronger one.
_DRAWN_IN = 0.2


def _step(values, n, low, high, expected):
    """(at, by how much) values fall most between two places; rises count half, and less the further
    from the expected place."""
    count = len(values)
    best, most = None, 0.0
    for k in range(max(1, low), min(count - 2, high + 1)):
        fall = (values[k - 1] + values[k] - values[k + 1] - values[k + 2]) / (2 * n)
        if fall < 0:
            fall *= -0.5
        off = (k + 0.5 - expected) / (_DRAWN_IN * expected)
        fall /= 1 + off * off
        if fall > most:
            best, most = k, fall
    return best, most


def _side(gray, x, y, ax, ay, bx, by, reach):
    """Where a side's two halves lie in parts of (bx, by), the way from the middle (x, y) to where it
    is expected; (ax, ay) is half the side. None where the picture has no such border."""
    size = math.sqrt(bx * bx + by * by)
    first = int(reach[0] * size)
    count = int(reach[1] * size) - first + 1
    w, h = gray.width(), gray.height()
    halves = [0] * count, [0] * count
    for i in range(8):
        px, py = x + ax * _PLACES[i] + 0.5, y + ay * _PLACES[i] + 0.5
        half = halves[i // 4]
        for k in range(count):
            t = (first + k) / size
            u, v = int(px + bx * t), int(py + by * t)
            if 0 <= u < w and 0 <= v < h:
                half[k] += gray.get_pixel(u, v)
    both = [halves[0][k] + halves[1][k] for k in range(count)]
    k, strength = _step(both, 8, 0, count, size - first)
    if k is None or strength < LEAST_STEP:
        return None
    ends = []
    for half in halves:
        at, own = _step(half, 4, k - 2, k + 2, k + 0.5)
        if at is None or own < 0.5 * strength:
            at = k
        # The last bright pixel, half of one short of the border: so cards are read best.
        ends.append((first + at) / size)
    return ends


def _crossing(p, q, r, s):
    """Where the lines through p and q and through r and s meet."""
    ax, ay, bx, by = q[0] - p[0], q[1] - p[1], s[0] - r[0], s[1] - r[1]
    d = ax * by - ay * bx
    if abs(d) < 1e-6:
        return q
    t = ((r[0] - p[0]) * by - (r[1] - p[1]) * bx) / d
    return p[0] + t * ax, p[1] + t * ay


def fit(gray, card, reach=_NEAR):
    """A card's corners, each side moved to the border that the picture has near it; else as far out
    as the side across, or where the symbols say."""
    x, y, wx, wy, hx, hy = card
    sides = (
        (wx, wy, -hx, -hy, _NEAR),
        (hx, hy, wx, wy, reach),
        (-wx, -wy, hx, hy, _NEAR),
        (-hx, -hy, -wx, -wy, reach),
    )
    ends = [_side(gray, x, y, *side) for side in sides]
    lines = []
    for i in range(4):
        ax, ay, bx, by, _ = sides[i]
        found = ends[i]
        if found is None:
            across = ends[(i + 2) % 4]
            part = (across[0] + across[1]) / 2 if across else 1.0
            found = part, part
        # A half's places lie around its middle.
        lines.append(
            (
                (x + bx * found[0] - ax / 2, y + by * found[0] - ay / 2),
                (x + bx * found[1] + ax / 2, y + by * found[1] + ay / 2),
            )
        )
    return [_crossing(lines[i - 1][0], lines[i - 1][1], lines[i][0], lines[i][1]) for i in range(4)]


# Places in a card's margin, in parts of its long and its short side.
_MARGIN = (
    (0.07, 0.25),
    (0.07, 0.5),
    (0.07, 0.75),
    (0.93, 0.25),
    (0.93, 0.5),
    (0.93, 0.75),
    (0.2, 0.08),
    (0.4, 0.08),
    (0.6, 0.08),
    (0.8, 0.08),
    (0.2, 0.92),
    (0.4, 0.92),
    (0.6, 0.92),
    (0.8, 0.92),
)
# The margin's darker quarter by its brightest, and the least of its channels by the largest: a
# shadow may lie across a card, and lamps are yellow.
LEAST_EVEN = 0.62
LEAST_GREY = 0.7


def margin_of(img, corners):
    """How even the margin is of what these are the corners of (its darker quarter by its brightest),
    or 0 where it is no card's: not grey enough, or outside the frame."""
    w, h = img.width(), img.height()
    c = corners
    values = []
    grey = 0.0
    for a, b in _MARGIN:
        x = (1 - b) * ((1 - a) * c[0][0] + a * c[1][0]) + b * ((1 - a) * c[3][0] + a * c[2][0])
        y = (1 - b) * ((1 - a) * c[0][1] + a * c[1][1]) + b * ((1 - a) * c[3][1] + a * c[2][1])
        x, y = int(x + 0.5), int(y + 0.5)
        if 0 <= x < w and 0 <= y < h:
            p = img.get_pixel(x, y)
            values.append(27 * p[0] + 92 * p[1] + 9 * p[2])
            grey += (min(p) + 8) / (max(p) + 8)
    if len(values) < 11 or grey < LEAST_GREY * len(values):
        return 0
    values.sort()
    return values[len(values) // 4] / max(1, values[-2])


def by_symbols(img, gray):
    """[(corners, number of symbols)]"""
    found = rows(find_symbols(img, gray))
    gray.draw_image(img, 0, 0)
    cards = []
    known = []  # those of several symbols, which say what lone ones do not
    for seen in sorted(found, key=lambda row: -len(row)):
        row = complete(gray, seen)
        card = card_of(row)
        reach = _NEAR
        if len(row) == 1:
            like = like_neighbor(card, known)
            card, reach = (like, _NEAR) if like else (card, _FAR)
        corners = fit(gray, card, reach)
        even = margin_of(img, corners)
        if even >= LEAST_EVEN:
            cards.append((clockwise([(p[0] + 0.5, p[1] + 0.5) for p in corners]), len(row), even))
            if len(seen) > 1:
                known.append(as_parts(corners))
    return cards


# ---- quads --------------------------------------------------------------------------------------


def distance(p, q):
    return math.sqrt((p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2)


def center(corners):
    """Where the diagonals' middles meet, in whole pixels."""
    return (
        (corners[0][0] + corners[1][0] + corners[2][0] + corners[3][0]) // 4,
        (corners[0][1] + corners[1][1] + corners[2][1] + corners[3][1]) // 4,
    )


def short_side(corners):
    return (distance(corners[1], corners[2]) + distance(corners[3], corners[0])) / 2


def area_of(c):
    """Twice the area of a quad; positive where it goes clockwise on the screen."""
    return (c[2][0] - c[0][0]) * (c[3][1] - c[1][1]) - (c[2][1] - c[0][1]) * (c[3][0] - c[1][0])


def clockwise(corners):
    """The four corners clockwise on the screen in whole pixels, the same side first."""
    c = [(int(p[0]), int(p[1])) for p in corners]
    if area_of(c) < 0:
        c = [c[1], c[0], c[3], c[2]]
    return c


def as_card(corners):
    """The four corners clockwise on the screen in whole pixels, first what looks like a long side."""
    c = clockwise(corners)
    if distance(c[0], c[1]) + distance(c[2], c[3]) < distance(c[1], c[2]) + distance(c[3], c[0]):
        c = c[1:] + c[:1]
    return c


# Corners within this part of a short side are the same.
ALIKE = 0.15


def as_other(one, other, reach):
    """A quad's corners in the order of another's that has the same to within reach, or None."""
    for turn in range(4):
        turned = one[turn:] + one[:turn]
        if all([distance(turned[i], other[i]) < reach for i in range(4)]):
            return turned
    return None


# ---- white blobs --------------------------------------------------------------------------------

# Cards in a frame of 320 x 240: smaller ones cannot be read, larger ones are no cards.
LEAST_AREA = 500
MOST_AREA = 38000
# Long side by short side of what may be a card, in the picture (1.56 seen straight on, more at a flat
# angle).
LEAST_ASPECT = 1.05
MOST_ASPECT = 3.6
# Part of the rectangle around a blob that the blob must fill: symbols are holes in it.
LEAST_FILL = 0.5
# Each costs a search over the frame.
MOST_THRESHOLDS = 6
# A quad so many times the usual area is no card.
MOST_OF_MEDIAN = 2.6
# One so many times the area of its neighbours, and as short as two cards side by side or as long as
# two in a row, is two that touch.
PAIR_OF_NEIGHBOURS = 1.5
PAIR_ASPECT = 1.38
ROW_ASPECT = 2.4
LEAST_OF_MEDIAN = 0.35


def _levels(img, roi):
    """Lightness between dark and bright (Otsu), and further up towards the cards' white."""
    histogram = img.get_histogram(roi=roi)
    # A colour picture's threshold has lightness among others.
    low = int(attribute(histogram.get_threshold(), "l_value"))
    white = int(attribute(histogram.get_percentile(0.95), "l_value"))
    return low, low + max(0, white - low) * 6 // 10


def thresholds(img):
    """Lightness from which on a pixel may be card: of the whole frame and of its quarters, as the
    light may be uneven; for each a low and a high one, as cards may touch or lie on something
    bright. Near ones are taken once."""
    w, h = img.width(), img.height()
    found = []
    for roi in (
        (0, 0, w, h),
        (0, 0, w // 2, h // 2),
        (w // 2, 0, w - w // 2, h // 2),
        (0, h // 2, w // 2, h - h // 2),
        (w // 2, h // 2, w - w // 2, h - h // 2),
    ):
        for value in _levels(img, roi):
            if all(abs(value - other) >= 5 for other in found):
                found.append(value)
    return found[:MOST_THRESHOLDS]


def quad_of(blob):
    """The corners and how card-like a blob is (0 to 1), or None."""
    corners = as_card(attribute(blob, "min_corners"))
    long_side = (distance(corners[0], corners[1]) + distance(corners[2], corners[3])) / 2
    short_side = (distance(corners[1], corners[2]) + distance(corners[3], corners[0])) / 2
    if short_side < 8:
        return None
    area = long_side * short_side
    aspect = long_side / short_side
    fill = attribute(blob, "pixels") / area
    if not (LEAST_AREA <= area <= MOST_AREA and LEAST_ASPECT <= aspect <= MOST_ASPECT):
        return None
    if fill < LEAST_FILL:
        return None
    return corners, min(fill, 1.0) - 0.4 * abs(aspect - 1.5), area, aspect


# Rays from each side of a blob's rectangle to its middle.
_RAYS = 8


def _reaches(img, corners, lightness):
    """Where rays from a blob's rectangle to its middle meet the first two bright pixels: points in
    order around the blob. Those that meet none are left out."""
    # The 8-bit grey of this lightness (CIE), and of that 128 times.
    y = ((lightness + 16) / 116) ** 3
    bright = 128 * 255 * (1.055 * y ** (1 / 2.4) - 0.055)
    w, h = img.width(), img.height()
    mx = (corners[0][0] + corners[1][0] + corners[2][0] + corners[3][0]) / 4
    my = (corners[0][1] + corners[1][1] + corners[2][1] + corners[3][1]) / 4
    points = []
    for i in range(4):
        (ax, ay), (bx, by) = corners[i], corners[(i + 1) % 4]
        for k in range(_RAYS):
            part = (k + 0.5) / _RAYS
            x, y = ax + (bx - ax) * part, ay + (by - ay) * part
            way = math.sqrt((mx - x) ** 2 + (my - y) ** 2)
            if way < 4:
                continue
            dx, dy = (mx - x) / way, (my - y) / way
            before = False
            for _ in range(int(0.7 * way)):
                u, v = int(x + 0.5), int(y + 0.5)
                now = False
                if 0 <= u < w and 0 <= v < h:
                    r, g, b = img.get_pixel(u, v)
                    now = 27 * r + 92 * g + 9 * b >= bright
                # One pixel alone may be noise.
                if now and before:
                    points.append((x - dx, y - dy))
                    break
                before = now
                x, y = x + dx, y + dy
    return points


def _line(points):
    """A point of the line through some points, and another; those far off it are left out once."""
    for again in (True, False):
        n = len(points)
        x = sum([p[0] for p in points]) / n
        y = sum([p[1] for p in points]) / n
        a = b = c = 0.0
        for p in points:
            dx, dy = p[0] - x, p[1] - y
            a, b, c = a + dx * dx, b + dx * dy, c + dy * dy
        angle = math.atan2(2 * b, a - c) / 2
        dx, dy = math.cos(angle), math.sin(angle)
        if again:
            near = [p for p in points if abs((p[0] - x) * dy - (p[1] - y) * dx) <= 1.2]
            if len(near) < 3 or len(near) == n:
                break
            points = near
    return (x, y), (x + dx, y + dy)


def _most(points, measure):
    """The index of the point that measures most."""
    best, most = 0, None
    for i in range(len(points)):
        value = measure(points[i])
        if most is None or value > most:
            best, most = i, value
    return best


def refine(img, corners, lightness):
    """A tilted card is no rectangle: the quad of lines along a blob's bright pixels, seen from its
    rectangle's sides. Its corners are the furthest points, first of all, then of the diagonal."""
    points = _reaches(img, corners, lightness)
    n = len(points)
    if n < 3 * _RAYS:
        return corners
    middle = center(corners)
    a = _most(points, lambda p: distance(p, middle))
    c = _most(points, lambda p: distance(p, points[a]))
    (ax, ay), (cx, cy) = points[a], points[c]
    b = _most(points, lambda p: (p[0] - ax) * (cy - ay) - (p[1] - ay) * (cx - ax))
    d = _most(points, lambda p: (p[1] - ay) * (cx - ax) - (p[0] - ax) * (cy - ay))
    ends = sorted([a, b, c, d])
    lines = []
    for i in range(4):
        first, last = ends[i], ends[(i + 1) % 4]
        if first == last:
            return corners
        # A card's corners are round: the points at the ends belong to neither side.
        side = [points[k % n] for k in range(first + 1, last + (n if last < first else 0))]
        lines.append(_line(side) if len(side) > 2 else (points[first], points[last]))
    quad = [_crossing(lines[i - 1][0], lines[i - 1][1], lines[i][0], lines[i][1]) for i in range(4)]
    # Lines that nearly run alike meet anywhere.
    reach = 0.35 * short_side(corners)
    if any([distance(quad[i], points[ends[i]]) > reach for i in range(4)]):
        return corners
    return [(p[0] + 0.5, p[1] + 0.5) for p in quad]


def find_bright(img, most=24):
    """[(corners, 0)] of bright blobs that may be cards. Where their rectangle is plainly another quad and
    evenly white too, as a shadow may lie on a corner of a card, it is there as (corners, -1)."""
    found = []  # [corners, score, center, reach, area, lightness, aspect]
    for value in thresholds(img):
        blobs = img.find_blobs(
            [(value, 100, -128, 127, -128, 127)],
            pixels_threshold=LEAST_AREA // 2,
            area_threshold=LEAST_AREA,
        )
        for blob in blobs:
            quad = quad_of(blob)
            if quad is None:
                continue
            corners, score, area, aspect = quad
            middle = center(corners)
            reach = distance(corners[1], corners[2]) / 2
            rival = None
            for other in found:
                if distance(other[2], middle) < max(reach, other[3]):
                    rival = other
                    break
            if rival is None:
                if len(found) < most:
                    found.append([corners, score, middle, reach, area, value, aspect])
            elif score > rival[1]:
                rival[:] = [corners, score, middle, reach, area, value, aspect]
    if not found:
        return []
    median = sorted([entry[4] for entry in found])[len(found) // 2]
    cards = []
    for entry in found:
        if not PAIR_ASPECT <= entry[6] <= ROW_ASPECT and len(found) > 3:
            nearest = sorted([(distance(entry[2], e[2]), e[4]) for e in found if e is not entry])[:3]
            pair = entry[4] > PAIR_OF_NEIGHBOURS * sorted([area for _, area in nearest])[1]
        else:
            pair = False
        if not pair and LEAST_OF_MEDIAN * median <= entry[4] <= MOST_OF_MEDIAN * median:
            corners = as_card(refine(img, entry[0], entry[5]))
            cards.append((corners, 0))
            if not as_other(entry[0], corners, ALIKE * short_side(corners)) and margin_of(img, entry[0]) >= LEAST_EVEN:
                cards.append((entry[0], -1))
    return cards


# ---- both ---------------------------------------------------------------------------------------

class Finder:
    """Finds cards in frames of one size."""

    def __init__(self, width=320, height=240):
        try:
            self.gray = image.Image(width, height, image.GRAYSCALE)
        except MemoryError as error:
            print("no room to look for symbols, white cards only:", error)
            self.gray = None

    def cards(self, img, most=60):
        """[(corners, number of symbols seen, 0 or -1 where not known)] of what may be cards, likely
        ones first, each clockwise. First of the corners is a long side's as the symbols tell; where only
        white was seen, of the side that looks longer, which it is not at a flat angle. A card whose
        symbols and white tell of different corners is there twice."""
        found = by_symbols(img, self.gray) if self.gray else []
        count = len(found)
        for bright, kind in find_bright(img):
            middle = center(bright)
            side = short_side(bright)
            # Spots of the table are seldom so large and so bright.
            entry = (bright, kind, 1 + margin_of(img, bright))
            for i in range(count):
                if distance(center(found[i][0]), middle) < side / 4:
                    same = as_other(bright, found[i][0], ALIKE * side)
                    if same:
                        # White's corners are the closer ones.
                        found[i] = (same, found[i][1], entry[2])
                        break
            else:
                found.append(entry)
        found.sort(key=lambda card: -card[2])
        return [card[:2] for card in found[:most]]
