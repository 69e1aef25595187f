// What the firmware's image methods do to RGB565 pictures, as read in its sources: enough of it to
// run the board's scripts. Pictures are {width, height, pixels}: Uint16Array of RGB565 or Uint8Array
// of grey.

const fields = (p) => [p >> 11, (p >> 5) & 63, p & 31];

// CIE lightness (0 to 100) of every RGB565 value.
const LIGHTNESS = (() => {
  const linear = (v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  const table = new Uint8Array(65536);
  for (let p = 0; p < 65536; p++) {
    const [r, g, b] = fields(p);
    const y = 0.2126 * linear(r / 31) + 0.7152 * linear(g / 63) + 0.0722 * linear(b / 31);
    table[p] = Math.floor(y > 0.008856 ? 116 * Math.cbrt(y) - 16 : 903.3 * y);
  }
  return table;
})();

export function make(width, height, gray = false) {
  const pixels = gray ? new Uint8Array(width * height) : new Uint16Array(width * height);
  return { width, height, pixels };
}

// 8 bits a channel: the upper bits repeated below.
export const channels = (p) => {
  const [r, g, b] = fields(p);
  return [(r << 3) | (r >> 2), (g << 2) | (g >> 4), (b << 3) | (b >> 2)];
};

// Grey of every RGB565 value, in the firmware's whole numbers.
const GRAY = (() => {
  const table = new Uint8Array(65536);
  for (let p = 0; p < 65536; p++) {
    const [r, g, b] = channels(p);
    table[p] = (r * 38 + g * 75 + b * 15) >> 7;
  }
  return table;
})();

// Draws a colour picture over a grey one of its size.
export function drawImage(gray, img) {
  if (gray.width !== img.width || gray.height !== img.height) throw new Error("sizes differ");
  img.pixels.forEach((p, i) => (gray.pixels[i] = GRAY[p]));
}

// Of a grey picture, in place: 255 where the mean of (2 reach + 1)^2 pixels less the offset is below
// the pixel, or with invert where it is not; else 0. Pixels beyond the border are those on it; the
// mean is the sum times a reciprocal of 16 bits.
export function adaptiveThreshold(img, reach, offset, invert) {
  const { width, height, pixels } = img;
  const size = 2 * reach + 1;
  const reciprocal = Math.floor(65536 / (size * size));
  const clamp = (v, limit) => Math.max(0, Math.min(v, limit - 1));
  // Sums along rows, then along columns.
  const sums = new Int32Array(width * height);
  for (let y = 0; y < height; y++) {
    let sum = 0;
    for (let k = -reach; k <= reach; k++) sum += pixels[y * width + clamp(k, width)];
    for (let x = 0; x < width; x++) {
      sums[y * width + x] = sum;
      sum += pixels[y * width + clamp(x + reach + 1, width)] - pixels[y * width + clamp(x - reach, width)];
    }
  }
  const out = new Uint8Array(width * height);
  for (let x = 0; x < width; x++) {
    let sum = 0;
    for (let k = -reach; k <= reach; k++) sum += sums[clamp(k, height) * width + x];
    for (let y = 0; y < height; y++) {
      const mean = Math.floor((sum * reciprocal) / 65536);
      out[y * width + x] = mean - offset < pixels[y * width + x] !== invert ? 255 : 0;
      sum += sums[clamp(y + reach + 1, height) * width + x] - sums[clamp(y - reach, height) * width + x];
    }
  }
  pixels.set(out);
}

// Of a picture of 0 and 255, in place: 255 where one of the (2 reach + 1)^2 pixels around is.
export function dilate(img, reach) {
  const { width, height, pixels } = img;
  const out = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (!pixels[y * width + x]) continue;
      for (let v = Math.max(0, y - reach); v <= Math.min(height - 1, y + reach); v++) {
        for (let u = Math.max(0, x - reach); u <= Math.min(width - 1, x + reach); u++) out[v * width + u] = 255;
      }
    }
  }
  pixels.set(out);
}

// How many pixels of a part of the picture have each lightness.
function histogram(img, [x, y, w, h]) {
  const counts = new Array(101).fill(0);
  for (let j = y; j < y + h; j++) {
    for (let i = x; i < x + w; i++) counts[LIGHTNESS[img.pixels[j * img.width + i]]]++;
  }
  return counts;
}

// The lightness below which a part (0 to 1) of the pixels lies.
export function percentile(img, roi, part) {
  let seen = 0;
  const rank = roi[2] * roi[3] * part;
  return histogram(img, roi).findIndex((n) => (seen += n) >= rank);
}

