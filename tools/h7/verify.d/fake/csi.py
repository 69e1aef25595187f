# A stand-in for the firmware's module csi (5.x).

import _firmware
import image

RGB565, QVGA = 2, 11


class CSI:
    def __init__(self):
        self._set = {}

    def reset(self):
        self._set = {}

    def pixformat(self, value):
        self._set["pixformat"] = value

    def framesize(self, value):
        self._set["framesize"] = value

    def snapshot(self, time=None):
        assert self._set == {"pixformat": RGB565, "framesize": QVGA}
        # Settling shows nothing of the table yet.
        handle = _firmware.make(320, 240) if time else _firmware.snapshot()
        return image.Image(320, 240, image.RGB565, handle)
