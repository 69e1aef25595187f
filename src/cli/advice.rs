//! What to do about an error of the libraries, in the words of this program's options: the libraries themselves
//! only say what is wrong. And what takes the place of options and commands that left the program or some of its
//! commands.

use setsight_desktop::Failure;
use setsight_eval::BaselineError;
use setsight_labels::convert::FindError;
use setsight_nets::engine::ModelsError;
use setsight_phone::{ListenError, StartError};
use setsight_photo::labels::DatasetError;
use setsight_train::{CheckpointError, TrainError};
use setsight_vision::PlanError;
use std::error::Error;

/// What to do about this error; `None` where its message says all.
pub fn advice(error: &(dyn Error + 'static)) -> Option<String> {
    if let Some(error) = error.downcast_ref() {
        on_plan(error)
    } else if let Some(error) = error.downcast_ref() {
        on_models(error)
    } else if let Some(StartError::Listen(error)) = error.downcast_ref() {
        on_listening(error)
    } else if let Some(error) = error.downcast_ref() {
        on_window(error).map(str::to_owned)
    } else if let Some(FindError::Several { forms, .. }) = error.downcast_ref() {
        Some(format!("for instance --from-format {}", forms.split(' ').next()?))
    } else if let Some(DatasetError::NoLabels(_)) = error.downcast_ref() {
        Some("`setsight dataset convert` makes such labels of those of other programs".into())
    } else if let Some(BaselineError::Malformed { .. }) = error.downcast_ref() {
        Some("`setsight eval --format json` prints one".into())
    } else if let Some(TrainError::Checkpoint(CheckpointError::Unwritable { .. })) =
        error.downcast_ref()
    {
        Some("then go on with --resume".into())
    } else {
        None
    }
}

fn on_window(error: &Failure) -> Option<&'static str> {
    match error {
        Failure::NoWindow(_) if cfg!(target_os = "linux") => Some(
            "on a machine without a screen start it as xvfb-run setsight app ..., over ssh log in with \
             ssh -X",
        ),
        Failure::NoWindow(_) => {
            Some("log in at the screen, or read photos in a browser by setsight serve")
        }
        Failure::NoOpenGl(_) => Some("or read photos in a browser by setsight serve"),
        Failure::NoPixels => {
            Some("or start it as xvfb-run -s \"-screen 0 1280x1024x24\" setsight app ...")
        }
        _ => None,
    }
}

fn on_plan(error: &PlanError) -> Option<String> {
    let text = match error {
        PlanError::Models(error) => return on_models(error),
        PlanError::OwnReader { .. } => "leave out --reader and --without",
        PlanError::NoOpenCv => "leave out --finder classical",
        PlanError::Chosen { .. } => "`setsight models reset` goes back to those inside the program",
    };
    Some(text.into())
}

fn on_models(error: &ModelsError) -> Option<String> {
    let text = match error {
        ModelsError::NotShipped(_) => {
            "give a folder that has it with --models DIR, or read without networks: --reader classical \
             --finder classical"
        }
        ModelsError::Unreadable { .. } => {
            "`setsight train --add PHOTOS --out DIR` writes a folder for --models"
        }
        ModelsError::Changed { .. } => "`setsight export manifest` names the files anew",
        _ => return None,
    };
    Some(text.into())
}

fn on_listening(error: &ListenError) -> Option<String> {
    match error {
        ListenError::Unknown(_) => Some("name one with --listen ADDRESS".into()),
        ListenError::PublicOnly(all) => {
            Some(format!("--listen {} serves there all the same", all.first()?))
        }
        ListenError::NoNetwork | ListenError::Taken { .. } => None,
    }
}

/// What left the program. Commands are those without dashes.
const GONE: [(&str, &str); 19] = [
    (
        "merge",
        "cat joins lines of JSON; on many machines Ray reads photos through the package for Python",
    ),
    (
        "--shard",
        "on many machines Ray reads photos through the package for Python (docs/guides/many-machines.md)",
    ),
    ("--resume", "scan and the trainings alone go on where they were stopped; call this anew"),
    ("--page", "--report DIR writes DIR/index.html"),
    ("--plot", "--report DIR writes a page with the charts, DIR/index.html"),
    ("--sheet", "--print FILE"),
    ("--hard", "deal --random --seed N gives other boards"),
    ("createml", "COCO, YOLO, VOC, CVAT, LabelMe, Label Studio, CSV and folders are read"),
    ("via", "COCO, YOLO, VOC, CVAT, LabelMe, Label Studio, CSV and folders are read"),
    ("kitti", "COCO, YOLO, VOC, CVAT, LabelMe, Label Studio, CSV and folders are read"),
    ("dota", "COCO, YOLO, VOC, CVAT, LabelMe, Label Studio, CSV and folders are read"),
    ("names", "a folder for each card is read: 2spd/1.jpg"),
    ("--words", "rename the classes in the labels, or leave some out by --leave-out"),
    ("--check", "every game is checked before it is printed"),
    (
        "--deck",
        "a deck of your own is read by its file, as in scan --deck FILE; no network learns it",
    ),
    ("--measure", "the window has no benchmark of its own any more"),
    ("--from", "render draws films of its own tables alone: leave it out"),
    ("--phone", "render draws films of its own tables alone: leave it out"),
    ("second-pass", "the finder makes one pass: leave it out"),
];

/// What to use in place of a word of a call that is not known, if it was known once.
pub fn instead_of(word: &str) -> Option<String> {
    let name = word.split('=').next().unwrap_or(word);
    let (_, instead) = GONE.iter().find(|(gone, _)| *gone == name)?;
    Some(format!("{name} is not known here: {instead}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::common::told;

    #[test]
    fn an_error_is_told_with_the_options_that_the_library_does_not_know() {
        let error = PlanError::OwnReader { deck: "ours".into() };
        assert!(!error.to_string().contains("--"), "{error}");
        let text = told(&anyhow::Error::from(error).context("photo.jpg"));
        assert!(text.starts_with("photo.jpg: the deck ours has "), "{text}");
        assert!(text.ends_with("; leave out --reader and --without"), "{text}");
        let missing = ModelsError::NotShipped("models/dog.onnx".into());
        let text = told(&anyhow::Error::from(PlanError::Models(missing)));
        assert!(text.contains("give a folder that has it with --models DIR"), "{text}");
    }
}
