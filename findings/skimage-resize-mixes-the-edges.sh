#!/usr/bin/env bash
# Enlarging by scikit-image's resize does not keep the edges: half a pixel outside the picture it mirrors about the
# centre of the first pixel, not about its border, so the first pixel is blended with its neighbour. OpenCV and Pillow
# keep the edge's own level. mode="edge" and mode="symmetric" do too; the default is mode="reflect".
#
# Hit: who enlarges crops of cards by scikit-image for training or labels and by another library in use: the outermost
# rows of each crop differ by up to half of the step between two pixels, which is where a card's border lies.
# To do: pass mode="edge".
#
# scikit-image 0.26.0, opencv-python-headless 5.0.0.93, Pillow 13.0.0; 2026-11-29.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
    scikit-image==0.26.0 opencv-python-headless==5.0.0.93 pillow==13.0.0 numpy==2.4.6
cd "$folder"
"$folder/venv/bin/python" <<'PYTHON'
import sys

import cv2
import numpy as np
import PIL
import skimage
from PIL import Image
from skimage.transform import resize

print("scikit-image", skimage.__version__, "OpenCV", cv2.__version__, "Pillow", PIL.__version__)
step = np.array([[0, 200, 200, 100]], np.float32)
size = (1, 8)
seen = {
    "OpenCV": cv2.resize(step, size[::-1], interpolation=cv2.INTER_LINEAR)[0],
    "Pillow": np.asarray(Image.fromarray(step).resize(size[::-1], Image.Resampling.BILINEAR))[0],
    "scikit-image": resize(step, size, order=1, preserve_range=True)[0],
    "scikit-image, edge": resize(step, size, order=1, preserve_range=True, mode="edge")[0],
}
expected = [0, 50, 150, 200, 200, 175, 125, 100]
print("expected:", expected)
for name, values in seen.items():
    print(f"{name}: {values.round(2).tolist()}")
mixed = seen.pop("scikit-image")
if not all(np.allclose(values, expected, atol=0.01) for values in seen.values()):
    sys.exit("changed: one of the others no longer keeps the edges")
if not np.allclose(mixed, [50, *expected[1:-1], 125], atol=0.01):
    sys.exit("changed: scikit-image treats the edges in another way than on 2026-11-29")
print("seen: scikit-image's first level is 50 and its last one 125")
PYTHON
