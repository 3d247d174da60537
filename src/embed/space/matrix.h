// The little linear algebra that fitting a space needs: tall matrices of floats, small symmetric ones of
// doubles. Written out because it is four loops; decision 10 has the comparison with a library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace quarry::embed {

// Row by row.
struct Matrix {
    Matrix(std::size_t rows_, std::size_t columns_)
        : rows(rows_), columns(columns_), values(rows_ * columns_) {}

    std::span<float> row(std::size_t i) { return {values.data() + i * columns, columns}; }
    std::span<const float> row(std::size_t i) const { return {values.data() + i * columns, columns}; }

    std::size_t rows, columns;
    std::vector<float> values;
};

struct SymmetricMatrix {
    explicit SymmetricMatrix(std::size_t size_) : size(size_), values(size_ * size_) {}

    double& at(std::size_t i, std::size_t j) { return values[i * size + j]; }
    double at(std::size_t i, std::size_t j) const { return values[i * size + j]; }

    std::size_t size;
    std::vector<double> values;
};

// Numbers in [-1, 1), the same for the same seed everywhere.
void fill_randomly(Matrix& matrix, std::uint64_t seed);

// The products of all pairs of columns.
SymmetricMatrix column_products(const Matrix& matrix);

// Every row becomes row x factor. `factor` has at most as many columns as rows: no memory is taken.
void multiply_rows(Matrix& matrix, const Matrix& factor);

// `values` falling; `vectors` has the vector of the nth value in its nth column.
struct EigenSystem {
    std::vector<double> values{};
    Matrix vectors{0, 0};
};
EigenSystem eigen_system(SymmetricMatrix matrix);

// Replaces the columns by the principal directions of their span: orthonormal, the longest first. Returns the
// squared length that each had; where it is nothing, the column becomes 0.
std::vector<double> to_principal_directions(Matrix& matrix);

// The same for who needs no directions: any orthonormal columns with that span. A quarter of the time.
void orthonormalise(Matrix& matrix);

// A random orthogonal matrix.
Matrix random_rotation(std::size_t size, std::uint64_t seed);

}  // namespace quarry::embed
