//! The functions of OpenCV that have another place or another signature from one version to the next,
//! 4.5 to 5. Everything else that is used has the same form in all of them.

use opencv::core::{Scalar, Size, ToInputArray, ToOutputArray};
use opencv::imgproc;

opencv::opencv_branch_5! {
    pub(crate) use opencv::geometry::{
        approx_poly_dp, arc_length, bounding_rect, contour_area, is_contour_convex, moments_def,
    };
}
opencv::not_opencv_branch_5! {
    pub(crate) use opencv::imgproc::{
        approx_poly_dp, arc_length, bounding_rect, contour_area, is_contour_convex, moments_def,
    };
}

/// [`imgproc::warp_perspective`] without its hint, which OpenCV has from 5 on.
///
/// # Errors
/// OpenCV failed, for instance for lack of memory.
pub fn warp_perspective(
    picture: &impl ToInputArray,
    warped: &mut impl ToOutputArray,
    matrix: &impl ToInputArray,
    size_px: Size,
    flags: i32,
    (border_mode, border_value): (i32, Scalar),
) -> opencv::Result<()> {
    opencv::opencv_branch_5! {{
        let hint = opencv::core::AlgorithmHint::ALGO_HINT_DEFAULT;
        imgproc::warp_perspective(picture, warped, matrix, size_px, flags, border_mode, border_value, hint)
    } else {
        imgproc::warp_perspective(picture, warped, matrix, size_px, flags, border_mode, border_value)
    }}
}
