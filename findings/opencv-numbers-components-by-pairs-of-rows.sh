#!/usr/bin/env bash
# cv2.connectedComponents does not number components in the order of reading. Its default algorithm scans blocks of two
# by two pixels, so in each pair of rows the one more to the left comes first, even where it begins a row lower. Only
# the algorithms CCL_WU and CCL_SAUF number as scikit-image and SciPy do.
#
# Hit: who takes component 1 as "the first card" or compares labels of two libraries: most pictures agree, until a card
# at the right begins one row higher than one at the left.
# To do: sort by the components' boxes, or ask for cv2.CCL_WU by connectedComponentsWithAlgorithm.
#
# opencv-python-headless 5.0.0.93, scikit-image 0.26.0; 2026-11-29.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
    opencv-python-headless==5.0.0.93 scikit-image==0.26.0 scipy==1.17.1 numpy==2.4.6
cd "$folder"
"$folder/venv/bin/python" <<'PYTHON'
import sys

import cv2
import numpy as np
import scipy.ndimage
import skimage
from skimage.measure import label

print("OpenCV", cv2.__version__, "scikit-image", skimage.__version__, "SciPy", scipy.__version__)
whole = np.ones((3, 3), int)


def firsts(labels):
    """The numbers of the left and of the right thing."""
    return [int(labels[2, 1]), int(labels[2, 6])]


seen = {}
for top_row in (0, 1):
    mask = np.zeros((4, 8), np.uint8)
    mask[top_row + 1:, 1] = 1  # at the left, and one row lower than
    mask[top_row:, 6] = 1  # what is at the right
    fixed = cv2.connectedComponentsWithAlgorithm(mask, 8, cv2.CV_32S, cv2.CCL_WU)[1]
    seen[top_row] = [firsts(cv2.connectedComponents(mask)[1]), firsts(fixed), firsts(label(mask)),
                     firsts(scipy.ndimage.label(mask, whole)[0])]
    print(f"right one from row {top_row}: expected [2, 1], OpenCV {seen[top_row][0]}, with CCL_WU {seen[top_row][1]}, "
          f"scikit-image {seen[top_row][2]}, SciPy {seen[top_row][3]}")
reading = [2, 1]
if seen != {0: [[1, 2], reading, reading, reading], 1: [reading, reading, reading, reading]}:
    sys.exit("changed: components are numbered in another way than on 2026-11-29")
print("seen: OpenCV's numbers swap if the same picture begins one row lower")
PYTHON
