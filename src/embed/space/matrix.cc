#include "embed/space/matrix.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "base/each_processor.h"

namespace quarry::embed {

namespace {

// SplitMix64: the standard's distributions may differ between libraries.
class Randomness {
public:
    explicit Randomness(std::uint64_t seed) : state_(seed) {}

    float next() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return static_cast<float>(static_cast<std::int64_t>(z ^ (z >> 31)) >> 40) * 0x1p-23F;
    }

private:
    std::uint64_t state_;
};

// products += the outer products of four rows with themselves, upper half only. Four at a time: the sums are
// read and written a quarter as often, which is where the time goes. In doubles, because the shortest
// principal direction may be a thousand times shorter than the longest, and squared that is all a float has.
QUARRY_FOR_EACH_PROCESSOR
void add_outer_products(const double* rows, std::size_t size, double* products) {
    const double *a = rows, *b = a + size, *c = b + size, *d = c + size;
    for (std::size_t i = 0; i < size; ++i) {
        double* to = products + i * size;
        const double ai = a[i], bi = b[i], ci = c[i], di = d[i];
        for (std::size_t j = i; j < size; ++j) to[j] += ai * a[j] + bi * b[j] + ci * c[j] + di * d[j];
    }
}

// to = row x factor
QUARRY_FOR_EACH_PROCESSOR
void row_product(std::span<const float> row, const Matrix& factor, float* __restrict to) {
    const std::size_t columns = factor.columns;
    std::fill(to, to + columns, 0.0F);
    std::size_t i = 0;
    for (; i + 4 <= row.size(); i += 4) {
        const float* a = factor.values.data() + i * columns;
        const float *b = a + columns, *c = b + columns, *d = c + columns;
        const float ra = row[i], rb = row[i + 1], rc = row[i + 2], rd = row[i + 3];
        for (std::size_t j = 0; j < columns; ++j) to[j] += ra * a[j] + rb * b[j] + rc * c[j] + rd * d[j];
    }
    for (; i < row.size(); ++i) {
        const float* a = factor.values.data() + i * columns;
        for (std::size_t j = 0; j < columns; ++j) to[j] += row[i] * a[j];
    }
}

QUARRY_FOR_EACH_PROCESSOR
void rotate(double* __restrict a, double* __restrict b, double cosine, double sine, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
        const double x = a[i], y = b[i];
        a[i] = cosine * x - sine * y;
        b[i] = sine * x + cosine * y;
    }
}

double off_diagonal(const SymmetricMatrix& matrix) {
    double sum = 0;
    for (std::size_t i = 0; i < matrix.size; ++i) {
        for (std::size_t j = i + 1; j < matrix.size; ++j) sum += matrix.at(i, j) * matrix.at(i, j);
    }
    return sum;
}

// The rotation of rows p and q that makes the element (p, q) vanish (Golub and Van Loan, 8.5.2).
void annihilate(SymmetricMatrix& matrix, SymmetricMatrix& vectors, std::size_t p, std::size_t q) {
    const double element = matrix.at(p, q);
    const double tau = (matrix.at(q, q) - matrix.at(p, p)) / (2 * element);
    const double t = (tau >= 0 ? 1 : -1) / (std::abs(tau) + std::sqrt(1 + tau * tau));
    const double cosine = 1 / std::sqrt(1 + t * t), sine = t * cosine;
    const double pp = matrix.at(p, p) - t * element, qq = matrix.at(q, q) + t * element;
    const std::size_t size = matrix.size;
    rotate(&matrix.at(p, 0), &matrix.at(q, 0), cosine, sine, size);
    // Symmetry gives the columns from the rows.
    for (std::size_t i = 0; i < size; ++i) {
        matrix.at(i, p) = matrix.at(p, i);
        matrix.at(i, q) = matrix.at(q, i);
    }
    matrix.at(p, p) = pp;
    matrix.at(q, q) = qq;
    matrix.at(p, q) = matrix.at(q, p) = 0;
    rotate(&vectors.at(p, 0), &vectors.at(q, 0), cosine, sine, size);
}

// Jacobi's method, whole sweeps until what is off the diagonal is nothing. `vectors` gets them as rows.
void diagonalise(SymmetricMatrix& matrix, SymmetricMatrix& vectors) {
    double diagonal = 0;
    for (std::size_t i = 0; i < matrix.size; ++i) diagonal += matrix.at(i, i) * matrix.at(i, i);
    constexpr int max_sweeps = 30;  // ten are usual
    for (int sweep = 0; sweep < max_sweeps; ++sweep) {
        const double off = off_diagonal(matrix);
        if (!(off > 1e-22 * diagonal)) return;
        // Elements far below the average of what is left are not worth a rotation yet.
        const double least = 1e-2 * off / static_cast<double>(matrix.size * matrix.size);
        for (std::size_t p = 0; p < matrix.size; ++p) {
            for (std::size_t q = p + 1; q < matrix.size; ++q) {
                if (matrix.at(p, q) * matrix.at(p, q) > least) annihilate(matrix, vectors, p, q);
            }
        }
    }
}

