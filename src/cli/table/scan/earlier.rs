//! What an earlier run has left in the folder of results. A photo that is still the same, read in the same way,
//! is not read again.

use super::folder::{LINES, PARTIAL, THUMBNAILS};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use setsight_files::small_file::{MAX_DATA_BYTES, read_text};
use setsight_game::cards::Deck;
use setsight_vision::output::Record;
use setsight_vision::{ReadingPlan, TableReading, Warning};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use std::{fs::Metadata, sync::Arc};

/// The member of a line that says what it was made from.
const ORIGIN: &str = "origin";

/// All that a line depends on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// Name of the photo's pictures.
    picture: String,
    /// Size of the photo's file.
    bytes: u64,
    /// When that was last changed, since 1970.
    modified_ms: u64,
    /// Stands for the options, the weights and the version.
    settings: String,
}

impl Origin {
    /// Adds it to the line of a reading, if the line holds all of that.
    pub fn add_to(&self, line: &mut Value, table: &TableReading) {
        if table.is_whole_in_json() && !table.warnings.contains(&Warning::CutOff) {
            line[ORIGIN] = json!(self);
        }
    }
}

/// The lines of an earlier run.
pub struct Earlier {
    folder: PathBuf,
    /// By the photo's path.
    lines: HashMap<String, String>,
    settings: String,
    deck: Option<Arc<Deck>>,
}

impl Earlier {
    /// Reads the lines in a folder. Nothing of them is used if `anew`.
    pub fn read(
        folder: &Path,
        plan: &ReadingPlan,
        codes: bool,
        anew: bool,
    ) -> anyhow::Result<Self> {
        let settings = format!("{} {codes} {}", env!("CARGO_PKG_VERSION"), plan.fingerprint()?);
        let digest = Sha256::digest(settings);
        let settings = digest[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        let mut lines = HashMap::new();
        // Those of a run that was stopped are newer.
        for file in [LINES, PARTIAL].into_iter().filter(|_| !anew) {
            let text = read_text(&folder.join(file), MAX_DATA_BYTES).unwrap_or_default();
            for line in text.lines() {
                if let Some(image) = image_of(line) {
                    lines.insert(image, line.to_owned());
                }
            }
        }
        Ok(Self { folder: folder.to_owned(), lines, settings, deck: plan.deck.clone() })
    }

    /// What the line of a photo that is read now depends on, if the photo is a file.
    pub fn origin(&self, photo: &Path, picture: &str) -> Option<Origin> {
        let metadata = photo.metadata().ok().filter(Metadata::is_file)?;
        let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some(Origin {
            picture: picture.to_owned(),
            bytes: metadata.len(),
            modified_ms: modified.as_millis().try_into().ok()?,
            settings: self.settings.clone(),
        })
    }

    /// The line of a photo and its reading, if all that they depend on is as it was, and the pictures are there.
    pub fn reading(&self, photo: &Path, origin: &Origin) -> Option<(Value, Record)> {
        let mut line: Value = serde_json::from_str(self.lines.get(photo.to_str()?)?).ok()?;
        let found: Origin =
            serde_json::from_value(line.as_object_mut()?.shift_remove(ORIGIN)?).ok()?;
        let picture = format!("{}.jpg", origin.picture);
        let pictures = [self.folder.join(&picture), self.folder.join(THUMBNAILS).join(&picture)];
        if found != *origin || !pictures.iter().all(|path| path.is_file()) {
            return None;
        }
        let record = Record::from_json(photo, &line, self.deck.as_ref())?;
        Some((line, record))
    }
}

/// The photo of a line with an origin.
fn image_of(line: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Line {
        image: String,
        #[serde(rename = "origin")]
        _origin: Origin,
    }
    Some(serde_json::from_str::<Line>(line).ok()?.image)
}
