# A stand-in for the firmware's module image: pictures live in JavaScript (see firmware.mjs).
# SHAPE is "4" (results have methods, no ccm here) or "5" (results have attributes, ccm).

import json

import _firmware

GRAYSCALE = 1
RGB565 = 2


class _Result:
    """Named values: methods on 4.x, attributes on 5.x."""

    def __init__(self, values):
        for name, value in values.items():
            if _firmware.shape() == "4":
                setattr(self, name, lambda value=value: value)
            else:
                setattr(self, name, value)


class _Histogram:
    def __init__(self, handle, roi):
        self.of = (handle, json.dumps(roi))

    def get_threshold(self):
        return _Result({"l_value": _firmware.otsu(*self.of), "a_value": 0, "b_value": 0})

    def get_percentile(self, part):
        value = _firmware.percentile(self.of[0], self.of[1], part)
        return _Result({"l_value": value, "a_value": 0, "b_value": 0})


class Image:
    def __init__(self, width, height, pixformat, handle=None):
        assert pixformat in (GRAYSCALE, RGB565)
        self._gray = pixformat == GRAYSCALE
        self._handle = _firmware.make(width, height, self._gray) if handle is None else handle
        self._width, self._height = width, height
        self._data = None

    def __del__(self):
        pass

    def _sync(self):
        # What a script wrote into the bytes.
        if self._data is not None:
            _firmware.set_bytes(self._handle, self._data.hex())
            self._data = None
        return self._handle

    def width(self):
        return self._width

    def height(self):
        return self._height

    def bytearray(self):
        assert not self._gray
        if self._data is None:
            self._data = bytearray(bytes.fromhex(_firmware.get_bytes(self._handle)))
        return self._data

    def set_pixel(self, x, y, color):
        _firmware.set_pixel(self._sync(), x, y, (color[0] >> 3) << 11 | (color[1] >> 2) << 5 | color[2] >> 3)

    def get_pixel(self, x, y):
        v = _firmware.get_pixel(self._sync(), x, y)
        if self._gray:
            return v
        r, g, b = v >> 11, v >> 5 & 63, v & 31
        return (r << 3 | r >> 2, g << 2 | g >> 4, b << 3 | b >> 2)

    def get_histogram(self, roi=None):
        roi = roi or (0, 0, self._width, self._height)
        return _Histogram(self._sync(), roi)

    def draw_image(self, img, x, y):
        # Only a colour picture over a grey one of its size.
        assert self._gray and not img._gray and (x, y) == (0, 0)
        _firmware.draw_image(self._sync(), img._sync())
        return self

    def mean(self, size, threshold=False, offset=0, invert=False):
        assert self._gray and threshold
        _firmware.adaptive_threshold(self._sync(), size, offset, invert)
        return self

    def dilate(self, size):
        assert self._gray
        _firmware.dilate(self._sync(), size)
        return self

    def find_blobs(
        self, thresholds, x_stride=2, y_stride=1, pixels_threshold=10, area_threshold=10, merge=False
    ):
        assert y_stride == 1 and not merge
        (wanted,) = thresholds
        low, high = wanted[0], wanted[1]
        if self._gray:
            assert len(wanted) == 2
        else:
            assert wanted[2:] == (-128, 127, -128, 127)
        found = json.loads(
            _firmware.find_blobs(self._sync(), low, high, pixels_threshold, area_threshold, x_stride)
        )
        for blob in found:
            for name in ("corners", "min_corners"):
                blob[name] = [tuple(p) for p in blob[name]]
        return [_Result(blob) for blob in found]

    def copy(self, roi=None, x_scale=1.0, y_scale=1.0):
        x, y, w, h = roi or (0, 0, self._width, self._height)
        assert 0 <= x and 0 <= y and 0 < w and 0 < h and x + w <= self._width and y + h <= self._height
        handle = _firmware.copy(self._sync(), json.dumps((x, y, w, h)), x_scale, y_scale)
        pixformat = GRAYSCALE if self._gray else RGB565
        return Image(int(w * x_scale), int(h * y_scale), pixformat, handle)

    def rotation_corr(self, corners):
        assert len(corners) == 4
        _firmware.rotation_corr(self._sync(), json.dumps(corners))
        return self

    def draw_line(self, x0, y0, x1, y1, color=None, thickness=1):
        for v in (x0, y0, x1, y1):
            assert isinstance(v, int)
        assert len(color) == 3
        _firmware.drawn("line")
        return self

    def draw_string(self, x, y, text, color=None, scale=1, mono_space=True):
        assert isinstance(x, int) and isinstance(y, int) and isinstance(text, str)
        _firmware.drawn("text")
        return self


if _firmware.shape() == "5":

    def _ccm(self, matrix):
        (r, z0, z1), (z2, g, z3), (z4, z5, b) = matrix
        assert not (z0 or z1 or z2 or z3 or z4 or z5)
        _firmware.gains(self._sync(), r, g, b)
        return self

    Image.ccm = _ccm
