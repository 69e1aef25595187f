//! What [`AgainstTable`] computes, and its gradients. A batch holds several tables of equally many cards, one
//! after the other; for inference it is one table.

use super::layers::Tensor;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, concatenate, s};
use setsight_nets::graph::AgainstTable;

/// Everything that the result and the gradients need.
struct Pass<'a> {
    head: &'a AgainstTable,
    /// The maps of each card, `[channels, places]`.
    cards: Vec<ArrayView2<'a, f32>>,
    cards_of_table: usize,
    /// For each card the softmax over places of each attention map, `[maps, places]`.
    attention: Vec<Array2<f32>>,
    /// `[tables, features]`: the deviation plus what is added to it.
    deviation: Array2<f32>,
    /// The three parts of the input of the hidden units, `[cards, features]` each.
    alone: Normed,
    relative: Array2<f32>,
    table: Normed,
    hidden: Normed,
}

/// Rows after a layer norm, and by what each was multiplied.
struct Normed {
    rows: Array2<f32>,
    inverse: Array1<f32>,
}

impl Normed {
    fn new(mut rows: Array2<f32>) -> Self {
        let inverse = rows.rows_mut().into_iter().map(|mut row| {
            let mean = row.mean().unwrap_or(0.0);
            row -= mean;
            let variance = row.dot(&row) / row.len() as f32;
            let inverse = (variance + AgainstTable::NORM_EPSILON).sqrt().recip();
            row *= inverse;
            inverse
        });
        let inverse = inverse.collect();
        Self { rows, inverse }
    }

    /// The gradient of what was normed, from that of the result.
    fn gradient(&self, mut gradient: Array2<f32>) -> Array2<f32> {
        for ((mut g, row), inverse) in
            gradient.rows_mut().into_iter().zip(self.rows.rows()).zip(&self.inverse)
        {
            let (mean, along) = (g.mean().unwrap_or(0.0), g.dot(&row) / row.len() as f32);
            g.zip_mut_with(&row, |g, y| *g = inverse * (*g - mean - y * along));
        }
        gradient
    }
}

/// The outputs, `[cards, outputs]`.
pub(crate) fn result(head: &AgainstTable, maps: &Tensor, tables: usize) -> Tensor {
    let pass = Pass::new(head, maps, tables);
    let out = pass.units().dot(&pass.weights().t()) + ndarray::aview1(&head.bias);
    let shape = [out.nrows(), out.ncols()];
    Tensor::new(out.iter().copied().collect(), &shape)
}

/// The gradient of the maps, and of attention, hidden weights, hidden bias, weights and bias, from that of the
/// result.
pub(crate) fn gradient(
    head: &AgainstTable,
    maps: &Tensor,
    tables: usize,
    gradient: &[f32],
) -> (Vec<f32>, [Vec<f32>; 5]) {
    let pass = Pass::new(head, maps, tables);
    let gradient = matrix(gradient, pass.cards.len());
    let units = pass.units();
    let of_weights = gradient.t().dot(&units);
    let mut of_units = gradient.dot(&pass.weights());
    of_units.zip_mut_with(&units, |g, unit| *g = if *unit > 0.0 { *g } else { 0.0 });
    let of_hidden = pass.hidden.gradient(of_units);
    let of_hidden_weights = of_hidden.t().dot(&pass.parts());
    let of_pooled = pass.pooled_gradient(&of_hidden.dot(&pass.hidden_weights()));
    let (of_maps, of_attention) = pass.maps_gradient(&of_pooled);
    let sums = |array: &Array2<f32>| array.sum_axis(Axis(0)).to_vec();
    let numbers = |array: Array2<f32>| array.iter().copied().collect();
    let arrays = [
        numbers(of_attention),
        numbers(of_hidden_weights),
        sums(&of_hidden),
        numbers(of_weights),
        sums(&gradient.to_owned()),
    ];
    (of_maps, arrays)
}

