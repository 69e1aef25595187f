# Finds the cards of a frame and reads them. For the OpenMV Cam H7, firmware 4.5 to 5.x.
#
# The pictures that a card goes through are those that the network was measured on: a window around
# the card, straightened by rotation_corr, balanced on the card's own white. Everything but the
# calls of the firmware's image methods runs on CPython too.

import math

WIDTH = 96  # the network's picture
HEIGHT = 64

# A property counts as read when its best value is this far ahead of the next (logits: 2 is about
# 7 to 1). Lower: more cards, more mistakes.
MARGIN = 2.0
# Below this the thing is no face-up card.
CARD_LOGIT = 0.0
# What every output of the network is more than the logit it stands for; set by the export.
OUTPUT_OFFSET = 0.0

# Cards in a frame of 320 x 240: smaller ones cannot be read, larger ones are no cards.
LEAST_AREA = 700
MOST_AREA = 38000
# Long side by short side of what may be a card, in the picture (1.56 seen straight on).
LEAST_ASPECT = 1.05
MOST_ASPECT = 2.4
# Part of the rectangle around a blob that the blob must fill: symbols are holes in it.
LEAST_FILL = 0.5
# Each costs a search over the frame.
MOST_THRESHOLDS = 6
# A quad so many times the usual area is no card.
MOST_OF_MEDIAN = 2.6
# One so many times the area of its neighbours, and as short as two cards side by side, is two that
# touch.
PAIR_OF_NEIGHBOURS = 1.5
PAIR_ASPECT = 1.38
LEAST_OF_MEDIAN = 0.35


def attribute(thing, name):
    """A value that is a method on firmware 4.x and an attribute on 5.x."""
    value = getattr(thing, name)
    return value() if callable(value) else value


# ---- finding ------------------------------------------------------------------------------------


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


