//! Least squares on a design of few columns that need not be independent: what the design does not identify is found out
//! and left out.
//!
//! The normal equations are solved through the eigenvectors of the symmetric matrix, by Jacobi's rotations (Golub and Van
//! Loan, "Matrix Computations", section 8.5). Designs are 0/1 with some dozens of columns, so their squares lose nothing.

/// Eigenvalues of a design below this part of the largest are rounding.
const ROUNDING: f64 = 1e-10;

/// A design with its normal equations solved: one row for each arm, one column for each parameter.
pub(super) struct LeastSquares {
    rows: Vec<Vec<f64>>,
    /// Eigenvalues other than 0 with their vectors.
    spectrum: Vec<(f64, Vec<f64>)>,
}

impl LeastSquares {
    pub(super) fn new(rows: Vec<Vec<f64>>) -> Self {
        let columns = rows.first().map_or(0, Vec::len);
        let product = |i: usize, j: usize| rows.iter().map(|row| row[i] * row[j]).sum();
        let square = (0..columns).map(|i| (0..columns).map(|j| product(i, j)).collect()).collect();
        let mut spectrum = eigen(square);
        let largest = spectrum.iter().map(|(value, _)| *value).fold(0.0, f64::max);
        spectrum.retain(|(value, _)| *value > ROUNDING * largest);
        Self { rows, spectrum }
    }

    /// How many independent parameters there are.
    pub(super) fn rank(&self) -> usize {
        self.spectrum.len()
    }

    /// The weight of each row in the estimate of this combination of parameters; absent if the rows do not identify it.
    pub(super) fn weights(&self, combination: &[f64]) -> Option<Vec<f64>> {
        let mut rest = combination.to_vec();
        let mut solved = vec![0.0; combination.len()];
        for (value, vector) in &self.spectrum {
            let along = dot(vector, combination);
            for (at, part) in vector.iter().enumerate() {
                rest[at] -= along * part;
                solved[at] += along / value * part;
            }
        }
        let identified = rest.iter().all(|part| part.abs() < 1e-7);
        identified.then(|| self.rows.iter().map(|row| dot(row, &solved)).collect())
    }

    /// For each row the weights that give its residual.
    pub(super) fn residuals(&self) -> Vec<Vec<f64>> {
        let of = |(at, row): (usize, &Vec<f64>)| {
            let fitted = self.weights(row).expect("a row is a combination of the rows");
            fitted.iter().enumerate().map(|(other, weight)| f64::from(at == other) - weight).collect()
        };
        self.rows.iter().enumerate().map(of).collect()
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Eigenvalues and unit eigenvectors of a symmetric matrix.
fn eigen(mut matrix: Vec<Vec<f64>>) -> Vec<(f64, Vec<f64>)> {
    let n = matrix.len();
    let mut vectors: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| f64::from(i == j)).collect()).collect();
    let size: f64 = matrix.iter().flatten().map(|part| part * part).sum();
    // Each sweep squares what is left outside the diagonal; ten are never needed.
    for _ in 0..50 {
        let outside: f64 = (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| matrix[i][j].powi(2)).sum();
        if outside <= 1e-30 * size {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                rotate(&mut matrix, &mut vectors, p, q);
            }
        }
    }
    vectors.into_iter().enumerate().map(|(at, vector)| (matrix[at][at], vector)).collect()
}

/// One rotation of rows and columns `p` and `q` that makes their common entry 0. Vectors are rows of `vectors`.
fn rotate(matrix: &mut [Vec<f64>], vectors: &mut [Vec<f64>], p: usize, q: usize) {
    let entry = matrix[p][q];
    if entry == 0.0 {
        return;
    }
    let theta = (matrix[q][q] - matrix[p][p]) / (2.0 * entry);
    let tangent = theta.signum() / (theta.abs() + theta.hypot(1.0));
    let cosine = 1.0 / tangent.hypot(1.0);
    let sine = tangent * cosine;
    let turn = |a: &mut f64, b: &mut f64| (*a, *b) = (cosine * *a - sine * *b, sine * *a + cosine * *b);
    for row in matrix.iter_mut() {
        let (left, right) = row.split_at_mut(q);
        turn(&mut left[p], &mut right[0]);
    }
    for rows in [matrix, vectors] {
        let (above, below) = rows.split_at_mut(q);
        above[p].iter_mut().zip(&mut below[0]).for_each(|(a, b)| turn(a, b));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvectors_are_those_of_the_matrix() {
        let matrix = vec![vec![4.0, 1.0, -2.0], vec![1.0, 2.0, 0.0], vec![-2.0, 0.0, 3.0]];
        for (value, vector) in eigen(matrix.clone()) {
            assert!((dot(&vector, &vector) - 1.0).abs() < 1e-12);
            for (row, part) in matrix.iter().zip(&vector) {
                assert!((dot(row, &vector) - value * part).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_line_is_fitted_and_what_is_not_identified_is_absent() {
        // y = a + bx at x = 0, 1, 2; the third column repeats the second.
        let fit = LeastSquares::new(vec![vec![1.0, 0.0, 0.0], vec![1.0, 1.0, 1.0], vec![1.0, 2.0, 2.0]]);
        assert_eq!(fit.rank(), 2);
        let slope = fit.weights(&[0.0, 1.0, 1.0]).unwrap();
        assert!(slope.iter().zip([-0.5, 0.0, 0.5]).all(|(found, right)| (found - right).abs() < 1e-12), "{slope:?}");
        assert_eq!(fit.weights(&[0.0, 1.0, 0.0]), None);
        let residuals = fit.residuals();
        assert!((dot(&residuals[1], &[0.0, 1.0, 0.0]) - 2.0 / 3.0).abs() < 1e-12);
    }
}