impl<'a> Pass<'a> {
    fn new(head: &'a AgainstTable, maps: &'a Tensor, tables: usize) -> Self {
        let [cards, channels, rows, columns] = maps.maps();
        assert_eq!(cards % tables, 0, "tables of equally many cards");
        let cards: Vec<ArrayView2<f32>> = maps
            .values
            .chunks_exact(channels * rows * columns)
            .map(|v| matrix(v, channels))
            .collect();
        let weights = matrix(&head.attention, head.maps);
        let attention: Vec<Array2<f32>> =
            cards.iter().map(|maps| softmax(weights.dot(maps))).collect();
        let mut pooled = Array2::zeros((cards.len(), head.features()));
        for ((mut row, places), maps) in pooled.rows_mut().into_iter().zip(&attention).zip(&cards) {
            row.assign(&Array1::from_iter(places.dot(&maps.t())));
        }
        let cards_of_table = cards.len() / tables;
        let [spread, floor] = AgainstTable::SPREAD_EPSILON;
        let (mut means, mut deviations) = (Vec::new(), Vec::new());
        for table in pooled.axis_chunks_iter(Axis(0), cards_of_table) {
            let mean = table.mean_axis(Axis(0)).expect("cards");
            let off = &table - &mean;
            let variance = (&off * &off).mean_axis(Axis(0)).expect("cards");
            deviations.push(variance.mapv(|variance| (variance + spread).sqrt() + floor));
            means.push(mean);
        }
        let (mean, deviation) = (stacked(&means), stacked(&deviations));
        let of_card = |i: usize| i / cards_of_table;
        let mut relative = pooled.clone();
        for (i, mut row) in relative.rows_mut().into_iter().enumerate() {
            row -= &mean.row(of_card(i));
            row /= &deviation.row(of_card(i));
        }
        let mut pass = Self {
            head,
            cards,
            cards_of_table,
            attention,
            deviation,
            alone: Normed::new(pooled),
            relative,
            table: Normed::new(mean),
            hidden: Normed { rows: Array2::zeros((0, 0)), inverse: Array1::zeros(0) },
        };
        let hidden = pass.parts().dot(&pass.hidden_weights().t());
        pass.hidden = Normed::new(hidden + ndarray::aview1(&head.hidden_bias));
        pass
    }

    fn hidden_weights(&self) -> ArrayView2<'_, f32> {
        matrix(&self.head.hidden, self.head.hidden_bias.len())
    }

    fn weights(&self) -> ArrayView2<'_, f32> {
        matrix(&self.head.weights, self.head.bias.len())
    }

    /// The input of the hidden units, `[cards, 3 * features]`.
    fn parts(&self) -> Array2<f32> {
        let tables: Vec<usize> = (0..self.cards.len()).map(|i| self.table_of(i)).collect();
        let table = self.table.rows.select(Axis(0), &tables);
        let parts = [self.alone.rows.view(), self.relative.view(), table.view()];
        concatenate(Axis(1), &parts).expect("as many rows")
    }

    fn table_of(&self, card: usize) -> usize {
        card / self.cards_of_table
    }

    fn units(&self) -> Array2<f32> {
        self.hidden.rows.mapv(|unit| unit.max(0.0))
    }

    /// The gradient of the pooled features, from that of the three parts.
    fn pooled_gradient(&self, of_parts: &Array2<f32>) -> Array2<f32> {
        let features = self.head.features();
        let mut of_pooled = self.alone.gradient(of_parts.slice(s![.., ..features]).to_owned());
        let of_relative = of_parts.slice(s![.., features..2 * features]);
        let of_table = of_parts.slice(s![.., 2 * features..]);
        let tables = |part: ArrayView2<f32>| {
            let sums = part.axis_chunks_iter(Axis(0), self.cards_of_table);
            stacked(&sums.map(|table| table.sum_axis(Axis(0))).collect::<Vec<_>>())
        };
        let of_mean = self.table.gradient(tables(of_table));
        let sums = tables(of_relative);
        let along = tables((&of_relative * &self.relative).view());
        let count = self.cards_of_table as f32;
        let floor = AgainstTable::SPREAD_EPSILON[1];
        for (i, mut row) in of_pooled.rows_mut().into_iter().enumerate() {
            let t = self.table_of(i);
            for d in 0..features {
                let deviation = self.deviation[[t, d]];
                // That of the deviation reaches a card by its share of the variance.
                let root = deviation - floor;
                let off = self.relative[[i, d]] * deviation;
                row[d] += (of_relative[[i, d]] - sums[[t, d]] / count) / deviation
                    - along[[t, d]] / deviation * off / (count * root)
                    + of_mean[[t, d]] / count;
            }
        }
        of_pooled
    }

    /// The gradients of the maps and of the attention's weights, from that of the pooled features.
    fn maps_gradient(&self, of_pooled: &Array2<f32>) -> (Vec<f32>, Array2<f32>) {
        let (maps, channels) = (self.head.maps, self.head.channels());
        let weights = matrix(&self.head.attention, maps);
        let mut of_weights = Array2::zeros((maps, channels));
        let mut of_maps = Vec::new();
        for ((card, places), of_card) in
            self.cards.iter().zip(&self.attention).zip(of_pooled.rows())
        {
            let of_card =
                of_card.to_shape((maps, channels)).expect("one row for each attention map");
            let mut of_places = of_card.dot(card);
            for (mut of_row, row) in of_places.rows_mut().into_iter().zip(places.rows()) {
                let mean = of_row.dot(&row);
                of_row.zip_mut_with(&row, |g, p| *g = p * (*g - mean));
            }
            of_weights += &of_places.dot(&card.t());
            let of_map = of_card.t().dot(places) + weights.t().dot(&of_places);
            of_maps.extend(of_map.iter());
        }
        (of_maps, of_weights)
    }
}

