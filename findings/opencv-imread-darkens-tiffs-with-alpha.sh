#!/usr/bin/env bash
# OpenCV multiplies the colours of an 8-bit TIFF by its alpha, whatever is asked for: as colour, though IMREAD_COLOR
# drops alpha, as grey, and as IMREAD_UNCHANGED. With an alpha of 64 a 200 becomes a 50. The same pixels as PNG stay
# as they are, and so do OpenCV's own TIFFs, because they are written with an extra sample of no stated kind.
#
# Hit: who exports cut-out cards or crops as TIFF with transparency (Pillow and most editors of photos write such) and
# reads them by imread: soft edges and half-clear parts turn dark, a card's shading is another, an alpha of 0 is black.
# To do: store crops without alpha or as PNG, or read TIFF by Pillow. No flag of imread helps.
#
# opencv-python-headless 5.0.0.93, Pillow 13.0.0; 2026-11-29.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
    opencv-python-headless==5.0.0.93 pillow==13.0.0 numpy==2.4.6
cd "$folder"
"$folder/venv/bin/python" <<'PYTHON'
import sys

import cv2
import numpy as np
import PIL
from PIL import Image

print("OpenCV", cv2.__version__, "Pillow", PIL.__version__)
pixels = np.empty((4, 4, 4), np.uint8)
pixels[..., :3], pixels[..., 3] = 200, 64
for name in ("pillow.tif", "pillow.png"):
    Image.fromarray(pixels, "RGBA").save(name)
cv2.imwrite("opencv.tif", pixels)

seen = {}
for name in ("pillow.png", "opencv.tif", "pillow.tif"):
    colour = cv2.imread(name, cv2.IMREAD_COLOR)[0, 0].tolist()
    grey = int(cv2.imread(name, cv2.IMREAD_GRAYSCALE)[0, 0])
    stored = cv2.imread(name, cv2.IMREAD_UNCHANGED)[0, 0].tolist()
    seen[name] = colour, grey, stored
    print(f"{name}: colour {colour}, grey {grey}, unchanged {stored}")
print("expected: 200 for each colour and for grey, and an alpha of 64 in what is unchanged")

kept = ([200, 200, 200], 200, [200, 200, 200, 64])
darkened = ([50, 50, 50], 50, [50, 50, 50, 64])
if seen != {"pillow.png": kept, "opencv.tif": kept, "pillow.tif": darkened}:
    sys.exit("changed: OpenCV reads these files in another way than on 2026-11-29")
print("seen: only Pillow's TIFF is darkened")
PYTHON
