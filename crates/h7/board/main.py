# Reads a table of SET cards and shows the sets. OpenMV Cam H7, firmware 4.5 to 5.x.
#
# Open it in the IDE and run it, or leave it on the board as main.py. One line of JSON goes over USB
# for each board:
#   {"cards": [{"code": "2spd", "unsure": false, "place": 0, "corners": [[x, y], ...]}],
#    "sets": [[0, 3, 7]]}
# "sets" are indices into "cards"; an unsure card takes part in none. "place" is 0 to 11 on a grid
# of three rows of four (seen by the camera), or null.

import gc
import json

import card_finder
import card_reader
import set_finder

FRAMES_BEFORE_SPEAKING = 3  # frames that the cards read surely must stay the same for
FRAMES_OF_PATIENCE = 6  # after so many it is spoken of though it does not
FRAMES_FORGOTTEN = 3  # a card not seen for so many frames is gone
NEAR = 14  # pixels: nearer than this it is the same card as in the last frame
READ_A_FRAME = 28  # most cards read in a frame: each costs some time
NO_CARD = -1.0  # a card-or-not output below this is not read again
FRAMES_UNREAD = 4  # for so many frames
SAME = 5  # within so many pixels
APART = 0.6  # parts of a short side: nearer than this are two quads of one card
COLORS = ((255, 60, 60), (60, 220, 60), (80, 120, 255), (255, 200, 0), (255, 0, 255), (0, 230, 230))
LIMIT = None  # number of frames to run for; None is for ever


def show_places(places):
    """Shows the places (0 to 11) of a set on your display of 3 x 4 lights; () puts all out. Adapt
    it: the example below is for 12 LEDs in a row on a WS2812 strip.

        for i in range(12):
            strip[i] = (0, 40, 0) if i in places else (0, 0, 0)
        strip.write()
    """


# ---- the camera ---------------------------------------------------------------------------------


class Camera:
    """Frames of 320 x 240 in RGB565, from the module csi (5.x, late 4.x) or sensor."""

    def __init__(self):
        try:
            import csi

            camera = csi.CSI()
            camera.reset()
            camera.pixformat(csi.RGB565)
            camera.framesize(csi.QVGA)
            self.snapshot = camera.snapshot
            self._settle(camera)
        except ImportError:
            import sensor

            sensor.reset()
            sensor.set_pixformat(sensor.RGB565)
            sensor.set_framesize(sensor.QVGA)
            self.snapshot = sensor.snapshot
            if hasattr(sensor, "skip_frames"):
                sensor.skip_frames(time=1500)

    def _settle(self, camera):
        # Exposure and white balance need some frames.
        if hasattr(camera, "snapshot"):
            try:
                camera.snapshot(time=1500)
            except TypeError:
                for _ in range(30):
                    camera.snapshot()


# ---- the board ----------------------------------------------------------------------------------


def way_of(symbols):
    """In which of the finder's ways something was found, by its number of symbols."""
    return min(symbols, 1)


class Seen:
    """A card followed over frames."""

    def __init__(self, corners, symbols):
        self.place(corners)
        self.reading = card_reader.Reading()
        self.reading.symbols = symbols
        self.turned = False  # read by the sides that look shorter
        self.tried = None  # how much it looked like a card by the others
        self.missing = 0

    def place(self, corners):
        self.corners = corners
        self.center = card_finder.center(corners)

    def read(self, reader, img):
        corners = self.corners[1:] + self.corners[:1] if self.turned else self.corners
        return reader.read(img, self.reading.view(corners))

    def turn(self):
        """Of what was only seen to be white the long sides may look shorter, at a flat angle: the next
        reading is by the other sides. Back again where that is no better."""
        logit = self.reading.card_logit()
        if self.tried is None or self.tried > logit:
            self.turned = not self.turned
            symbols = self.reading.symbols
            self.reading = card_reader.Reading()
            self.reading.symbols = symbols
        self.tried = logit


