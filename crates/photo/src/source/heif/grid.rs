//! HEIC in tiles, as phones store their photos: a grid of HEVC pictures of one size (ISO/IEC
//! 23008-12, 6.6.2.3).
//!
//! Each tile is decoded, reduced and put into its place by itself, so that memory holds the result
//! and the tiles in hand, and never the photo as it was. HEVC has levels up to 36 megapixels, so
//! that no phone stores a larger photo in one piece.

use super::super::budget::Budget;
use super::super::error::{ENOUGH_PIXELS, reduction};
use super::super::error::{MAX_PIXELS, MAX_REDUCED_PIXELS, SourceError, check_size_within};
use heifer::Image;
use heifer::color::{ColorParams, frame_to_rgba_sized};
use heifer::heifer_hevc_dec::decoder::{DecodeOptions, decode_picture};
use heifer::heifer_hevc_dec::{self, recon::Frame};
use heifer::heifer_isobmff::boxes::{ColorInfo, Property};
use heifer::heifer_isobmff::{self, HeifFile, ItemId};
use image::RgbImage;
use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

const FORMAT: &str = "HEIC";
/// A coded tile may be larger than what is seen of it, to the next multiple of the largest block of
/// HEVC.
const LARGEST_BLOCK_PX: u32 = 64;
/// Memory for a pixel of a tile in hand: planes of 16 bits, twice while they are filtered or cut to
/// size, RGBA, and RGB.
const BYTES_PER_TILE_PIXEL: u64 = 20;

/// A photo in tiles before they are decoded.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    /// Width of the photo in pixels, before it is turned.
    pub width: u32,
    /// Height of the photo in pixels, before it is turned.
    pub height: u32,
    columns: usize,
    /// Width and height of every tile, in pixels.
    tile_px: (u32, u32),
    /// The tiles, row by row.
    tiles: Vec<ItemId>,
    /// Length of the longest tile's data.
    longest_bytes: u64,
}

/// What the threads that join the tiles share.
struct Joining {
    picture: Mutex<RgbImage>,
    /// The tile to be decoded next.
    next: AtomicUsize,
    /// The first tile that failed.
    failed: Mutex<Option<(usize, SourceError)>>,
}

impl Grid {
    /// The tiles of a file's photo; `None` if it has none, or such as this does not join:
    /// transparent, turned, or made of grids in turn.
    pub(super) fn open(file: &HeifFile) -> Result<Option<Self>, SourceError> {
        let unreadable = |error| super::unreadable(FORMAT, error);
        let primary = file.primary_id;
        if file.item(primary).map_err(unreadable)?.item_type.0 != *b"grid" {
            return Ok(None);
        }
        let grid = file.grid(primary).map_err(unreadable)?;
        let (rows, columns) = (usize::from(grid.rows), usize::from(grid.columns));
        let tiles = file.referenced_items(primary, b"dimg").to_vec();
        if tiles.len() != rows * columns {
            let count = tiles.len();
            return Err(corrupt(format!(
                "it has {count} tiles; expected {rows} rows of {columns}"
            )));
        }
        let planes = file.references.iter().filter(|reference| reference.ref_type.0 == *b"auxl");
        let with_planes: HashSet<ItemId> = planes.flat_map(|plane| plane.to.clone()).collect();
        let mut plain = !is_transparent(file);
        let mut longest_bytes = 0;
        for (index, tile) in tiles.iter().enumerate() {
            let data = file.item_data(*tile).map_err(|error| match error {
                heifer_isobmff::Error::UnknownItem(_) => {
                    corrupt(format!("{} is not there", name(index, tiles.len())))
                }
                error => unreadable(error),
            })?;
            longest_bytes = longest_bytes.max(data.len() as u64);
            plain &= !with_planes.contains(tile) && is_plain(file, *tile).map_err(unreadable)?;
        }
        let tile_px = file.image_size(tiles[0]).map_err(unreadable)?;
        let (Some(tile_px), true) = (tile_px, plain) else { return Ok(None) };
        let (width, height) = (grid.output_width, grid.output_height);
        let grid = Self { width, height, columns, tile_px, tiles, longest_bytes };
        grid.check(rows).map(|()| Some(grid))
    }

