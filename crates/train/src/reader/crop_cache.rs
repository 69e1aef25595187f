//! A cache file of drawn crops, so that several trainings draw them once.
//!
//! 8 bytes of magic, the length of a JSON header (8 bytes, little endian), the header, then each
//! crop: one byte for its label (see [`Label::to_byte`]) and its pixels.

use super::sample::{BYTES, Group, Label, Sample};
use serde::{Deserialize, Serialize};
use setsight_files::whole_file::WholeFile;
use std::io::{self, BufReader, Read, Write};
use std::{fs::File, path::Path};

const MAGIC: &[u8; 8] = b"SETSCRP2";

#[derive(Serialize, Deserialize)]
struct Header {
    /// How the crops were made: a file with another recipe is not used.
    recipe: serde_json::Value,
    /// Names and sizes of the groups.
    groups: Vec<(String, usize)>,
}

/// Writes groups of drawn crops, completely or not at all.
pub fn write(path: &Path, recipe: &serde_json::Value, groups: &[Group]) -> io::Result<()> {
    let sizes = groups.iter().map(|group| (group.name.clone(), group.samples.len())).collect();
    let header = Header { recipe: recipe.clone(), groups: sizes };
    let header = serde_json::to_vec(&header).expect("plain data");
    let mut file = WholeFile::create(path)?;
    file.write_all(MAGIC)?;
    file.write_all(&(header.len() as u64).to_le_bytes())?;
    file.write_all(&header)?;
    for sample in groups.iter().flat_map(|group| &group.samples) {
        file.write_all(&[sample.label.to_byte()])?;
        file.write_all(&sample.pixels)?;
    }
    file.finish()
}

/// The crops in a file; `None` if there is no such file or it was made by another recipe.
pub fn read(path: &Path, recipe: &serde_json::Value) -> io::Result<Option<Vec<Group>>> {
    let broken = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
    match path.metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Ok(metadata) if !metadata.is_file() => return Err(broken("it is no ordinary file")),
        _ => {}
    }
    let file = File::open(path)?;
    let mut file = BufReader::new(file);
    let mut start = [0; 16];
    file.read_exact(&mut start)?;
    let (magic, length) = start.split_at(8);
    let length = u64::from_le_bytes(length.try_into().expect("eight bytes"));
    if magic != MAGIC || length > 1 << 20 {
        return Err(broken("it holds no drawn crops"));
    }
    let mut header = vec![0; length as usize];
    file.read_exact(&mut header)?;
    let header: Header =
        serde_json::from_slice(&header).map_err(|_| broken("its header is broken"))?;
    if header.recipe != *recipe {
        return Ok(None);
    }
    let mut groups = Vec::new();
    for (name, size) in header.groups {
        let mut samples = Vec::new();
        for _ in 0..size {
            let mut byte = [0];
            file.read_exact(&mut byte)?;
            let label = Label::from_byte(byte[0])
                .ok_or_else(|| broken("it names a card that there is not"))?;
            let mut pixels = vec![0; BYTES].into_boxed_slice();
            file.read_exact(&mut pixels)?;
            samples.push(Sample { pixels, label });
        }
        groups.push(Group { name, is_drawn: true, teaches_color: true, samples });
    }
    Ok(Some(groups))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use setsight_game::cards::{Card, Edition};

    #[test]
    fn crops_are_kept_for_their_own_recipe() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("drawn.bin");
        let pixels = |v: u8| vec![v; BYTES].into_boxed_slice();
        let samples = vec![
            Sample {
                pixels: pixels(7),
                label: Label::of(Edition::Rectangles, Card::from_index(80)),
            },
            Sample { pixels: pixels(9), label: Label::NoCard },
        ];
        let groups = [Group { name: "drawn".into(), is_drawn: true, teaches_color: true, samples }];
        let recipe = json!({"seed": 1});
        assert!(read(&path, &recipe).unwrap().is_none());
        write(&path, &recipe, &groups).unwrap();
        let kept = read(&path, &recipe).unwrap().unwrap();
        assert_eq!(kept[0].samples, groups[0].samples);
        assert!(read(&path, &json!({"seed": 2})).unwrap().is_none());
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
        assert!(read(&path, &recipe).is_err());
    }
}