class Table:
    """All cards followed."""

    def __init__(self, reader, finder):
        self.reader = reader
        self.finder = finder
        self.cards = []
        self.no_cards = []  # [x, y, symbols, frames that are left of not reading it]
        self.still = 0
        self.waiting = 0  # frames that something new was not spoken of
        self.last_name = ""  # of the frame before
        self.last = ""  # spoken of

    def look(self, img):
        """Takes a frame in. True when there is a board to speak of that is new."""
        for card in self.cards:
            card.missing += 1
        self.no_cards = [[x, y, n, left - 1] for x, y, n, left in self.no_cards if left > 1]
        found = []
        for corners, symbols in self.finder.cards(img):
            middle = card_finder.center(corners)
            known = self.known_at(middle, symbols)
            if known is None:
                if self.is_no_card(middle, symbols):
                    continue
                known = Seen(corners, symbols)
                self.cards.append(known)
            known.place(corners)
            known.missing = 0
            found.append((known, symbols))
        # Where they are too many those that were read least.
        found.sort(key=lambda entry: entry[0].reading.views)
        for known, symbols in found[:READ_A_FRAME]:
            known.reading.add(known.read(self.reader, img), symbols)
            if known.reading.card_logit() < card_reader.PARTS * NO_CARD:
                if symbols <= 0 and known.tried is None:
                    known.turn()
                else:
                    self.cards.remove(known)
                    self.no_cards.append([known.center[0], known.center[1], symbols, FRAMES_UNREAD])
        self.look_again(img)
        self.cards = [card for card in self.cards if card.missing < FRAMES_FORGOTTEN]
        self.judge()
        board = self.board()
        # What is unsure may come and go.
        name = "".join(sorted([set_finder.code(card) for _, card, unsure, _ in board if not unsure]))
        if name == self.last_name:
            self.still += 1
        else:
            self.still, self.last_name = 1, name
        self.waiting = self.waiting + 1 if name != self.last else 0
        if self.waiting and (self.still >= FRAMES_BEFORE_SPEAKING or self.waiting >= FRAMES_OF_PATIENCE):
            self.last, self.waiting = name, 0
            return True
        return False

    def look_again(self, img):
        """Cards that were not found in this frame are mostly where they were: read there."""
        for card in self.apart():
            if card.missing:
                logits = card.read(self.reader, img)
                if logits[12] > card_reader.CARD_LOGIT:
                    card.reading.add(logits, card.reading.symbols)
                    card.missing = 0

    def is_no_card(self, middle, symbols):
        """Whether this was read a few frames ago and did not look like a card."""
        for x, y, count, _ in self.no_cards:
            if abs(x - middle[0]) < SAME and abs(y - middle[1]) < SAME and way_of(count) == way_of(symbols):
                return True
        return False

    def judge(self):
        """What each card is, by all of them; of those not seen in this frame nothing new is said."""
        apart = self.apart()
        table = [card.reading.mean() for card in apart]
        edition = card_reader.edition_of(table)
        if edition == 1:
            for logits in table:
                logits[9] = logits[card_reader.RECTANGLE]
        weighed = card_reader.weigh(table)
        for card, logits in zip(apart, weighed):
            if not card.missing or card.reading.code is None:
                card.reading.judge(logits, edition < 2)
                # The other window on a card may have said the same in the frames before.
                if card.reading.sure_frames == 1:
                    for other in self.cards:
                        if other.reading.code == card.reading.code and not other.reading.unsure():
                            if card_finder.distance(card.center, other.center) < NEAR:
                                card.reading.sure_frames = card_reader.SURE_FRAMES

    def known_at(self, middle, symbols):
        """The nearest card of the frames before that is not yet seen in this one, or None; rather one
        found in the same way, as two windows may lie on a card."""
        best, least = None, NEAR * NEAR
        for card in self.cards:
            dx, dy = card.center[0] - middle[0], card.center[1] - middle[1]
            way = dx * dx + dy * dy
            if way_of(card.reading.symbols) != way_of(symbols):
                way += NEAR * NEAR / 2
            if card.missing and way < least:
                best, least = card, way
        return best

    def apart(self):
        """The cards without those that lie on one that looks more like a card and is read more plainly."""
        kept = []
        cards = [card for card in self.cards if card.reading.is_card]
        for card in sorted(cards, key=lambda c: -c.reading.plainness()):
            alone = True
            # Whole numbers take no memory.
            reach = int((APART * card_finder.short_side(card.corners)) ** 2)
            x, y = card.center
            for other in kept:
                dx, dy = other.center[0] - x, other.center[1] - y
                if dx * dx + dy * dy < reach:
                    alone = False
                    break
            if alone:
                kept.append(card)
        return kept

    def board(self):
        """[(corners, card, unsure, place)], row by row from the left."""
        cards = self.apart()
        places = grid_places([card.center for card in cards], [height(card.corners) for card in cards])
        board = []
        taken = {}
        for at, place in places:
            seen = cards[at]
            card, unsure = seen.reading.code, seen.reading.unsure()
            # A deck has each card once: of two alike at least one is misread.
            if not unsure:
                if card in taken:
                    unsure = True
                    other = board[taken[card]]
                    board[taken[card]] = (other[0], other[1], True, other[3])
                else:
                    taken[card] = len(board)
            board.append((seen.corners, card, unsure, place))
        return board