    /// How many times smaller it is decoded in each direction.
    pub(super) fn reduction(&self) -> u32 {
        reduction(self.width, self.height)
    }

    /// Memory for the tiles that are in hand at once.
    pub(super) fn working_bytes(&self) -> u64 {
        self.threads() as u64 * (BYTES_PER_TILE_PIXEL * self.tile_pixels() + 2 * self.longest_bytes)
    }

    /// Decodes the tiles, so many times smaller in each direction, and joins them.
    pub(super) fn decode(
        &self,
        file: &HeifFile,
        by: u32,
        budget: &Budget<'_>,
    ) -> Result<RgbImage, SourceError> {
        let size = (self.width.div_ceil(by), self.height.div_ceil(by));
        let joining = Joining {
            picture: Mutex::new(RgbImage::new(size.0, size.1)),
            next: AtomicUsize::new(0),
            failed: Mutex::new(None),
        };
        std::thread::scope(|scope| {
            for _ in 1..self.threads() {
                scope.spawn(|| self.join_tiles(file, by, budget, &joining));
            }
            self.join_tiles(file, by, budget, &joining);
        });
        match joining.failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some((_, error)) => Err(error),
            None => Ok(joining.picture.into_inner().unwrap_or_else(PoisonError::into_inner)),
        }
    }

    /// Decodes and joins tiles until none is left, as each thread does.
    fn join_tiles(&self, file: &HeifFile, by: u32, budget: &Budget<'_>, joining: &Joining) {
        let Joining { picture, next, failed } = joining;
        let mut clock = budget.clock();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= self.tiles.len() {
                break;
            }
            let Some(place) = self.place(index) else { continue };
            let tile = self.tile(file, index, (place.width, place.height));
            match tile.and_then(|tile| clock.check().map(|()| tile)) {
                Ok(tile) => {
                    let part = place.reduced(&tile.data, by);
                    let mut picture = picture.lock().unwrap_or_else(PoisonError::into_inner);
                    put(&mut picture, &part, (place.x.div_ceil(by), place.y.div_ceil(by)));
                }
                Err(error) => {
                    next.store(self.tiles.len(), Ordering::Relaxed);
                    let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
                    // Those before it were begun before it, and may fail after it.
                    if failed.as_ref().is_none_or(|&(first, _)| index < first) {
                        *failed = Some((index, error));
                    }
                }
            }
        }
    }

    fn check(&self, rows: usize) -> Result<(), SourceError> {
        check_size_within(MAX_REDUCED_PIXELS, self.width, self.height)?;
        let (width, height) = self.tile_px;
        if self.tile_pixels() > MAX_PIXELS {
            return Err(SourceError::TooLarge { width, height });
        }
        // What is reduced is so because of its memory, which a huge tile takes as well.
        if self.reduction() > 1 && self.tile_pixels() > ENOUGH_PIXELS {
            let most = ENOUGH_PIXELS / 1_000_000;
            return Err(corrupt(format!(
                "its tiles have {width}x{height} pixels; expected at most {most} megapixels"
            )));
        }
        let covers =
            |px: u32, count: usize, total: u32| u64::from(px) * count as u64 >= u64::from(total);
        if !covers(width, self.columns, self.width) || !covers(height, rows, self.height) {
            let Self { width: grid_width, height: grid_height, columns, .. } = *self;
            return Err(corrupt(format!(
                "its tiles, {rows} rows of {columns} of {width}x{height} pixels, do not cover its \
                 {grid_width}x{grid_height}"
            )));
        }
        Ok(())
    }

    fn tile_pixels(&self) -> u64 {
        u64::from(self.tile_px.0) * u64::from(self.tile_px.1)
    }

    /// How many tiles are decoded at once: large ones one after the other.
    fn threads(&self) -> usize {
        let most = (ENOUGH_PIXELS / self.tile_pixels()).max(1) as usize;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        cores.min(self.tiles.len()).min(most)
    }

    /// Where a tile lies, without what reaches past the photo's edges; `None` if all of it does.
    fn place(&self, index: usize) -> Option<Place> {
        let (x, width) = part_along(index % self.columns, self.tile_px.0, self.width)?;
        let (y, height) = part_along(index / self.columns, self.tile_px.1, self.height)?;
        Some(Place { x, y, width, height })
    }

    /// Decodes so much of a tile, in 8-bit RGBA. All is opaque.
    fn tile(
        &self,
        file: &HeifFile,
        index: usize,
        (width, height): (u32, u32),
    ) -> Result<Image<u8>, SourceError> {
        let id = self.tiles[index];
        let name = || name(index, self.tiles.len());
        let unreadable = |error| super::unreadable(FORMAT, error);
        let stream = file.hevc_bitstream(id).map_err(unreadable)?;
        let (tile_width, tile_height) = self.tile_px;
        // A tile that is coded larger would take more memory than was declared.
        let max_pixels = coded_px(tile_width) * coded_px(tile_height);
        let options = DecodeOptions { max_pixels, ..DecodeOptions::default() };
        let frame = decode_picture(&stream, options).map_err(|error| match error {
            heifer_hevc_dec::Error::UnexpectedEof => SourceError::Truncated { format: FORMAT },
            error => corrupt(format!("{}: {error}", name())),
        })?;
        if frame.widths[0] < tile_width || frame.heights[0] < tile_height {
            let (is_width, is_height) = (frame.widths[0], frame.heights[0]);
            return Err(corrupt(format!(
                "{} has {is_width}x{is_height} pixels; expected {tile_width}x{tile_height}",
                name()
            )));
        }
        let color = color_of(file, id, &frame).map_err(unreadable)?;
        Ok(frame_to_rgba_sized(&frame, color, width, height))
    }
}

