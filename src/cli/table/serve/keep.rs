//! Photos of phones on disk, with their results.

use crate::cli::common::told;
use crate::cli::table::scan::folder::{OutFolder, write_pictures};
use anyhow::Context;
use setsight_files::say;
use setsight_files::whole_file::write_whole;
use setsight_vision::output::Record;
use setsight_vision::output::Style;
use setsight_vision::{PhotoReading, StageTime};
use std::path::{Path, PathBuf};

/// The folder of photos, in that of their results.
const PHOTOS: &str = "photos";

/// Keeps photos and their results, in a new folder for each start: a page of results lists the
/// photos of one.
pub struct Keeper {
    /// Where these folders are.
    home: PathBuf,
    out: Option<(PathBuf, OutFolder)>,
    photos: u32,
    failed: bool,
}

impl Keeper {
    /// Makes the folder in which the others will be.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn create(home: &Path) -> anyhow::Result<Self> {
        let context = || format!("photos cannot be kept in {}", home.display());
        std::fs::create_dir_all(home).with_context(context)?;
        Ok(Self { home: home.to_owned(), out: None, photos: 0, failed: false })
    }

    /// The folder of this start, made when the first photo comes.
    fn out(&mut self) -> anyhow::Result<&mut (PathBuf, OutFolder)> {
        if self.out.is_none() {
            let folders = (1_u32..).map(|n| self.home.join(format!("serve-{n:04}")));
            let free = folders.into_iter().find(|folder| !folder.exists());
            let folder = free.context("no number is free")?;
            std::fs::create_dir_all(folder.join(PHOTOS))
                .with_context(|| format!("photos cannot be kept in {}", folder.display()))?;
            let out = OutFolder::create(&folder, false)?;
            self.out = Some((folder, out));
        }
        Ok(self.out.as_mut().expect("made above"))
    }

    /// Keeps a photo, or says why not.
    pub fn keep(&mut self, bytes: &[u8], reading: &PhotoReading, times: &[StageTime]) {
        if let Err(error) = self.try_keep(bytes, reading, times) {
            self.failed = true;
            say!("{}", told(&error));
        }
    }

    fn try_keep(
        &mut self,
        bytes: &[u8],
        reading: &PhotoReading,
        times: &[StageTime],
    ) -> anyhow::Result<()> {
        self.photos += 1;
        let name = format!("photo-{:04}", self.photos);
        let (folder, out) = self.out()?;
        let ending = image::guess_format(bytes)
            .ok()
            .and_then(|format| format.extensions_str().first().copied());
        // What the `image` crate does not know and was read all the same is HEIC or AVIF.
        let path = folder.join(PHOTOS).join(format!("{name}.{}", ending.unwrap_or("heic")));
        write_whole(&path, bytes).with_context(|| path.display().to_string())?;
        write_pictures(folder, &name, reading, &Style::default(), false)?;
        let result = Ok(reading.table.clone());
        let record = Record { image: path, result, times: times.to_vec() };
        out.add(&record, None, Some(&name))
    }

    /// Finishes the page of results; whether something could not be kept.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn finish(&mut self) -> anyhow::Result<bool> {
        if let Some((folder, out)) = self.out.take() {
            out.finish(false)?;
            say!("{} photos are kept in {}", self.photos, folder.display());
        }
        Ok(self.failed)
    }
}