// Otsu's threshold of the lightness in a part of the picture.
export function otsu(img, roi) {
  const counts = histogram(img, roi);
  const total = roi[2] * roi[3];
  const sum = counts.reduce((s, n, v) => s + n * v, 0);
  let [below, sumBelow, best, at] = [0, 0, -1, 0];
  for (let v = 0; v <= 100; v++) {
    below += counts[v];
    if (below === 0 || below === total) continue;
    sumBelow += v * counts[v];
    const gap = sumBelow / below - (sum - sumBelow) / (total - below);
    const between = below * (total - below) * gap * gap;
    if (between > best) [best, at] = [between, v];
  }
  return at;
}

// Directions in which a blob's extremes are kept: 20 steps of a turn. The first is to the left, the
// sixth up.
const DIRECTIONS = Array.from({ length: 20 }, (_, i) => {
  const angle = (i * Math.PI) / 10;
  return [Math.cos(angle), Math.sin(angle)].map((v) => (Math.abs(v) < 1e-6 ? 0 : v));
});

// Connected pixels (sides, not corners) from a lightness, of a grey picture from a grey, up to
// another: corners in twenty directions, their smallest rectangle, the direction of their length.
export function findBlobs(img, low, high, leastPixels, leastArea, xStride) {
  const { width, height, pixels } = img;
  const value = pixels instanceof Uint8Array ? (p) => p : (p) => LIGHTNESS[p];
  const seen = new Uint8Array(width * height);
  const free = (x, y) => {
    const v = value(pixels[y * width + x]);
    return !seen[y * width + x] && v >= low && v <= high;
  };
  const found = [];
  for (let start = 0; start < pixels.length; start++) {
    const [startX, startY] = [start % width, (start / width) | 0];
    if ((startX - (startY % xStride)) % xStride !== 0 || !free(startX, startY)) continue;
    // Rows' runs of pixels: left, right, row.
    const runs = [];
    const stack = [[startX, startY]];
    while (stack.length) {
      const [x, y] = stack.pop();
      if (!free(x, y)) continue;
      let [left, right] = [x, x];
      while (left > 0 && free(left - 1, y)) left--;
      while (right < width - 1 && free(right + 1, y)) right++;
      for (let i = left; i <= right; i++) seen[y * width + i] = 1;
      runs.push([left, right, y]);
      for (let i = left; i <= right; i++) {
        if (y > 0) stack.push([i, y - 1]);
        if (y < height - 1) stack.push([i, y + 1]);
      }
    }
    const count = runs.reduce((n, [left, right]) => n + right - left + 1, 0);
    const w = Math.max(...runs.map((r) => r[1])) - Math.min(...runs.map((r) => r[0])) + 1;
    const h = Math.max(...runs.map((r) => r[2])) - Math.min(...runs.map((r) => r[2])) + 1;
    if (count < leastPixels || w * h < leastArea) continue;
    // The firmware keeps the end of a run that lies furthest; of several as far, their mean in
    // whole numbers.
    const points = DIRECTIONS.map(([dx, dy]) => {
      let [best, x, y, n] = [Infinity, 0, 0, 0];
      for (const [left, right, row] of runs) {
        const end = dx > 0 ? left : dx < 0 ? right : Math.floor((left + right) / 2);
        const z = end * dx + row * dy;
        if (z < best - 1e-4) [best, x, y, n] = [z, end, row, 1];
        else if (z < best + 1e-4) {
          [x, y, n] = [Math.floor((end + n * x) / (n + 1)), Math.floor((row + n * y) / (n + 1)), n + 1];
        }
      }
      return [x, y];
    });
    found.push({
      pixels: count,
      rotation: rotation(runs, count),
      corners: [0, 5, 10, 15].map((i) => points[i]),
      min_corners: smallestRectangle(points),
    });
  }
  return found;
}

// The angle of the principal axis from the x axis, y down, in radians.
function rotation(runs, count) {
  let [sx, sy, sxx, sxy, syy] = [0, 0, 0, 0, 0];
  for (const [left, right, y] of runs) {
    for (let x = left; x <= right; x++) {
      sx += x;
      sy += y;
      sxx += x * x;
      sxy += x * y;
      syy += y * y;
    }
  }
  const a = sxx - (sx * sx) / count;
  const b = sxy - (sx * sy) / count;
  const c = syy - (sy * sy) / count;
  return a === c ? 0 : Math.atan2(2 * b, a - c) / 2;
}