fn coded_px(px: u32) -> u64 {
    u64::from(px.next_multiple_of(LARGEST_BLOCK_PX))
}

fn part_along(position: usize, px: u32, total: u32) -> Option<(u32, u32)> {
    let start = u32::try_from(position as u64 * u64::from(px)).ok()?;
    (start < total).then(|| (start, px.min(total - start)))
}

/// A rectangle of the photo, in pixels of the file.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Place {
    x: u32,
    y: u32,
    width: u32,
    height: u32,
}

impl Place {
    /// RGBA of this place, so many times smaller in each direction: the mean of each block of the
    /// photo that begins in it. Of a block that reaches beyond it, the part within counts.
    fn reduced(&self, rgba: &[u8], by: u32) -> RgbImage {
        let pixels = rgba.as_chunks::<4>().0;
        if by == 1 {
            let mut rgb = vec![0; 3 * pixels.len()];
            for (rgb, &[r, g, b, _]) in rgb.as_chunks_mut::<3>().0.iter_mut().zip(pixels) {
                *rgb = [r, g, b];
            }
            return RgbImage::from_raw(self.width, self.height, rgb).expect("three bytes a pixel");
        }
        // The first and the last pixel, within the place, of a block of the photo.
        let along = |block: u32, start: u32, px: u32| {
            let from = block * by - start;
            from as usize..px.min(from + by) as usize
        };
        let blocks = |start: u32, px: u32| (start + px).div_ceil(by) - start.div_ceil(by);
        let (left, top) = (self.x.div_ceil(by), self.y.div_ceil(by));
        let size = (blocks(self.x, self.width), blocks(self.y, self.height));
        RgbImage::from_fn(size.0, size.1, |x, y| {
            let columns = along(left + x, self.x, self.width);
            let rows = along(top + y, self.y, self.height);
            let count = (columns.len() * rows.len()) as u32;
            let mut sum = [count / 2; 3];
            for row in rows {
                let row = &pixels[row * self.width as usize..][columns.clone()];
                for pixel in row {
                    for (sum, &value) in sum.iter_mut().zip(pixel) {
                        *sum += u32::from(value);
                    }
                }
            }
            image::Rgb(sum.map(|sum| (sum / count) as u8))
        })
    }
}

