//! The initial weights of a run: random, from another run, or from a finished network.

use super::{net::Plan, tensor::Tensor, weights::Weights};
use setsight_nets::graph::Graph;

/// Where the initial weights come from.
#[derive(Clone, Debug, Default)]
pub enum First {
    /// Random weights from the run's seed.
    #[default]
    Chance,
    /// The best weights of another run.
    Run(Weights),
    /// A network with its norms folded, as ONNX files hold it.
    Network(Graph),
}

impl First {
    /// Whether there are weights to continue from.
    pub(crate) fn goes_on(&self) -> bool {
        !matches!(self, Self::Chance)
    }

    /// The initial weights; `seen` returns pictures as training shows them.
    ///
    /// # Panics
    /// If a network follows another plan; its metadata rules that out.
    pub(crate) fn weights(&self, plan: &Plan, seed: u64, seen: impl FnOnce() -> Tensor) -> Weights {
        match self {
            Self::Chance => plan.init(seed),
            Self::Run(weights) => weights.clone(),
            Self::Network(graph) => plan
                .weights_of(graph, seen())
                .expect("a network of this kind that this version wrote"),
        }
    }
}
