#!/usr/bin/env bash
# OpenCV's conversion of float pictures to CIE Lab is not computed but looked up in a coarse table and interpolated:
# dark colours are off by up to 0.4 in a or b, where floats promise four digits. Its Luv is right to 0.02. The one
# measure here is scikit-image, which computes both by their formulas.
#
# Hit: who tells red, green and purple inks by distances in Lab and carries thresholds or means from one library to the
# other, or from OpenCV to code of one's own on a board, and expects floats to agree to the third digit.
# To do: compute Lab by its formula in both, or compare with a tolerance of half a unit.
#
# opencv-python-headless 5.0.0.93, scikit-image 0.26.0; 2026-11-29.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
    opencv-python-headless==5.0.0.93 scikit-image==0.26.0 numpy==2.4.6
cd "$folder"
"$folder/venv/bin/python" <<'PYTHON'
import sys

import cv2
import numpy as np
import skimage
from skimage.color import rgb2lab, rgb2luv

print("OpenCV", cv2.__version__, "scikit-image", skimage.__version__)
levels = np.arange(0, 256, 5)
colours = np.stack(np.meshgrid(levels, levels, levels), -1).reshape(-1, levels.size, 3).astype(np.float32) / 255
off = {}
for name, code, computed in [("Lab", cv2.COLOR_RGB2LAB, rgb2lab), ("Luv", cv2.COLOR_RGB2LUV, rgb2luv)]:
    off[name] = np.abs(cv2.cvtColor(colours, code) - computed(colours)).max(axis=(0, 1))
    print(f"{name}: most that OpenCV is off, by channel: {off[name].round(3).tolist()}; expected below 0.03")
if not (off["Luv"].max() < 0.03 and 0.2 < off["Lab"].max() < 1):
    sys.exit("changed: OpenCV converts colours in another way than on 2026-11-29")
print("seen: only Lab is off")
PYTHON
