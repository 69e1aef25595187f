//! The functions of OpenCV that have another place or another signature from one version to the next,
//! 4.5 to 5. Everything else that is used has the same form in all of them.

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
