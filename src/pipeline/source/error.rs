//! What is no photo of a table, and the limits.

/// Photos above this many pixels are refused: no camera in use makes them, and they would fill
/// the memory.
pub const MAX_PIXELS: u64 = 64_000_000;
/// Photos narrower or lower than this are refused: no card can be read in them.
pub const MIN_SIDE_PX: u32 = 32;
/// Files above this size are refused unread: [`MAX_PIXELS`] of four 16-bit samples, uncompressed.
pub const MAX_FILE_BYTES: u64 = MAX_PIXELS * 8 + (1 << 20);

/// Why a file gives no frame. The file's name is the caller's to add.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The file cannot be opened or read.
    #[error("cannot be read: {0}; expected a photo that this user may open")]
    Unreadable(#[source] std::io::Error),
    /// A folder, a device, a pipe.
    #[error("is no ordinary file; expected a photo (name a folder to read the photos in it)")]
    NotAFile,
    /// Zero bytes.
    #[error("is empty (0 bytes); expected a photo: copy it again from where it came")]
    Empty,
    /// No known picture starts like this.
    #[error(
        "is not a picture (it starts with {start}); expected JPEG, PNG, HEIC, WebP, AVIF, BMP or TIFF, \
         whatever the file is called"
    )]
    NotAPicture {
        /// The first bytes, printable.
        start: String,
    },
    /// A picture, of a format that is not read.
    #[error("is a {format} picture, which is not read; convert it to JPEG or PNG first")]
    OtherFormat {
        /// The format's name.
        format: &'static str,
    },
    /// A program that decodes it is not there.
    #[error(
        "is an {format} picture, which the program {program} decodes, and that is not on the PATH; {install}; \
         or convert the picture to JPEG"
    )]
    NoDecoder {
        /// The format's name.
        format: &'static str,
        /// The program's name.
        program: &'static str,
        /// How to get it.
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
    /// Too many pixels.
    #[error(
        "is {width}x{height}, {} megapixels; at most {} are read: scale it down first",
        (u64::from(*.width) * u64::from(*.height)).div_ceil(1_000_000),
        MAX_PIXELS / 1_000_000
    )]
    TooLarge {
        /// Pixels.
        width: u32,
        /// Pixels.
        height: u32,
    },
    /// Too many bytes.
    #[error("has {bytes} bytes; at most {MAX_FILE_BYTES} are read: scale the picture down first")]
    TooManyBytes {
        /// The file's size.
        bytes: u64,
    },
    /// Too few pixels.
    #[error(
        "is {width}x{height} pixels, too small to hold a card; expected at least \
         {MIN_SIDE_PX}x{MIN_SIDE_PX}"
    )]
    TooSmall {
        /// Pixels.
        width: u32,
        /// Pixels.
        height: u32,
    },
    /// The data break the format's rules.
    #[error(
        "cannot be decoded as {format}: {reason}; open it in a viewer and save it as a new JPEG or PNG"
    )]
    Corrupt {
        /// The format's name.
        format: &'static str,
        /// What the decoder says.
        reason: String,
    },
}

/// Refuses what cannot be a photo of a table by its size, in pixels.
pub fn check_size(width: u32, height: u32) -> Result<(), SourceError> {
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(SourceError::TooLarge { width, height });
    }
    if width.min(height) < MIN_SIDE_PX {
        return Err(SourceError::TooSmall { width, height });
    }
    Ok(())
}