fn matrix(values: &[f32], rows: usize) -> ArrayView2<'_, f32> {
    let columns = values.len() / rows.max(1);
    ArrayView2::from_shape((rows, columns), values).expect("as many values as the shape says")
}

fn stacked(rows: &[Array1<f32>]) -> Array2<f32> {
    let views: Vec<ArrayView1<f32>> = rows.iter().map(|row| row.view()).collect();
    ndarray::stack(Axis(0), &views).expect("rows of equal length")
}

/// The softmax of each row.
fn softmax(mut rows: Array2<f32>) -> Array2<f32> {
    for mut row in rows.rows_mut() {
        let most = row.fold(f32::NEG_INFINITY, |most, v| most.max(*v));
        row.mapv_inplace(|v| (v - most).exp());
        let sum = row.sum();
        row /= sum;
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: usize, seed: usize) -> Vec<f32> {
        (0..count).map(|i| ((i * 37 + seed * 101) % 199) as f32 / 199.0 - 0.5).collect()
    }

    fn head() -> AgainstTable {
        AgainstTable {
            attention: numbers(2 * 5, 1),
            maps: 2,
            hidden: numbers(7 * 30, 2),
            hidden_bias: numbers(7, 3),
            weights: numbers(3 * 7, 4),
            bias: numbers(3, 5),
        }
    }

    fn arrays(head: &mut AgainstTable) -> [&mut Vec<f32>; 5] {
        let AgainstTable { attention, hidden, hidden_bias, weights, bias, .. } = head;
        [attention, hidden, hidden_bias, weights, bias]
    }

    fn mean_square(head: &AgainstTable, maps: &Tensor) -> f32 {
        let out = result(head, maps, 2).values;
        out.iter().map(|v| v * v).sum::<f32>() / out.len() as f32
    }

    #[test]
    fn gradients_are_those_of_differences() {
        let maps = Tensor::new(numbers(8 * 5 * 6, 6), &[8, 5, 2, 3]);
        let out = result(&head(), &maps, 2).values;
        let of_out: Vec<f32> = out.iter().map(|v| 2.0 * v / out.len() as f32).collect();
        let (of_maps, of_arrays) = gradient(&head(), &maps, 2, &of_out);
        let check = |found: f32, moved: &dyn Fn(f32) -> f32, name: &str| {
            // Small steps: units become active or not on the way.
            let wanted = (moved(1e-3) - moved(-1e-3)) / 2e-3;
            assert!(
                (found - wanted).abs() < 2e-3 + 0.03 * wanted.abs(),
                "{name}: {found} {wanted}"
            );
        };
        for (i, found) in of_maps.iter().enumerate().step_by(7) {
            let moved = |by: f32| {
                let mut maps = maps.clone();
                maps.values[i] += by;
                mean_square(&head(), &maps)
            };
            check(*found, &moved, &format!("map {i}"));
        }
        for (a, of_array) in of_arrays.iter().enumerate() {
            for (i, found) in of_array.iter().enumerate().step_by(3) {
                let moved = |by: f32| {
                    let mut head = head();
                    arrays(&mut head)[a][i] += by;
                    mean_square(&head, &maps)
                };
                check(*found, &moved, &format!("array {a}, number {i}"));
            }
        }
    }

    #[test]
    fn a_card_depends_on_its_own_table_alone() {
        let maps = numbers(8 * 5 * 6, 6);
        let both = result(&head(), &Tensor::new(maps.clone(), &[8, 5, 2, 3]), 2).values;
        let half = maps.len() / 2;
        let second = result(&head(), &Tensor::new(maps[half..].to_vec(), &[4, 5, 2, 3]), 1).values;
        assert_eq!(both[both.len() / 2..], second);
        let other = [&maps[..30], &maps[half..]].concat();
        let other = result(&head(), &Tensor::new(other, &[5, 5, 2, 3]), 1).values;
        assert_ne!(other[3..], second, "another card on the table changes all");
    }
}
