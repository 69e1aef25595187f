//! Photos of phones on disk, with their results.

use crate::cli::table::scan::folder::{Counts, OutFolder, write_pictures};
use anyhow::{Context, bail};
use setsight_files::whole_file::write_whole;
use setsight_vision::output::{Record, Style};
use setsight_vision::{PhotoReading, StageTime};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The folder of photos, in that of their results.
const PHOTOS: &str = "photos";

/// Keeps photos and their results, in a new folder for each start: a page of results lists the
/// photos of one.
pub struct ResultArchive {
    /// Where these folders are.
    home: PathBuf,
    out: Option<(PathBuf, OutFolder)>,
    counts: Counts,
    /// Whether a photo could not be kept.
    pub failed: bool,
}

impl ResultArchive {
    /// Makes the folder in which the others will be.
    pub fn create(home: &Path) -> anyhow::Result<Self> {
        let context = || format!("photos cannot be kept in {}", home.display());
        std::fs::create_dir_all(home).with_context(context)?;
        Ok(Self { home: home.to_owned(), out: None, counts: Counts::default(), failed: false })
    }

    /// The folder of this start, made when the first photo comes.
    fn out(&mut self) -> anyhow::Result<&mut (PathBuf, OutFolder)> {
        if self.out.is_none() {
            let folder = self.free_folder()?;
            std::fs::create_dir(folder.join(PHOTOS))
                .with_context(|| format!("photos cannot be kept in {}", folder.display()))?;
            let out = OutFolder::create(&folder, false)?;
            self.out = Some((folder, out));
        }
        Ok(self.out.as_mut().expect("made above"))
    }

    /// Makes a folder where nothing is, not even a link that leads nowhere.
    fn free_folder(&self) -> anyhow::Result<PathBuf> {
        for n in 1_u32.. {
            let folder = self.home.join(format!("serve-{n:04}"));
            match std::fs::create_dir(&folder) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                made => {
                    made.with_context(|| format!("photos cannot be kept in {}", folder.display()))?;
                    return Ok(folder);
                }
            }
        }
        bail!("no number is free")
    }

    /// Keeps a photo.
    pub fn keep(
        &mut self,
        bytes: &[u8],
        reading: &PhotoReading,
        times: &[StageTime],
    ) -> anyhow::Result<()> {
        let kept = self.try_keep(bytes, reading, times);
        self.failed |= kept.is_err();
        kept
    }

    fn try_keep(
        &mut self,
        bytes: &[u8],
        reading: &PhotoReading,
        times: &[StageTime],
    ) -> anyhow::Result<()> {
        let name = format!("photo-{:04}", self.counts.photos + 1);
        let record = |path: PathBuf| {
            let result = Ok(reading.table.clone());
            Record { image: path, result, times: times.to_vec() }
        };
        self.counts.add(&record(PathBuf::from(&name)));
        let (folder, out) = self.out()?;
        let ending = image::guess_format(bytes)
            .ok()
            .and_then(|format| format.extensions_str().first().copied());
        // What the `image` crate does not know and was read all the same is HEIC or AVIF.
        let path = folder.join(PHOTOS).join(format!("{name}.{}", ending.unwrap_or("heic")));
        write_whole(&path, bytes).with_context(|| path.display().to_string())?;
        write_pictures(folder, &name, reading, &Style::default(), false)?;
        out.add(&record(path), Some(&name))
    }

    /// Finishes the page of results, if there is one, and says where it is.
    pub fn finish(&mut self) -> anyhow::Result<Option<String>> {
        let Some((folder, out)) = self.out.take() else { return Ok(None) };
        out.finish(false, &self.counts)?;
        Ok(Some(format!("{} photos are kept in {}", self.counts.photos, folder.display())))
    }
}