// R^-1 for the upper triangle R with R'R = matrix (Cholesky); nothing if columns nearly depend on each other.
std::optional<Matrix> inverse_of_root(SymmetricMatrix matrix) {
    const std::size_t size = matrix.size;
    double largest = 0;
    for (std::size_t i = 0; i < size; ++i) largest = std::max(largest, matrix.at(i, i));
    for (std::size_t i = 0; i < size; ++i) {
        const double pivot = matrix.at(i, i);
        if (!(pivot > 1e-10 * largest)) return std::nullopt;
        const double root = std::sqrt(pivot);
        for (std::size_t j = i; j < size; ++j) matrix.at(i, j) /= root;
        for (std::size_t k = i + 1; k < size; ++k) {
            const double factor = matrix.at(i, k);
            for (std::size_t j = k; j < size; ++j) matrix.at(k, j) -= factor * matrix.at(i, j);
        }
    }
    // Row by row from below: R X = 1.
    SymmetricMatrix inverse(size);
    for (std::size_t i = size; i-- > 0;) {
        inverse.at(i, i) = 1;
        for (std::size_t k = i + 1; k < size; ++k) {
            const double factor = matrix.at(i, k);
            for (std::size_t j = k; j < size; ++j) inverse.at(i, j) -= factor * inverse.at(k, j);
        }
        for (std::size_t j = i; j < size; ++j) inverse.at(i, j) /= matrix.at(i, i);
    }
    Matrix result(size, size);
    std::ranges::transform(inverse.values, result.values.begin(),
                           [](double value) { return static_cast<float>(value); });
    return result;
}

}  // namespace

void fill_randomly(Matrix& matrix, std::uint64_t seed) {
    Randomness randomness(seed);
    for (float& value : matrix.values) value = randomness.next();
}

SymmetricMatrix column_products(const Matrix& matrix) {
    const std::size_t size = matrix.columns;
    constexpr std::size_t rows_at_once = 4;
    SymmetricMatrix products(size);
    std::vector<double> rows(rows_at_once * size);
    for (std::size_t begin = 0; begin < matrix.rows; begin += rows_at_once) {
        const std::size_t count = std::min(rows_at_once, matrix.rows - begin);
        std::fill(rows.begin(), rows.end(), 0.0);
        std::copy_n(matrix.values.data() + begin * size, count * size, rows.begin());
        add_outer_products(rows.data(), size, products.values.data());
    }
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j < i; ++j) products.at(i, j) = products.at(j, i);
    }
    return products;
}

void multiply_rows(Matrix& matrix, const Matrix& factor) {
    std::vector<float> product(factor.columns);
    for (std::size_t i = 0; i < matrix.rows; ++i) {
        row_product(matrix.row(i), factor, product.data());
        std::copy(product.begin(), product.end(),
                  matrix.values.begin() + static_cast<std::ptrdiff_t>(i * factor.columns));
    }
    matrix.columns = factor.columns;
    matrix.values.resize(matrix.rows * matrix.columns);
}

EigenSystem eigen_system(SymmetricMatrix matrix) {
    const std::size_t size = matrix.size;
    SymmetricMatrix vectors(size);
    for (std::size_t i = 0; i < size; ++i) vectors.at(i, i) = 1;
    diagonalise(matrix, vectors);

    std::vector<std::size_t> order(size);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, std::greater{}, [&](std::size_t i) { return std::pair(matrix.at(i, i), i); });
    EigenSystem system{.values = {}, .vectors = Matrix(size, size)};
    for (std::size_t n = 0; n < size; ++n) {
        system.values.push_back(matrix.at(order[n], order[n]));
        for (std::size_t i = 0; i < size; ++i) {
            system.vectors.row(i)[n] = static_cast<float>(vectors.at(order[n], i));
        }
    }
    return system;
}

// With M'M = U L U', the columns of M U / sqrt(L) are orthonormal and span what M's columns do. Unlike
// Gram-Schmidt or Cholesky it needs no special case for columns that depend on each other.
std::vector<double> to_principal_directions(Matrix& matrix) {
    EigenSystem system = eigen_system(column_products(matrix));
    const double least = system.values.empty() ? 0 : 1e-12 * system.values.front();
    for (std::size_t n = 0; n < system.values.size(); ++n) {
        double& length = system.values[n];
        if (!(length > least)) length = 0;
        const double factor = length > 0 ? 1 / std::sqrt(length) : 0;
        for (std::size_t i = 0; i < system.vectors.rows; ++i) {
            float& element = system.vectors.row(i)[n];
            element = static_cast<float>(element * factor);
        }
    }
    multiply_rows(matrix, system.vectors);
    return std::move(system.values);
}

// With M'M = R'R, R an upper triangle, the columns of M R^-1 are orthonormal.
void orthonormalise(Matrix& matrix) {
    const auto inverse = inverse_of_root(column_products(matrix));
    if (inverse) {
        multiply_rows(matrix, *inverse);
    } else {
        to_principal_directions(matrix);
    }
}

Matrix random_rotation(std::size_t size, std::uint64_t seed) {
    Matrix rotation(size, size);
    fill_randomly(rotation, seed);
    orthonormalise(rotation);
    return rotation;
}

}  // namespace quarry::embed