// Corners of the smallest rectangle around a convex polygon: one side lies on a side of it.
function smallestRectangle(points) {
  let [least, best] = [Infinity, [points[0], points[5], points[10], points[15]]];
  for (let i = 0; i < points.length; i++) {
    const [a, b] = [points[i], points[(i + 1) % points.length]];
    const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
    if (length < 1) continue;
    const [ux, uy] = [(b[0] - a[0]) / length, (b[1] - a[1]) / length];
    const along = points.map(([x, y]) => x * ux + y * uy);
    const across = points.map(([x, y]) => y * ux - x * uy);
    const [s0, s1] = [Math.min(...along), Math.max(...along)];
    const [t0, t1] = [Math.min(...across), Math.max(...across)];
    const area = (s1 - s0) * (t1 - t0);
    if (area < least) {
      least = area;
      best = [[s0, t0], [s1, t0], [s1, t1], [s0, t1]].map(([s, t]) => [
        Math.round(s * ux - t * uy),
        Math.round(s * uy + t * ux),
      ]);
    }
  }
  return best;
}

// A part of a picture, scaled by taking the nearest pixel; sizes are rounded down.
export function copy(img, [x, y, w, h], xScale, yScale) {
  const out = make(Math.floor(w * xScale), Math.floor(h * yScale), img.pixels instanceof Uint8Array);
  for (let j = 0; j < out.height; j++) {
    for (let i = 0; i < out.width; i++) {
      const [u, v] = [Math.floor((i * w) / out.width), Math.floor((j * h) / out.height)];
      out.pixels[j * out.width + i] = img.pixels[(y + v) * img.width + x + u];
    }
  }
  return out;
}

// Solves a system of linear equations given as rows [coefficients..., right side].
function solve(rows) {
  const n = rows.length;
  for (let c = 0; c < n; c++) {
    let pivot = c;
    for (let r = c; r < n; r++) if (Math.abs(rows[r][c]) > Math.abs(rows[pivot][c])) pivot = r;
    if (Math.abs(rows[pivot][c]) < 1e-9) return null;
    [rows[c], rows[pivot]] = [rows[pivot], rows[c]];
    for (let r = 0; r < n; r++) {
      if (r === c) continue;
      const factor = rows[r][c] / rows[c][c];
      for (let k = c; k <= n; k++) rows[r][k] -= factor * rows[c][k];
    }
  }
  return rows.map((row, i) => row[n] / row[i]);
}

// The quad fills the picture: nearest pixel, black outside, in place.
export function rotationCorr(img, corners) {
  const { width, height } = img;
  const full = [[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]];
  const rows = full.flatMap(([x, y], i) => {
    const [u, v] = corners[i];
    return [
      [x, y, 1, 0, 0, 0, -u * x, -u * y, u],
      [0, 0, 0, x, y, 1, -v * x, -v * y, v],
    ];
  });
  const source = img.pixels.slice();
  img.pixels.fill(0);
  const m = solve(rows);
  if (!m) return;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const z = m[6] * x + m[7] * y + 1;
      const u = Math.floor((m[0] * x + m[1] * y + m[2]) / z + 0.5);
      const v = Math.floor((m[3] * x + m[4] * y + m[5]) / z + 0.5);
      if (u >= 0 && v >= 0 && u < width && v < height) {
        img.pixels[y * width + x] = source[v * width + u];
      }
    }
  }
}

// Each channel times a factor, in the firmware's whole numbers, in place.
export function gains(img, [red, green, blue]) {
  const [kr, kg, kb] = [
    Math.min(Math.round(red * 64), 1024),
    Math.min(Math.round(green * 32), 512),
    Math.min(Math.round(blue * 64), 1024),
  ];
  img.pixels.forEach((p, i) => {
    const [r, g, b] = fields(p);
    img.pixels[i] =
      (Math.min((r * kr) >> 6, 31) << 11) |
      (Math.min((g * kg) >> 5, 63) << 5) |
      Math.min((b * kb) >> 6, 31);
  });
}

// The network's input: 8 bits a channel, XOR 0x80.
export function networkInput(img) {
  const bytes = new Uint8Array(img.pixels.length * 3);
  img.pixels.forEach((p, i) => {
    channels(p).forEach((v, c) => (bytes[3 * i + c] = v ^ 0x80));
  });
  return bytes;
}
