# A stand-in for the firmware's module sensor (4.x).

import _firmware
import image

RGB565, QVGA = 2, 11
_set = {}


def reset():
    _set.clear()


def set_pixformat(value):
    _set["pixformat"] = value


def set_framesize(value):
    _set["framesize"] = value


def skip_frames(time=300):
    assert _set == {"pixformat": RGB565, "framesize": QVGA}


def snapshot():
    assert _set == {"pixformat": RGB565, "framesize": QVGA}
    return image.Image(320, 240, image.RGB565, _firmware.snapshot())
