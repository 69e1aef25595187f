//! The reasons to refuse a file, the size limits, and how much smaller than its file a photo is decoded where
//! it has more pixels than any stage needs.

/// Largest number of pixels that are decoded: more would fill the memory.
pub const MAX_PIXELS: u64 = 64_000_000;
/// Largest number of pixels of what can be decoded piece by piece: a JPEG, and a HEIC in tiles. One
/// of more than [`MAX_PIXELS`] is decoded at half, a quarter or an eighth of its sides.
pub const MAX_REDUCED_PIXELS: u64 = 512_000_000;
/// Smallest width and height: no symbol is readable in a smaller picture.
pub const MIN_SIDE_PX: u32 = 16;
/// How many times as long as the other a side may be. A screen that was scrolled far has 20 times.
pub const MAX_SIDES: u32 = 32;
/// Largest file: [`MAX_PIXELS`] of four 16-bit samples, uncompressed. Larger files are refused
/// unread.
pub const MAX_FILE_BYTES: u64 = MAX_PIXELS * 8 + (1 << 20);

/// Why a file gives no frame. The caller adds the file's name.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The file cannot be opened or read.
    #[error("cannot be read: {0}; expected a photo that this user may open")]
    Unreadable(#[source] std::io::Error),
    /// The path is a folder, a device or a pipe.
    #[error("is no ordinary file; expected a photo (name a folder to read the photos in it)")]
    NotAFile,
    /// The file has zero bytes.
    #[error("is empty (0 bytes); expected a photo: copy it again from where it came")]
    Empty,
    /// No known picture format starts like this.
    #[error(
        "is not a picture (it starts with {start}); expected JPEG, PNG, HEIC, WebP, AVIF, BMP or TIFF, \
         whatever the file is called"
    )]
    NotAPicture {
        /// The first bytes, printable.
        start: String,
    },
    /// A picture in a format that is not supported.
    #[error("is a {format} picture, which is not read; convert it to JPEG or PNG first")]
    OtherFormat {
        /// The format's name.
        format: &'static str,
    },
    /// The program that decodes this format is not installed.
    #[error(
        "is an {format} picture, which the program {program} decodes, and that is not on the PATH; {install}; \
         or convert the picture to JPEG"
    )]
    NoDecoder {
        /// The format's name.
        format: &'static str,
        /// The program's name.
        program: &'static str,
        /// How to install it.
        install: &'static str,
    },
    /// The file ends before the picture does.
    #[error(
        "is cut off: the {format} data end before the picture is complete; copy it again from where \
         it came"
    )]
    Truncated {
        /// The format's name.
        format: &'static str,
    },
    /// The picture has too many pixels.
    #[error(
        "is {width}x{height}, {} megapixels; at most {} are read, {} of a HEIC in tiles or a JPEG \
         that is not progressive: scale it down first",
        (u64::from(*.width) * u64::from(*.height)).div_ceil(1_000_000),
        MAX_PIXELS / 1_000_000,
        MAX_REDUCED_PIXELS / 1_000_000
    )]
    TooLarge {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
    },
    /// The file has too many bytes.
    #[error("has {bytes} bytes; at most {MAX_FILE_BYTES} are read: scale the picture down first")]
    TooManyBytes {
        /// The file's size in bytes.
        bytes: u64,
    },
    /// Decoding takes more processor time than any photo of its size does.
    #[error(
        "takes more than {seconds} s of processor time to decode, and no photo of its size does; open it in a \
         viewer and save it as a new JPEG or PNG"
    )]
    TooSlow {
        /// The limit.
        seconds: u64,
    },
    /// The picture is a strip.
    #[error(
        "is {width}x{height} pixels, a strip; expected a side at most {MAX_SIDES} times as long as the other: cut \
         the part with the cards out"
    )]
    Strip {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
    },
    /// The picture has too few pixels.
    #[error(
        "is {width}x{height} pixels, too small to hold a card; expected at least \
         {MIN_SIDE_PX}x{MIN_SIDE_PX}"
    )]
    TooSmall {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
    },
    /// No pixel shows.
    #[error(
        "is transparent all over, so that nothing of it shows; save it without transparency (an alpha channel)"
    )]
    Transparent,
    /// The data violate the format.
    #[error(
        "cannot be decoded as {format}: {reason}; open it in a viewer and save it as a new JPEG or PNG"
    )]
    Corrupt {
        /// The format's name.
        format: &'static str,
        /// The decoder's message.
        reason: String,
    },
}

impl SourceError {
    /// A word for what is wrong, by which a page finds its own sentence.
    pub fn word(&self) -> &'static str {
        match self {
            Self::TooLarge { .. } | Self::TooManyBytes { .. } => "too-large",
            Self::OtherFormat { .. } | Self::NoDecoder { .. } => "format",
            _ => "unreadable",
        }
    }
}

/// Refuses pictures whose size, in pixels, rules out a photo of a table.
pub fn check_size(width: u32, height: u32) -> Result<(), SourceError> {
    check_size_within(MAX_PIXELS, width, height)
}

/// The same with so many pixels at most.
pub(super) fn check_size_within(most: u64, width: u32, height: u32) -> Result<(), SourceError> {
    if u64::from(width) * u64::from(height) > most {
        return Err(SourceError::TooLarge { width, height });
    }
    if width.min(height) < MIN_SIDE_PX {
        return Err(SourceError::TooSmall { width, height });
    }
    if width.max(height) / width.min(height) >= MAX_SIDES {
        return Err(SourceError::Strip { width, height });
    }
    Ok(())
}

/// Pixels to which larger photos are reduced. The stages shrink what they look at, and a card of a
/// photo of 27 megapixels has more pixels than they use.
pub(super) const ENOUGH_PIXELS: u64 = 32_000_000;

/// How many times smaller a photo of this size is decoded in each direction: 1, 2, 4 or 8.
pub(super) fn reduction(width: u32, height: u32) -> u32 {
    let pixels = |by: u32| u64::from(width.div_ceil(by)) * u64::from(height.div_ceil(by));
    if pixels(1) <= MAX_PIXELS {
        return 1;
    }
    [2, 4, 8].into_iter().find(|&by| pixels(by) <= ENOUGH_PIXELS).unwrap_or(8)
}

/// How many times smaller a photo of this size is decoded in each direction to be read: 1, 2, 4 or 8.
pub(super) fn reduction_to_read(width: u32, height: u32) -> u32 {
    /// Least long side. The finder shrinks photos to 800 pixels, and most boards fill enough of their photo for
    /// their cards to have the pixels that the reader takes.
    const LEAST_LONG_PX: u32 = 1000;
    let long = width.max(height);
    [8, 4, 2].into_iter().find(|by| long / by >= LEAST_LONG_PX).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::{reduction, reduction_to_read};

    #[test]
    fn only_what_is_too_large_is_reduced() {
        assert_eq!(
            [(8000, 8000), (9248, 6936), (12_000, 9000), (16_384, 12_288)]
                .map(|(width, height)| reduction(width, height)),
            [1, 2, 2, 4]
        );
    }

    #[test]
    fn what_is_read_is_as_small_as_it_may_be() {
        for (size, by) in [
            ((1999, 1500), 1),
            ((1125, 2000), 2),
            ((3264, 2448), 2),
            ((4032, 3024), 4),
            ((3000, 4000), 4),
            ((3999, 3000), 2),
            ((8160, 6120), 8),
            ((16_384, 12_288), 8),
        ] {
            assert_eq!(reduction_to_read(size.0, size.1), by, "{size:?}");
        }
    }
}
