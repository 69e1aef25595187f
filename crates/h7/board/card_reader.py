# Reads the cards of a frame. For the OpenMV Cam H7, firmware 4.5 to 5.x.
#
# The pictures that a card goes through are those that the network was measured on: a window around
# the card, straightened by rotation_corr, balanced on the card's own white. Everything but the
# calls of the firmware's image methods runs on CPython too.

import math

from card_finder import attribute

WIDTH = 96  # the network's picture
HEIGHT = 64

# A property counts as read when its best value is this far ahead of the next (logits: 2 is about
# 7 to 1). Lower: more cards, more mistakes. Of 172 drawn tables, seen in other cameras' colours, this
# and the limits below left 0.3 % of what was claimed wrong; 1.4 left 0.6 % and read 1 % more.
MARGIN = 2.0
# Below this the thing is no face-up card.
CARD_LOGIT = 1.0
# And below this it is none to be sure of.
SURE_LOGIT = 2.0
# One of the two may be so low, not both: a margin below this with a card logit below that.
WEAK_MARGIN = 2.5
WEAK_LOGIT = 3.5
# By so much a limit may be missed once it was met.
STEADY = 0.6
# Frames in a row that a card must be read alike in to be sure of it.
SURE_FRAMES = 2
# What every output of the network is more than the logit it stands for; set by the export.
OUTPUT_OFFSET = 0.0


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


# ---- the ink's colour ---------------------------------------------------------------------------

# Rows where the card's white is looked for above and below the symbols, and rows between.
_ABOVE = (3, 6, 9, 11)
_BELOW = (60, 57, 54, 52)
# What lets through less than this of the white beside it (of 256), in its darkest channel, is ink.
_CLEAR = 215


def ink(data):
    """What the card's ink takes from red and from blue less than from green: sums over its pixels of
    what they let through of the white above or below them (of 256), and how many there are. Light
    and shadow change the white alike. data: the straightened picture's bytes."""
    more_red = more_blue = count = 0
    for x in range(9, 88, 3):
        for rows, first in ((_ABOVE, 13), (_BELOW, 33)):
            white = green = 0
            for y in rows:
                i = 2 * (y * WIDTH + x)
                pixel = data[i] | data[i + 1] << 8
                if pixel >> 5 & 63 > green:
                    white, green = pixel, pixel >> 5 & 63
            if green < 4:
                continue
            kr, kg, kb = 65536 // max(white >> 11, 1), 65536 // green, 65536 // max(white & 31, 1)
            for i in range(2 * (first * WIDTH + x), 2 * ((first + 19) * WIDTH + x), 4 * WIDTH):
                pixel = data[i] | data[i + 1] << 8
                r, g, b = (pixel >> 11) * kr, (pixel >> 5 & 63) * kg, (pixel & 31) * kb
                if min(r, g, b) < _CLEAR << 8:
                    more_red += r - g >> 8
                    more_blue += b - g >> 8
                    count += 1
    return more_red, more_blue, count


# Where green, purple and red inks lie of what ink() finds, as drawn, in directions of length 1.
_INKS = ((-0.84, -0.54), (0.33, 0.95), (1.0, -0.05))
# What a plain colour adds to its logit; of 256, how strong a colour must be to say half of that; and so
# few pixels say less.
INK_SAYS = 10.0
_PALE = 48
_FEW = 16
# Red ink is strong: of drawn red cards in other cameras' colours 1 of 100 lies below this. What is
# paler is hardly red; each so many less take 1 from its logit.
_PALEST_RED = 22
_PALER = 4


def add_ink(logits, found):
    """Adds what ink() has found to the logits of the colours. What lies near none of them, as a
    shadow's brown, says little."""
    more_red, more_blue, count = found
    if count == 0:
        return
    a, b = more_red / count, more_blue / count
    strength = math.sqrt(a * a + b * b)
    says = [a * u + b * v for u, v in _INKS]
    near = max(says) / (strength + 0.01)
    share = INK_SAYS * min(count / _FEW, 1) * max(0, min((near - 0.7) * 5, 1)) / (strength + _PALE)
    for c in range(3):
        logits[6 + c] += share * says[c]
    logits[8] -= max(0, _PALEST_RED - strength) / _PALER * min(count / _FEW, 1)


# ---- reading ------------------------------------------------------------------------------------


def best_card(logits):
    """The most likely card, and how far each property's best value is ahead: the least of them."""
    card, least = 0, 1 << 20
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


# How a card is read from frame to frame: turned by so many corners, its window moved by so many
# pixels. The card is the same, the network's doubts differ.
VIEWS = ((0, 0, 0), (2, 0, 0), (0, 1, 0), (2, -1, 0), (0, 0, -1), (2, 0, 1))

# A reading's logits are whole numbers of this part: sums and products of those take no memory.
PARTS = 64

# Of shading and of colour: where it lies in the logits, by how many parts drawn cards of one value (in
# the labels' order) are ahead of another, and four times how much being ahead of a table's own line says.
_AHEAD = (
    (3, ((0, 346, 339), (378, 0, 314), (224, 403, 0)), 6),
    (6, ((0, 855, 871), (633, 0, 459), (970, 577, 0)), 3),
)
# A table's line lies at most so far from the network's.
_MOST_MOVED = 160
# A card counts in full, as PARTS, from this margin on. Drawn cards count as one of the table's.
_PLAIN = 192


# Outputs of the network: values, card, rectangle, and the three editions, in the labels' order.
OUTPUTS = 17
RECTANGLE = 13
EDITION = 14
# What is believed of a table's edition before a card is seen, and what a card can tell of it at most:
# natural logarithms, as PARTS.
_BEFORE = (0, -155, -244)
_MOST_TOLD = 192


