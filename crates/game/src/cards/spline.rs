//! Splines through points.

/// Points along a closed Catmull-Rom spline through `points`: each of them, and three between it
/// and the next.
pub fn closed_spline(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    const PIECES: usize = 4;
    let n = points.len();
    let mut smooth = Vec::with_capacity(n * PIECES);
    for i in 0..n {
        let p = [points[(i + n - 1) % n], points[i], points[(i + 1) % n], points[(i + 2) % n]];
        for piece in 0..PIECES {
            let t = piece as f64 / PIECES as f64;
            let blend = |a: f64, b: f64, c: f64, d: f64| {
                b + 0.5
                    * t
                    * (c - a + t * (2.0 * a - 5.0 * b + 4.0 * c - d + t * (3.0 * (b - c) + d - a)))
            };
            smooth.push((
                blend(p[0].0, p[1].0, p[2].0, p[3].0),
                blend(p[0].1, p[1].1, p[2].1, p[3].1),
            ));
        }
    }
    smooth
}
