# The first check on a new board: are the files complete, and does the network here compute what it
# computes on the desktop? Run it in the IDE. Every line ends in "ok" or says what is wrong.

import struct
import time

import image

import card_reader
import set_finder

PICTURE = 96 * 64 // 2


def ticks():
    return time.ticks_ms() if hasattr(time, "ticks_ms") else int(time.time() * 1000)


def picture(colors, pixels):
    """A picture of 96 x 64 from 16 colours, two pixels to a byte."""
    img = image.Image(96, 64, image.RGB565)
    for i in range(PICTURE):
        y, x = i // 48, i % 48 * 2
        img.set_pixel(x, y, colors[pixels[i] & 15])
        img.set_pixel(x + 1, y, colors[pixels[i] >> 4])
    return img


def rgb(v):
    r, g, b = v >> 11, v >> 5 & 63, v & 31
    return (r << 3 | r >> 2, g << 2 | g >> 4, b << 3 | b >> 2)


def check_sets():
    board = [set_finder.parse(c) for c in "1fgd 2opo 3srs 1opo 3opo".split()]
    return set_finder.find_sets(board) == [(0, 1, 2), (1, 3, 4)]


def check_network(path="golden.bin"):
    """(pictures, outputs that differ, largest difference, ms for one card)."""
    reader = card_reader.Reader()
    if reader.classical():
        raise RuntimeError("the network could not be loaded: is card.tflite there, is the heap free?")
    with open(path, "rb") as file:
        header = file.read(24)
        if len(header) < 24 or header[:4] != b"SSG1":
            raise RuntimeError("golden.bin is damaged or of another version; copy it again")
        count, outputs = struct.unpack("<HH", header[4:8])
        scale, zero = struct.unpack("<fi", header[16:24])
        wrong = largest = spent = 0
        for n in range(count):
            said = file.read(outputs + 1)
            colors = file.read(32)
            pixels = file.read(PICTURE)
            if len(pixels) < PICTURE:
                raise RuntimeError("golden.bin is cut short; copy it again")
            colors = [rgb(v) for v in struct.unpack("<16H", colors)]
            img = picture(colors, pixels)
            start = ticks()
            logits = reader.logits(img)
            spent += ticks() - start
            for i in range(outputs):
                expected = said[i] - 256 if said[i] > 127 else said[i]
                got = int(round((logits[i] + card_reader.OUTPUT_OFFSET) / scale)) + zero
                if got != expected:
                    wrong += 1
                    largest = max(largest, abs(got - expected))
            card = card_reader.best_card(logits)[0]
            print("  picture", n + 1, "read as", set_finder.code(card), "drawn as", set_finder.code(said[outputs]))
        return count, wrong, largest, spent // count


def run():
    print("set finder:", "ok" if check_sets() else "WRONG: copy set_finder.py again")
    try:
        count, wrong, largest, ms = check_network()
    except (RuntimeError, OSError) as error:
        print("network: WRONG:", error)
        return False
    if wrong:
        print("network: WRONG:", wrong, "outputs differ, by up to", largest)
    else:
        print("network:", count, "pictures, every output as on the desktop, ok")
    print("one card takes", ms, "ms in the network")
    return wrong == 0


if __name__ == "__main__":
    run()