def edition_of(table):
    """The edition of a table's cards, by the logits (in PARTS) of all: 0 the classic one, 1 the one with
    rectangles, 2 a deck that it does not know."""
    told = list(_BEFORE)
    for x in table:
        if x[12] > 0:
            most = max(x[EDITION], x[EDITION + 1], x[EDITION + 2])
            for e in range(3):
                told[e] -= min(most - x[EDITION + e], _MOST_TOLD)
    return told.index(max(told))


def _ahead(x, first):
    """The best of three values, and how much the card counts."""
    a, best, second = 0, x[first], -(1 << 20)
    for b in (1, 2):
        v = x[first + b]
        if v > best:
            a, best, second = b, v, best
        elif v > second:
            second = v
    return a, min(PARTS, (best - second) * PARTS // _PLAIN)


def weigh(table):
    """Weighs the logits (in PARTS) of a table's cards, shading and colour by the table's others: all are
    of one deck in one light, so that what is pale for a striped card or red for a purple one shows in
    the rest. Values lie in two heaps; the line between them is moved to their middle."""
    for first, usual, gain in _AHEAD:
        sums = [[0] * 3, [0] * 3, [0] * 3]
        counts = [0] * 3
        for x in table:
            a, share = _ahead(x, first)
            counts[a] += share
            for b in range(3):
                sums[a][b] += share * (x[first + a] - x[first + b] - usual[a][b])
        for x in table:
            a, share = _ahead(x, first)
            for b in range(3):
                if b != a:
                    d = x[first + a] - x[first + b]
                    # Not by what it says itself.
                    own = sums[a][b] - share * (d - usual[a][b])
                    near = usual[a][b] + own // (counts[a] - share + PARTS)
                    far = usual[b][a] + sums[b][a] // (counts[b] + PARTS)
                    line = max(-_MOST_MOVED, min((near - far) // 2, _MOST_MOVED))
                    x[first + b] = x[first + a] - gain * (d - line) // 4
    return table


class Reading:
    """What is known of one card: logits, in PARTS, summed over the frames in which it was seen."""

    def __init__(self):
        self.logits = [0] * OUTPUTS
        self.frames = 0
        self.views = 0  # of VIEWS
        self.symbols = 0  # that the finder saw last
        self.code = None  # card 0 to 80
        self.sure_frames = 0  # in a row, of the same card
        self.miscounted = 0  # frames in a row
        self.is_card = False

    def view(self, corners):
        """The corners to read the next frame's card by."""
        turn, dx, dy = VIEWS[self.views % len(VIEWS)]
        self.views += 1
        return [(p[0] + dx, p[1] + dy) for p in corners[turn:] + corners[:turn]]

    def add(self, logits, symbols=0):
        """Takes in a frame's logits, and how many symbols the finder saw (0: not known)."""
        # Old frames fade: a card that is exchanged is read anew.
        if self.frames >= 8:
            self.frames = 7
            for i in range(OUTPUTS):
                self.logits[i] = self.logits[i] * 7 // 8
        for i in range(OUTPUTS):
            self.logits[i] += int(logits[i] * PARTS)
        self.frames += 1
        self.symbols = symbols
        # What was met once stays until it is plainly missed, or it would flicker.
        self.is_card = self.card_logit() > PARTS * (CARD_LOGIT - (STEADY if self.is_card else 0))

    def mean(self):
        return [v // self.frames for v in self.logits]

    def plainness(self):
        """How much it looks like a card, and like one card more than like others, in PARTS."""
        return (self.logits[12] + best_card(self.logits)[1]) // self.frames if self.frames else 0

    def judge(self, logits, known=True):
        """Says what card it is by its logits in PARTS, its own or weighed by the table's; unsure where the
        deck is not known."""
        code, margin = best_card(logits)
        if code != self.code:
            self.code, self.sure_frames = code, 0
        # More symbols found than read: one lies outside the quad. Fewer say nothing, as glare or a flat
        # angle hides one from the finder.
        miscounted = self.symbols > code // 27 + 1
        self.miscounted = self.miscounted + 1 if miscounted else 0
        keep = STEADY if self.sure_frames else 0
        margin, card = margin / PARTS, logits[12] / PARTS
        if (
            not known
            or margin < MARGIN - keep
            or card < SURE_LOGIT - keep
            or (margin < WEAK_MARGIN - keep and card < WEAK_LOGIT - keep)
            or self.miscounted > (1 if keep else 0)
        ):
            self.sure_frames = 0
        else:
            self.sure_frames += 1

    def unsure(self):
        return self.sure_frames < SURE_FRAMES

    def card_logit(self):
        """In PARTS; 0 of one not read yet."""
        return self.logits[12] // self.frames if self.frames else 0


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
        """OUTPUTS numbers for a card's picture, straight and balanced."""
        if self.model is not None:
            out = self.model.predict([card])
            # One array of shape (1, 1, 1, 17); fewer dimensions on some versions.
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
        logits = self.logits(card)
        if logits[12] > 0:
            add_ink(logits, ink(card.bytearray()))
        return logits


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
    scores = [0.0] * OUTPUTS
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
        return [0.0] * 12 + [-4.0] + [0.0] * 4
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
        return [0.0] * 12 + [-4.0] + [0.0] * 4
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
    scores[12] = WEAK_LOGIT + 1
    scores[EDITION] = 3.0  # the one that these rules are for
    return scores
