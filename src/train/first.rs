//! What a run begins with: chance's weights, another run's, or a finished network's.

use super::net::Plan;
use super::weights::Weights;
use crate::model::graph::Graph;
use burn::tensor::Tensor;

/// Where first weights come from.
#[derive(Clone, Debug, Default)]
pub enum First {
    /// Chance, by the run's seed.
    #[default]
    Chance,
    /// The best weights of another run.
    Run(Weights),
    /// A network without its norms, as ONNX files hold it.
    Network(Graph),
}

impl First {
    /// Whether there is something to go on from.
    pub fn goes_on(&self) -> bool {
        !matches!(self, Self::Chance)
    }

    /// The weights; `seen` gives pictures as training shows them.
    ///
    /// # Panics
    /// If a network is of another plan, which its metadata rules out.
    pub fn weights(&self, plan: &Plan, seed: u64, seen: impl FnOnce() -> Tensor<4>) -> Weights {
        match self {
            Self::Chance => plan.init(seed),
            Self::Run(weights) => weights.clone(),
            Self::Network(graph) => plan
                .weights_of(graph, seen())
                .expect("a network of this kind that this version wrote"),
        }
    }
}
