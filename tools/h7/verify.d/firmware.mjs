// What the firmware's image methods do to RGB565 pictures, as read in its sources: enough of it to
// run the board's scripts. Pictures are {width, height, pixels: Uint16Array}.

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

export function make(width, height) {
  return { width, height, pixels: new Uint16Array(width * height) };
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

// Connected pixels of at least a lightness: corners in twenty directions, their smallest rectangle.
export function findBlobs(img, threshold, leastPixels, leastArea) {
  const { width, height, pixels } = img;
  const seen = new Uint8Array(width * height);
  const directions = Array.from({ length: 20 }, (_, i) => {
    const angle = (i * 2 * Math.PI) / 20;
    return [Math.sin(angle), -Math.cos(angle)];
  });
  const found = [];
  const stack = [];
  for (let start = 0; start < pixels.length; start++) {
    if (seen[start] || LIGHTNESS[pixels[start]] < threshold) continue;
    stack.push(start);
    seen[start] = 1;
    const members = [];
    let [x0, y0, x1, y1] = [width, height, 0, 0];
    while (stack.length) {
      const at = stack.pop();
      const [x, y] = [at % width, (at / width) | 0];
      members.push(at);
      [x0, y0, x1, y1] = [Math.min(x0, x), Math.min(y0, y), Math.max(x1, x), Math.max(y1, y)];
      for (const next of [x > 0 && at - 1, x + 1 < width && at + 1, y > 0 && at - width, y + 1 < height && at + width]) {
        if (next !== false && !seen[next] && LIGHTNESS[pixels[next]] >= threshold) {
          seen[next] = 1;
          stack.push(next);
        }
      }
    }
    if (members.length < leastPixels || (x1 - x0 + 1) * (y1 - y0 + 1) < leastArea) continue;
    const extremes = directions.map(() => [-Infinity, 0]);
    for (const at of members) {
      const [x, y] = [at % width, (at / width) | 0];
      for (let d = 0; d < 20; d++) {
        const value = x * directions[d][0] + y * directions[d][1];
        if (value > extremes[d][0]) extremes[d] = [value, at];
      }
    }
    const points = extremes.map(([, at]) => [at % width, (at / width) | 0]);
    found.push({
      pixels: members.length,
      corners: [0, 5, 10, 15].map((i) => points[i]),
      min_corners: smallestRectangle(points),
    });
  }
  return found;
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
  const out = make(Math.floor(w * xScale), Math.floor(h * yScale));
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
    const [r, g, b] = fields(p);
    bytes[3 * i] = ((r << 3) | (r >> 2)) ^ 0x80;
    bytes[3 * i + 1] = ((g << 2) | (g >> 4)) ^ 0x80;
    bytes[3 * i + 2] = ((b << 3) | (b >> 2)) ^ 0x80;
  });
  return bytes;
}