def height(corners):
    ys = [p[1] for p in corners]
    return max(ys) - min(ys)


def _groups(values, step):
    """Values in order, a new group where the next is more than a step away: group of each."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    group = [0] * len(values)
    number, last = 0, None
    for i in order:
        if last is not None and values[i] - last > step:
            number += 1
        group[i], last = number, values[i]
    return group, number + 1 if values else 0


def grid_places(centers, heights):
    """[(index, place)] in reading order. A place is 4 * row + column on a grid of three rows of
    four that has gaps where cards are missing; None for all when the table is no such grid."""
    if not centers:
        return []
    typical = sorted(heights)[len(heights) // 2]
    rows, row_count = _groups([c[1] for c in centers], typical * 0.45)
    columns, column_count = _groups([c[0] for c in centers], typical * 0.45)
    order = sorted(range(len(centers)), key=lambda i: (rows[i], centers[i][0]))
    fits = row_count <= 3 and column_count <= 4
    return [(i, 4 * rows[i] + columns[i] if fits else None) for i in order]


def describe(board):
    """The board as JSON, and its sets."""
    sets = set_finder.find_sets([None if unsure else card for _, card, unsure, _ in board])
    cards = [
        {
            "code": set_finder.code(card),
            "unsure": unsure,
            "place": place,
            "corners": [[p[0], p[1]] for p in corners],
        }
        for corners, card, unsure, place in board
    ]
    return json.dumps({"cards": cards, "sets": [list(s) for s in sets]}), sets


def outline(img, corners, color, grow):
    middle = card_finder.center(corners)
    points = []
    for x, y in corners:
        points.append(
            (
                x + (grow if x > middle[0] else -grow),
                y + (grow if y > middle[1] else -grow),
            )
        )
    for i in range(4):
        a, b = points[i], points[(i + 1) % 4]
        img.draw_line(a[0], a[1], b[0], b[1], color=color, thickness=2)


def draw(img, board, sets):
    """Frames around the cards of each set, a letter code on each card, ? where unsure."""
    for corners, card, unsure, _ in board:
        x, y = card_finder.center(corners)
        text = set_finder.code(card) + ("?" if unsure else "")
        color = (128, 128, 128) if unsure else (0, 0, 0)
        img.draw_string(x - 16, y - 5, text, color=color, mono_space=False)
        if unsure:
            outline(img, corners, (128, 128, 128), 0)
    for number, places in enumerate(sets):
        for i in places:
            # Each set's frame a little further out, so that all can be seen.
            outline(img, board[i][0], COLORS[number % len(COLORS)], 1 + 3 * (number % 4))


def run(limit=None):
    camera = Camera()
    reader = card_reader.Reader()
    table = Table(reader, card_finder.Finder())
    frames = shown = 0
    while limit is None or frames < limit:
        img = camera.snapshot()
        new = table.look(img)
        board = table.board()
        text, sets = describe(board)
        if new:
            print(text)
        if table.still >= FRAMES_BEFORE_SPEAKING and sets:
            # One set after the other on the lights, each for a while.
            places = [board[i][3] for i in sets[shown // 20 % len(sets)]]
            show_places([p for p in places if p is not None])
            shown += 1
        else:
            show_places(())
        draw(img, board, sets)
        frames += 1
        gc.collect()


if __name__ == "__main__":
    run(LIMIT)
