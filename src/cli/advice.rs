//! What to do about an error of the libraries, in the words of this program's options. The libraries
//! themselves only say what is wrong.

use setsight_nets::engine::ModelsError;
use setsight_phone::{ListenError, StartError};
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
    } else {
        None
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
