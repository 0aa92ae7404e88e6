//! Linear least squares for a handful of columns.

use super::paired::t_quantile;

/// A pivot below this share of its column's own sum of squares means that the column says nothing the others do not.
const ALIASED: f64 = 1e-9;

/// A fitted linear model.
#[derive(Debug, Clone)]
pub(super) struct Fit {
    coefficients: Vec<f64>,
    /// Inverse of the normal equations' matrix.
    inverse: Vec<Vec<f64>>,
    /// Residual variance.
    variance: f64,
    /// Degrees of freedom of the residuals.
    freedom: usize,
}

/// A combination of coefficients with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Effect {
    pub(super) estimate: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Fit {
    /// Fits rows of columns to values; `taken` degrees of freedom were used up before (by centring). `None` where the
    /// columns are not independent, or fewer than `least` degrees of freedom remain.
    pub(super) fn of(rows: &[Vec<f64>], values: &[f64], taken: usize, least: usize) -> Option<Self> {
        let columns = rows.first()?.len();
        let freedom = rows.len().checked_sub(taken + columns).filter(|freedom| *freedom >= least.max(1))?;
        let product = |left: &dyn Fn(usize) -> f64, right: &dyn Fn(usize) -> f64| -> f64 {
            (0..rows.len()).map(|row| left(row) * right(row)).sum()
        };
        let normal: Vec<Vec<f64>> = (0..columns)
            .map(|i| (0..columns).map(|j| product(&|row| rows[row][i], &|row| rows[row][j])).collect())
            .collect();
        let inverse = inverse(normal)?;
        let moments: Vec<f64> = (0..columns).map(|i| product(&|row| rows[row][i], &|row| values[row])).collect();
        let coefficients: Vec<f64> = inverse.iter().map(|row| dot(row, &moments)).collect();
        let squares: f64 = rows.iter().zip(values).map(|(row, value)| (value - dot(row, &coefficients)).powi(2)).sum();
        Some(Self { coefficients, inverse, variance: squares / freedom as f64, freedom })
    }

    /// A combination of the coefficients, with its t interval.
    pub(super) fn effect(&self, weights: &[f64]) -> Effect {
        let estimate = dot(weights, &self.coefficients);
        let spread: f64 = weights.iter().zip(&self.inverse).map(|(weight, row)| weight * dot(row, weights)).sum();
        let reach = t_quantile(0.975, self.freedom) * (self.variance * spread.max(0.0)).sqrt();
        Effect { estimate, low: estimate - reach, high: estimate + reach }
    }
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

/// The inverse of a symmetric positive definite matrix by Gauss–Jordan elimination; `None` where it has none.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let size = matrix.len();
    let scale: Vec<f64> = (0..size).map(|i| matrix[i][i]).collect();
    for (i, row) in matrix.iter_mut().enumerate() {
        row.extend((0..size).map(|j| if i == j { 1.0 } else { 0.0 }));
    }
    for pivot in 0..size {
        let head = matrix[pivot][pivot];
        let independent = head > ALIASED * scale[pivot];
        if !independent || !head.is_finite() {
            return None;
        }
        matrix[pivot].iter_mut().for_each(|value| *value /= head);
        let pivot_row = matrix[pivot].clone();
        for (_, row) in matrix.iter_mut().enumerate().filter(|(place, _)| *place != pivot) {
            let factor = row[pivot];
            row.iter_mut().zip(&pivot_row).for_each(|(value, above)| *value -= factor * above);
        }
    }
    Some(matrix.into_iter().map(|row| row[size..].to_vec()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(left: f64, right: f64, tolerance: f64) {
        assert!((left - right).abs() <= tolerance, "{left} is not {right}");
    }

    #[test]
    fn a_line_through_four_points_is_worked_by_hand() {
        // y = a + b·x at x = 0, 1, 2, 3 with y = 1, 3, 2, 5: x̄ = 1.5, Sxx = 5, Sxy = 5.5, b = 1.1, a = 1.1; residuals
        // −0.1, 0.8, −1.3, 0.6, squares 2.7, variance 1.35 with 2 degrees of freedom; se(b) = √(1.35 ÷ 5) = 0.5196.
        let rows: Vec<Vec<f64>> = (0..4).map(|x| vec![1.0, f64::from(x)]).collect();
        let fit = Fit::of(&rows, &[1.0, 3.0, 2.0, 5.0], 0, 1).expect("two independent columns");
        let slope = fit.effect(&[0.0, 1.0]);
        close(slope.estimate, 1.1, 1e-12);
        close(slope.high - slope.estimate, 4.302_653 * 0.27_f64.sqrt(), 1e-5);
        close(fit.effect(&[1.0, 0.0]).estimate, 1.1, 1e-12);
    }

    #[test]
    fn columns_that_repeat_each_other_cannot_be_told_apart() {
        let rows: Vec<Vec<f64>> = (0..6).map(|x| vec![f64::from(x), 2.0 * f64::from(x)]).collect();
        assert!(Fit::of(&rows, &[0.0; 6], 0, 1).is_none());
        assert!(Fit::of(&vec![vec![0.0]; 3], &[0.0; 3], 0, 1).is_none(), "a column of zeros says nothing");
        assert!(Fit::of(&vec![vec![1.0]; 3], &[0.0; 3], 1, 2).is_none(), "one degree of freedom remains");
        assert!(Fit::of(&[], &[], 0, 1).is_none());
    }
}
