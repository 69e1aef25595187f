"""Tries the data set of a program without PyTorch: a stand-in has what it takes of it.

without_torch.py PROGRAM
"""

import itertools
import runpy
import sys
import types

import numpy as np


class Tensor(np.ndarray):
    """What the data set does with tensors."""

    def permute(self, *axes):
        return self.transpose(*axes)


worker = types.SimpleNamespace(id=0, num_workers=1)
torch, utils, data = map(types.ModuleType, ("torch", "torch.utils", "torch.utils.data"))
torch.from_numpy = lambda array: array.view(Tensor)
torch.tensor = np.asarray
data.IterableDataset, data.DataLoader = object, None
data.get_worker_info = lambda: worker
sys.modules.update({"torch": torch, "torch.utils": utils, "torch.utils.data": data})

tables = runpy.run_path(sys.argv[1])["DrawnTables"]
options = {"kind": "plain", "size": (320, 240)}
alone = list(itertools.islice(tables(seed=1, **options), 4))
assert all(p.shape == (3, 240, 320) and p.dtype == np.uint8 and c.shape[1:] == (4, 2) for p, c in alone)
# Two workers draw what one draws, each its half.
worker.num_workers = 2
for worker.id in (0, 1):
    half = itertools.islice(tables(seed=1, **options), 2)
    assert all(np.array_equal(p, alone[worker.id + 2 * i][0]) for i, (p, _) in enumerate(half))
print("drawn_tables.py: shapes and shares are right, with a stand-in for PyTorch")