def _distance(p, q):
    return math.sqrt((p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2)


def as_card(corners):
    """The four corners clockwise on the screen, a long side first."""
    c = [(int(p[0]), int(p[1])) for p in corners]
    area = (c[2][0] - c[0][0]) * (c[3][1] - c[1][1]) - (c[2][1] - c[0][1]) * (c[3][0] - c[1][0])
    if area < 0:
        c.reverse()
    if _distance(c[0], c[1]) + _distance(c[2], c[3]) < _distance(c[1], c[2]) + _distance(c[3], c[0]):
        c = c[1:] + c[:1]
    return c


def quad_of(blob):
    """The corners and how card-like a blob is (0 to 1), or None."""
    corners = as_card(attribute(blob, "min_corners"))
    long_side = (_distance(corners[0], corners[1]) + _distance(corners[2], corners[3])) / 2
    short_side = (_distance(corners[1], corners[2]) + _distance(corners[3], corners[0])) / 2
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


def refine(img, corners, lightness):
    """A tilted card is a trapezoid within its blob's rectangle: moves each corner inwards along the
    diagonal to the first bright pixel on a line across it."""
    middle = center(corners)
    short_side = (_distance(corners[1], corners[2]) + _distance(corners[3], corners[0])) / 2
    # The 8-bit grey of this lightness (CIE), and what the card's round corner takes away.
    y = ((lightness + 16) / 116) ** 3
    bright = 128 * 255 * (1.055 * y ** (1 / 2.4) - 0.055)
    rounding = int(0.03 * short_side + 0.5)
    w, h = img.width(), img.height()

    def is_bright(x, y):
        x, y = int(x + 0.5), int(y + 0.5)
        if not (0 <= x < w and 0 <= y < h):
            return False
        r, g, b = img.get_pixel(x, y)
        return 27 * r + 92 * g + 9 * b >= bright

    found = []
    for corner in corners:
        dx, dy = corner[0] - middle[0], corner[1] - middle[1]
        length = _distance(corner, middle)
        if length < 4:
            return corners
        dx, dy = dx / length, dy / length
        moved = corner
        for k in range(int(short_side * 0.3)):
            x, y = corner[0] - k * dx, corner[1] - k * dy
            hit = None
            for t in range(-k, k + 1):
                u, v = x - t * dy, y + t * dx
                # One pixel alone may be noise.
                if is_bright(u, v) and is_bright(u - 2 * dx, v - 2 * dy):
                    hit = (u, v)
                    if t >= 0:
                        break
            if hit is not None:
                back = min(k, rounding)
                moved = (int(hit[0] + back * dx + 0.5), int(hit[1] + back * dy + 0.5))
                break
        found.append(moved)
    return found


def center(corners):
    """Where the diagonals' middles meet, in whole pixels."""
    return (
        (corners[0][0] + corners[1][0] + corners[2][0] + corners[3][0]) // 4,
        (corners[0][1] + corners[1][1] + corners[2][1] + corners[3][1]) // 4,
    )


def find_cards(img, most=24):
    """Corner quads of what may be cards, each clockwise with a long side first."""
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
            reach = _distance(corners[1], corners[2]) / 2
            rival = None
            for other in found:
                if _distance(other[2], middle) < max(reach, other[3]):
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
        if entry[6] < PAIR_ASPECT and len(found) > 3:
            nearest = sorted([(_distance(entry[2], e[2]), e[4]) for e in found if e is not entry])[:3]
            pair = entry[4] > PAIR_OF_NEIGHBOURS * sorted([area for _, area in nearest])[1]
        else:
            pair = False
        if not pair and LEAST_OF_MEDIAN * median <= entry[4] <= MOST_OF_MEDIAN * median:
            cards.append(as_card(refine(img, entry[0], entry[5])))
    return cards


# ---- the card's picture -------------------------------------------------------------------------


def _span(low, high, limit, size):
    """A window of the size around low..high within 0..limit; None when it does not fit in."""
    if high - low + 1 > size:
        return None
    return max(0, min((low + high + 1 - size) // 2, limit - size))


def window(corners, width, height):
    """What to copy of a frame: (x, y, w, h), and the corners in a picture of 96 x 64 made of it."""
    xs = [max(0, min(p[0], width - 1)) for p in corners]
    ys = [max(0, min(p[1], height - 1)) for p in corners]
    x, y = _span(min(xs), max(xs), width, WIDTH), _span(min(ys), max(ys), height, HEIGHT)
    if x is not None and y is not None:
        return (x, y, WIDTH, HEIGHT), [(p[0] - x, p[1] - y) for p in corners]
    # Too large: the card's bounding box, to be scaled.
    x, y = min(xs), min(ys)
    w, h = max(xs) - x + 1, max(ys) - y + 1
    inside = []
    for p in corners:
        u = p[0] - x if w == WIDTH else (2 * (p[0] - x) + 1) * WIDTH // (2 * w)
        v = p[1] - y if h == HEIGHT else (2 * (p[1] - y) + 1) * HEIGHT // (2 * h)
        inside.append((u, v))
    return (x, y, w, h), inside


def straighten(img, corners):
    """The card as a picture of 96 x 64, its first edge on top."""
    roi, inside = window(corners, img.width(), img.height())
    if roi[2] == WIDTH and roi[3] == HEIGHT:
        card = img.copy(roi=roi)
    else:
        # Half a pixel more: the firmware rounds sizes down.
        card = img.copy(roi=roi, x_scale=(WIDTH + 0.5) / roi[2], y_scale=(HEIGHT + 0.5) / roi[3])
    card.rotation_corr(corners=inside)
    return card


# 0.9 of full scale in the firmware's factors: 64ths for red and blue, 32nds for green; half a step
# more, as its products are rounded down.
_TARGET = (1818, 1830, 1818)
_MOST = (1024, 512, 1024)


def _white(counts, rank):
    seen = 0
    for value in range(len(counts)):
        seen += counts[value]
        if seen > rank:
            return max(value, 1)
    return 63


def balance_factors(data):
    """Factors that bring the card's white (percentile 85 of each channel) to 0.9 of full scale.
    data: the picture's bytes, RGB565, low byte first."""
    red, green, blue = [0] * 32, [0] * 64, [0] * 32
    looked_at = 0
    for y in range(2, HEIGHT, 4):
        for i in range(2 * (y * WIDTH + 2), 2 * (y + 1) * WIDTH, 8):
            pixel = data[i] | data[i + 1] << 8
            red[pixel >> 11] += 1
            green[pixel >> 5 & 63] += 1
            blue[pixel & 31] += 1
            looked_at += 1
    rank = looked_at * 85 // 100
    factors = []
    for c, counts in enumerate((red, green, blue)):
        white = _white(counts, rank)
        factors.append(min((_TARGET[c] + white // 2) // white, _MOST[c]))
    return factors


def balance(card):
    """Brings the card's own white to 0.9 of full scale, in place."""
    data = card.bytearray()
    kr, kg, kb = balance_factors(data)
    if hasattr(card, "ccm"):
        card.ccm([[kr / 64, 0, 0], [0, kg / 32, 0], [0, 0, kb / 64]])
        return
    # Firmware without it: the same by tables, some 20 times slower.
    reds = [min(v * kr >> 6, 31) << 11 for v in range(32)]
    greens = [min(v * kg >> 5, 63) << 5 for v in range(64)]
    blues = [min(v * kb >> 6, 31) for v in range(32)]
    for i in range(0, len(data), 2):
        pixel = data[i] | data[i + 1] << 8
        pixel = reds[pixel >> 11] | greens[pixel >> 5 & 63] | blues[pixel & 31]
        data[i] = pixel & 255
        data[i + 1] = pixel >> 8


# ---- reading ------------------------------------------------------------------------------------


def best_card(logits):
    """The most likely card, and how far each property's best value is ahead: the least of them."""
    card, least = 0, 1000.0
    for p in range(0, 12, 3):
        a, b, c = logits[p], logits[p + 1], logits[p + 2]
        if a >= b and a >= c:
            value, margin = 0, a - max(b, c)
        elif b >= c:
            value, margin = 1, b - max(a, c)
        else:
            value, margin = 2, c - max(a, b)
        card = 3 * card + value
        least = min(least, margin)
    return card, least


class Reading:
    """What is known of one card: logits summed over the frames in which it was seen."""

    def __init__(self):
        self.logits = [0.0] * 13
        self.frames = 0

    def add(self, logits):
        # Old frames fade: a card that is exchanged is read anew.
        if self.frames >= 8:
            self.frames = 7
            for i in range(13):
                self.logits[i] *= 7 / 8
        for i in range(13):
            self.logits[i] += logits[i]
        self.frames += 1

    def card(self):
        """(card 0 to 80, whether it is unsure)."""
        mean = [v / self.frames for v in self.logits]
        card, margin = best_card(mean)
        return card, margin < MARGIN

    def is_card(self):
        return self.logits[12] / self.frames > CARD_LOGIT


class Reader:
    """The network; without it (no room in the heap, no file) simple rules."""

    def __init__(self, path="card.tflite"):
        self.model = None
        self.old = None
        try:
            try:
                import ml

                self.model = ml.Model(path)
            except ImportError:
                import tf  # up to firmware 4.5.5

                self.old = tf.load(path)
        except (ImportError, MemoryError, OSError, ValueError) as error:
            print("no network, rules instead:", error)

    def classical(self):
        return self.model is None and self.old is None

    def logits(self, card):
        """Thirteen numbers for a card's picture, straight and balanced."""
        if self.model is not None:
            out = self.model.predict([card])
            # One array of shape (1, 1, 1, 13); fewer dimensions on some versions.
            while len(out) == 1:
                out = out[0]
            return [float(v) - OUTPUT_OFFSET for v in out]
        if self.old is not None:
            import tf

            result = self.old.classify(card) if hasattr(self.old, "classify") else tf.classify(self.old, card)
            return [float(v) - OUTPUT_OFFSET for v in attribute(result[0], "output")]
        return by_rules(card.bytearray())

    def read(self, img, corners):
        """Logits of the card with these corners."""
        card = straighten(img, corners)
        balance(card)
        return self.logits(card)


# ---- without a network --------------------------------------------------------------------------

_INK = 46  # darker than the white by so much (of 255) is ink


def by_rules(data):
    """Rough logits from simple measurements: number from where ink is, colour from its mean,
    shading from inside against outline, shape from how the width changes along the height.
    data: the balanced picture's bytes. Much weaker than the network."""

    def rgb(x, y):
        i = 2 * (y * WIDTH + x)
        v = data[i] | data[i + 1] << 8
        return (v >> 11) * 255 // 31, (v >> 5 & 63) * 255 // 63, (v & 31) * 255 // 31

    def ink(x, y):
        return 229 - min(rgb(x, y))

    # Symbols: runs of columns with ink, away from the card's edge.
    scores = [0.0] * 13
    middles = []
    start = None
    for x in range(8, 89):
        inked = 0
        if x < 88:
            for y in range(12, 52, 2):
                if ink(x, y) > _INK:
                    inked += 1
        if inked >= 2:
            if start is None:
                start = x
        elif start is not None:
            if x - start >= 8:
                middles.append((start + x - 1) // 2)
            start = None
    if not middles:
        return [0.0] * 12 + [-4.0]
    middles = middles[:3]
    scores[len(middles) - 1] = 3.0
    # Each symbol: rows' extents, colour, inside.
    red = green = blue = count = 0
    inside = outline = rows = 0
    half, full, skew = 0, 0, 0
    for x0 in middles:
        for y in range(10, 54, 2):
            left = right = None
            for x in range(max(0, x0 - 13), min(WIDTH, x0 + 14)):
                if ink(x, y) > _INK:
                    if left is None:
                        left = x
                    right = x
            if left is None:
                continue
            width = right - left + 1
            if 24 <= y < 40:
                full += width
                rows += 1
                outline += max(ink(left, y), ink(min(left + 1, right), y))
                inside += ink(x0, y)
            if y < 20 or y >= 44:
                half += width
                skew += (left + right - 2 * x0) * (1 if y < 32 else -1)
            for x in (left, right):
                r, g, b = rgb(x, y)
                red, green, blue, count = red + r, green + g, blue + b, count + 1
    if count == 0 or rows == 0:
        return [0.0] * 12 + [-4.0]
    red, green, blue = red / count, green / count, blue / count
    if green > red:
        scores[6] = 3.0
    elif blue - green > 0.35 * (red - green) + 6:
        scores[7] = 3.0
    else:
        scores[8] = 3.0
    share = inside / max(outline, 1)
    scores[3 if share > 0.95 else (5 if share > 0.22 else 4)] = 3.0
    ends = half / max(full, 1)
    symbols = len(middles)
    # A squiggle leans one way, whichever end is up.
    if ends < 0.62:
        scores[9] = 3.0
    elif skew < -12 * symbols:
        scores[11] = 3.0
    else:
        scores[10] = 3.0
    scores[12] = 2.0
    return scores
