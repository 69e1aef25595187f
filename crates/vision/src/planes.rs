//! Pictures as the networks take them: plane by plane, each value from 0 to 1.

/// Every 8-bit value divided by 255.
static SHARES: [f32; 256] = {
    let mut shares = [0.0; 256];
    let mut value = 0;
    while value < shares.len() {
        shares[value] = value as f32 / 255.0;
        value += 1;
    }
    shares
};

/// Appends a picture, R, G, B row by row, 8-bit, as all of R, then all of G, then all of B, each
/// value divided by 255.
pub(crate) fn push(rgb: &[u8], input: &mut Vec<f32>) {
    let (start, pixels) = (input.len(), rgb.len() / 3);
    input.resize(start + 3 * pixels, 0.0);
    let (red, rest) = input[start..].split_at_mut(pixels);
    let (green, blue) = rest.split_at_mut(pixels);
    for (((rgb, r), g), b) in rgb.chunks_exact(3).zip(red).zip(green).zip(blue) {
        *r = SHARES[usize::from(rgb[0])];
        *g = SHARES[usize::from(rgb[1])];
        *b = SHARES[usize::from(rgb[2])];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_appended_plane_by_plane() {
        let mut input = vec![7.0];
        push(&[0, 51, 255, 102, 204, 153], &mut input);
        assert_eq!(input, [7.0, 0.0, 0.4, 0.2, 0.8, 1.0, 0.6]);
    }
}
