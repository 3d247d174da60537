#include "embed/space/matrix.h"

#include <cmath>

#include <doctest/doctest.h>

using namespace quarry::embed;

namespace {

double dot_of_columns(const Matrix& matrix, std::size_t a, std::size_t b) {
    double sum = 0;
    for (std::size_t i = 0; i < matrix.rows; ++i) sum += double{matrix.row(i)[a]} * matrix.row(i)[b];
    return sum;
}

Matrix random_matrix(std::size_t rows, std::size_t columns, std::uint64_t seed) {
    Matrix matrix(rows, columns);
    fill_randomly(matrix, seed);
    return matrix;
}

}  // namespace

TEST_CASE("random numbers are spread evenly around 0 and depend on the seed alone") {
    const Matrix matrix = random_matrix(1000, 10, 1);

    double sum = 0, squares = 0;
    for (const float x : matrix.values) {
        REQUIRE(x >= -1);
        REQUIRE(x < 1);
        sum += x;
        squares += double{x} * x;
    }

    CHECK(std::abs(sum / 10'000) < 0.02);
    CHECK(squares / 10'000 == doctest::Approx(1.0 / 3).epsilon(0.03));
    CHECK(matrix.values == random_matrix(1000, 10, 1).values);
    CHECK(matrix.values != random_matrix(1000, 10, 2).values);
}

TEST_CASE("the products of columns are those of the plain formula, for any number of rows") {
    for (const std::size_t rows : {1, 2, 3, 4, 5, 511, 512, 513, 1030}) {
        const Matrix matrix = random_matrix(rows, 7, rows);

        const SymmetricMatrix products = column_products(matrix);

        for (std::size_t i = 0; i < 7; ++i) {
            for (std::size_t j = 0; j < 7; ++j) {
                CHECK(products.at(i, j) == doctest::Approx(dot_of_columns(matrix, i, j)).epsilon(1e-4));
            }
        }
    }
}

TEST_CASE("orthonormal columns span what the columns did, also if some depend on others") {
    for (const bool has_twins : {false, true}) {
        Matrix matrix = random_matrix(300, 12, 5);
        if (has_twins)
            for (std::size_t i = 0; i < matrix.rows; ++i) matrix.row(i)[3] = 2 * matrix.row(i)[7];
        const Matrix before = matrix;

        orthonormalise(matrix);

        int whole = 0;
        for (std::size_t a = 0; a < matrix.columns; ++a) {
            const double length = dot_of_columns(matrix, a, a);
            CHECK((std::abs(length - 1) < 1e-4 || length == 0));
            whole += length > 0 ? 1 : 0;
            for (std::size_t b = 0; b < a; ++b) CHECK(std::abs(dot_of_columns(matrix, a, b)) < 1e-4);
        }
        CHECK(whole == (has_twins ? 11 : 12));
        // Each former column is the sum of its parts along the new ones.
        for (std::size_t column = 0; column < before.columns; ++column) {
            double rest = dot_of_columns(before, column, column);
            for (std::size_t b = 0; b < matrix.columns; ++b) {
                double part = 0;
                for (std::size_t i = 0; i < matrix.rows; ++i)
                    part += double{before.row(i)[column]} * matrix.row(i)[b];
                rest -= part * part;
            }
            CHECK(std::abs(rest) < 1e-3);
        }
    }
}

TEST_CASE("rows are multiplied in place") {
    Matrix matrix(2, 5);
    matrix.values = {1, 2, 3, 4, 5, 0, 0, 1, 0, 2};
    Matrix factor(5, 2);
    factor.values = {1, 0, 0, 1, 1, 1, 2, 0, 0, 3};

    multiply_rows(matrix, factor);

    CHECK(matrix.columns == 2);
    CHECK(matrix.values == std::vector<float>{12, 20, 1, 7});
}

TEST_CASE("eigenvalues come falling, each with its vector") {
    SymmetricMatrix matrix(3);
    matrix.values = {2, 1, 0, 1, 2, 0, 0, 0, 5};

    const EigenSystem system = eigen_system(matrix);

    REQUIRE(system.values.size() == 3);
    CHECK(system.values[0] == doctest::Approx(5));
    CHECK(system.values[1] == doctest::Approx(3));
    CHECK(system.values[2] == doctest::Approx(1));
    CHECK(std::abs(system.vectors.row(2)[0]) == doctest::Approx(1));
    CHECK(std::abs(system.vectors.row(0)[1]) == doctest::Approx(std::sqrt(0.5)));
    CHECK(system.vectors.row(0)[1] == doctest::Approx(system.vectors.row(1)[1]));
}

TEST_CASE("a matrix is put together again from its eigenvalues and vectors") {
    const SymmetricMatrix matrix = column_products(random_matrix(100, 40, 3));

    const EigenSystem system = eigen_system(matrix);

    for (std::size_t i = 0; i < 40; ++i) {
        for (std::size_t j = 0; j < 40; ++j) {
            double sum = 0;
            for (std::size_t n = 0; n < 40; ++n) {
                sum += system.values[n] * system.vectors.row(i)[n] * system.vectors.row(j)[n];
            }
            CHECK(std::abs(sum - matrix.at(i, j)) < 1e-3);
        }
    }
}

TEST_CASE("principal directions are orthonormal, and those that do not exist are 0") {
    // 20 columns, of which the last ten are sums of the first ten.
    Matrix matrix = random_matrix(200, 20, 4);
    for (std::size_t i = 0; i < matrix.rows; ++i) {
        for (std::size_t j = 10; j < 20; ++j) {
            matrix.row(i)[j] = matrix.row(i)[j - 10] + 2 * matrix.row(i)[(j - 9) % 10];
        }
    }

    const std::vector<double> lengths = to_principal_directions(matrix);

    for (std::size_t i = 0; i < 20; ++i) {
        CHECK((lengths[i] > 0) == (i < 10));
        for (std::size_t j = 0; j < 20; ++j) {
            CHECK(std::abs(dot_of_columns(matrix, i, j) - (i == j && i < 10 ? 1 : 0)) < 1e-3);
        }
    }
}

TEST_CASE("a matrix of nothing has no directions") {
    Matrix matrix(10, 4);

    const std::vector<double> lengths = to_principal_directions(matrix);

    CHECK(lengths == std::vector<double>(4, 0.0));
    CHECK(matrix.values == std::vector<float>(40, 0.0F));
}

TEST_CASE("a random rotation keeps lengths and angles") {
    const Matrix rotation = random_rotation(64, 5);

    for (std::size_t i = 0; i < 64; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            CHECK(std::abs(dot_of_columns(rotation, i, j) - (i == j ? 1 : 0)) < 1e-3);
        }
    }
}
