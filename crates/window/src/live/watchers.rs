//! How the camera's tab reads cards: as the command was told.

use crate::shared::reasons;
use eframe::egui::Context;
use setsight_live::{FramePace, Input, LiveSource, Session};
use setsight_track::Params;
use setsight_vision::Mirrored;
use setsight_vision::ReadingPlan;
use std::sync::Arc;

/// What begins to watch a camera or a film, mirrored or not; the reason in words when it cannot.
pub type Watchers = Box<dyn Fn(&Context, &Input, Mirrored) -> Result<Box<dyn LiveSource>, String>>;

/// Watches in earnest: cameras of this machine and of the network, and films, at their own time or each
/// frame however long it takes.
pub fn system(plan: ReadingPlan, films: FramePace) -> Watchers {
    Box::new(move |ctx, input, mirrored| {
        let ctx = ctx.clone();
        let pace = if matches!(input, Input::Film(_)) { films } else { FramePace::Newest };
        // The switch decides: what the command said of it is where it began.
        let session = session(&ReadingPlan { mirrored, ..plan.clone() }, pace)?;
        let wake = Box::new(move || ctx.request_repaint());
        session
            .start(input.clone(), wake)
            .map(|session| Box::new(session) as Box<dyn LiveSource>)
            .map_err(unwatched)
    })
}

/// A game whose pictures are still to come.
pub fn session(plan: &ReadingPlan, pace: FramePace) -> Result<Session, String> {
    let pipeline = plan.build().map_err(|error| reasons::plan(&error))?;
    let params = Params::of(&pipeline);
    Session::new(Arc::new(pipeline), params, pace).map_err(unwatched)
}

fn unwatched(error: std::io::Error) -> String {
    format!("the camera cannot be watched: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use setsight_nets::engine::Models;

    #[test]
    fn cards_are_read_as_asked_for() {
        let home = tempfile::tempdir().unwrap();
        let plan = ReadingPlan::with_models(Models::Folder(home.path().to_owned()));
        let film = Input::Film(home.path().join("none.avi"));
        let begun = system(plan, FramePace::Newest)(&Context::default(), &film, Mirrored::Auto);
        let reason = begun.err().expect("there are no weights in this folder");
        assert!(reason.contains(&*home.path().to_string_lossy()), "{reason}");
    }
}
