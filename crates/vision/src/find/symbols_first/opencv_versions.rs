//! The functions of OpenCV whose module or signature differs between versions 4.5 and 5. All others that are
//! used are the same in every version.

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