/// Copies a part into a picture that holds all of it.
fn put(picture: &mut RgbImage, part: &RgbImage, (x, y): (u32, u32)) {
    let (stride, length) = (3 * picture.width() as usize, 3 * part.width() as usize);
    if length == 0 {
        return;
    }
    let rows = picture.chunks_exact_mut(stride).skip(y as usize);
    for (row, part) in rows.zip(part.chunks_exact(length)) {
        row[3 * x as usize..][..length].copy_from_slice(part);
    }
}

/// Whether a tile is a picture by itself, as it is to be seen.
fn is_plain(file: &HeifFile, tile: ItemId) -> Result<bool, heifer_isobmff::Error> {
    let is_coded = file.item(tile)?.item_type.0 == *b"hvc1";
    Ok(is_coded && !file.item_properties(tile)?.any(super::is_turn))
}

/// Whether the photo has a plane of transparency; other planes beside it (depth, brightness) do not
/// change how it is seen.
fn is_transparent(file: &HeifFile) -> bool {
    let planes = file.referencing_items(file.primary_id, b"auxl");
    planes.into_iter().any(|plane| {
        file.item_properties(plane).is_ok_and(|mut properties| {
            properties.any(|property| {
                matches!(property, Property::AuxiliaryType(kind)
                    if kind == "urn:mpeg:hevc:2015:auxid:1"
                    || kind == "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha")
            })
        })
    })
}

/// How a tile's samples are colours: as its container says, else as its stream does.
fn color_of(
    file: &HeifFile,
    tile: ItemId,
    frame: &Frame,
) -> Result<ColorParams, heifer_isobmff::Error> {
    let declared = file.item_properties(tile)?.find_map(|property| match *property {
        Property::Color(ColorInfo::Nclx { matrix, full_range, .. }) => {
            Some(ColorParams { matrix, full_range })
        }
        _ => None,
    });
    Ok(declared.unwrap_or_else(|| ColorParams::from_frame(frame)))
}

/// What a tile is called in messages, by its index.
fn name(index: usize, count: usize) -> String {
    format!("tile {} of {count}", index + 1)
}

fn corrupt(reason: String) -> SourceError {
    SourceError::Corrupt { format: FORMAT, reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_end_within_a_block_join_to_one_picture() {
        let (width, height) = (37, 29);
        for by in [1, 2, 4, 8] {
            let all = Place { x: 0, y: 0, width, height };
            let expected = all.reduced(&rgba(all), by);
            let size = (width.div_ceil(by), height.div_ceil(by));
            assert_eq!(expected.dimensions(), size);
            // Tiles of 16 pixels hold whole blocks; of 10 and 11 they do not, and one of 3 may hold
            // the beginning of none.
            for (side, off) in [(16, 0), (10, by as u8 / 2), (11, by as u8 / 2), (3, by as u8 / 2)]
            {
                let mut joined = RgbImage::new(size.0, size.1);
                for y in (0..height).step_by(side) {
                    for x in (0..width).step_by(side) {
                        let side = side as u32;
                        let (width, height) = (side.min(width - x), side.min(height - y));
                        let place = Place { x, y, width, height };
                        let part = place.reduced(&rgba(place), by);
                        put(&mut joined, &part, (x.div_ceil(by), y.div_ceil(by)));
                    }
                }
                let apart = joined.iter().zip(expected.iter()).map(|(a, b)| a.abs_diff(*b));
                assert!(apart.max() <= Some(off), "{by}, {side}");
            }
        }
    }

    fn rgba(place: Place) -> Vec<u8> {
        let rows = place.y..place.y + place.height;
        rows.flat_map(|y| {
            (place.x..place.x + place.width).flat_map(move |x| [x as u8, y as u8, 7, 255])
        })
        .collect()
    }
}
