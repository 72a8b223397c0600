// These tests compare rows that vector instructions compute with channels.h, sample by sample. The
// bits must be the same for all lengths and instruction sets.
#include "detector/acf/cpu/rows.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tests/support/instruction_sets.h"

namespace facepipe::detector::acf {
namespace {

constexpr int kLengths[] = {2, 3, 5, 7, 8, 15, 16, 17, 31, 33, 64, 100};

/// Holds a row of samples with room before and after it. begin() is the first sample.
struct Row {
  std::vector<float> samples;
  explicit Row(int length)
      : samples(static_cast<std::size_t>(2 * kRowRoom + 4 * kRowRoom + length)) {}
  float* begin() { return samples.data() + kRowRoom; }
  float operator[](int i) const { return samples[static_cast<std::size_t>(kRowRoom + i)]; }
};

class AcfRows : public testing::Test {
 protected:
  Row random(int length, float least = -.3F, float most = .9F) {
    Row row(length);
    std::uniform_real_distribution<float> some(least, most);
    for (int i = 0; i < length; ++i) row.begin()[i] = some(bits_);
    return row;
  }
  std::vector<std::uint8_t> bytes(int count) {
    std::vector<std::uint8_t> made(static_cast<std::size_t>(count));
    for (std::uint8_t& byte : made) byte = static_cast<std::uint8_t>(bits_() % 256);
    return made;
  }
  template <typename Check>
  void for_all(const Check& check) {
    for (const std::string_view set : test::instruction_sets()) {
      test::force_instruction_set(set);
      for (const int length : kLengths) {
        SCOPED_TRACE(std::string(set) + ' ' + std::to_string(length));
        check(length);
      }
    }
    test::use_best_instruction_set();
  }

  std::mt19937 bits_{11};
};

TEST_F(AcfRows, Colors) {
  const float to_rgb[3][4] = {
      {1.164F, 0, 1.793F, -248.1F}, {1.164F, -.213F, -.533F, 76.9F}, {1.164F, 2.112F, 0, -289.0F}};
  for_all([&](int length) {
    const auto y = bytes(length);
    const auto u = bytes(length);
    const auto v = bytes(length);
    std::vector<std::uint8_t> rgb(static_cast<std::size_t>(4 * length));
    to_rgb_row({y.data(), u.data(), v.data()}, to_rgb, length, rgb.data());
    Row l(length);
    Row luv_u(length);
    Row luv_v(length);
    to_luv_row(rgb.data(), length, lightness_table().data(), l.begin(), luv_u.begin(),
               luv_v.begin());
    for (int x = 0; x < length; ++x) {
      const auto at = static_cast<std::size_t>(x);
      float color[3];
      for (std::size_t c = 0; c < 3; ++c) {
        color[c] = color_of(y[at], u[at], v[at], to_rgb[c]);
        EXPECT_EQ(rgb[4 * at + c], color[c]);
      }
      const Luv expected = luv_of(color[0], color[1], color[2], lightness_table().data());
      EXPECT_EQ(l[x], expected.l);
      EXPECT_EQ(luv_u[x], expected.u);
      EXPECT_EQ(luv_v[x], expected.v);
    }
  });
}

TEST_F(AcfRows, SumsOfTapsAndSmoothing) {
  for_all([&](int length) {
    Row rows[3] = {random(length), random(length), random(length)};
    const float* const from[3] = {rows[0].begin(), rows[1].begin(), rows[2].begin()};
    const float weights[3] = {.2F, .7F, .1F};
    Row sum(length);
    add_rows(from, weights, 3, length, sum.begin());
    Row down(length);
    smooth_down(from[0], from[1], from[2], length, down.begin());
    Row across(length);
    smooth_across(from[0], length, across.begin());
    for (int x = 0; x < length; ++x) {
      EXPECT_EQ(sum[x], add(add(mul(.2F, rows[0][x]), mul(.7F, rows[1][x])), mul(.1F, rows[2][x])));
      EXPECT_EQ(down[x], smoothed(rows[0][x], rows[1][x], rows[2][x]));
      EXPECT_EQ(across[x], smoothed(rows[0][std::max(0, x - 1)], rows[0][x],
                                    rows[0][std::min(length - 1, x + 1)]));
    }
    for (const int after : {1, length / 2 + 1, length, 2 * length + 1}) {
      const Taps taps = make_taps(length, after);
      Row made(after);
      add_taps(rows[0].begin(), taps, .8F, made.begin());
      for (int x = 0; x < after; ++x) {
        float expected = 0;
        for (int t = 0; t < taps.count; ++t) {
          const auto at = static_cast<std::size_t>(t * after + x);
          const float product = mul(taps.weight[at], rows[0][taps.index[at]]);
          expected = t == 0 ? product : add(expected, product);
        }
        EXPECT_EQ(made[x], mul(expected, .8F));
      }
    }
  });
}

TEST_F(AcfRows, Gradients) {
  for_all([&](int length) {
    std::vector<Row> rows;
    ThreeRows three;
    for (int i = 0; i < 9; ++i) rows.push_back(random(length));
    for (std::size_t c = 0; c < 3; ++c) {
      three.before[c] = rows[3 * c].begin();
      three.here[c] = rows[3 * c + 1].begin();
      three.after[c] = rows[3 * c + 2].begin();
    }
    // If magnitudes are equal, the first colour channel must be chosen.
    std::copy_n(three.here[0], length, rows[7].begin());
    std::copy_n(three.before[0], length, rows[6].begin());
    std::copy_n(three.after[0], length, rows[8].begin());
    Row magnitude(length);
    Row angle(length);
    gradient_row(three, kHalf, length, magnitude.begin(), angle.begin());
    for (int x = 0; x < length; ++x) {
      float most = -1;
      float gx = 0;
      float gy = 0;
      for (std::size_t c = 0; c < 3; ++c) {
        const bool is_border = x == 0 || x == length - 1;
        const float across =
            slope(three.here[c][std::max(0, x - 1)], three.here[c][std::min(length - 1, x + 1)],
                  is_border ? 1 : kHalf);
        const float along = slope(three.before[c][x], three.after[c][x], kHalf);
        if (squared(across, along) <= most) continue;
        most = squared(across, along);
        gx = across;
        gy = along;
      }
      EXPECT_EQ(magnitude[x], root(most));
      EXPECT_EQ(angle[x], orientation_of(gx, gy));
    }
  });
}

TEST_F(AcfRows, MagnitudesByTheTriangleAround) {
  for_all([&](int length) {
    if (length < kRadius) return;
    Row magnitude = random(length, 0, 1);
    Row sum = random(length, 0, 36);
    Row made(length);
    const int stride = row_stride(length + 2 * kRadius + 2 * kRowRoom);
    std::vector<float> scratch(static_cast<std::size_t>(4 * stride));
    normalize_row(magnitude.begin(), sum.begin(), length, scratch.data(), stride, made.begin());
    const auto mirrored = [&](int x) {
      return sum[x < 0 ? -1 - x : x >= length ? 2 * length - 1 - x : x];
    };
    const auto pair = [&](int x) { return add(mirrored(x), mirrored(x + 1)); };
    const auto six = [&](int x) { return sum_of_six(pair(x), pair(x + 2), pair(x + 4)); };
    const auto doubled = [&](int x) { return add(six(x), six(x + 1)); };
    for (int x = 0; x < length; ++x) {
      const int first = x - kRadius;
      const float whole = sum_of_six(doubled(first), doubled(first + 2), doubled(first + 4));
      EXPECT_EQ(made[x], normalized(magnitude[x], whole));
    }
  });
}

/// Returns three colours, the magnitude and the orientation of the first four rows of pixels.
CellRows four_of(std::vector<Row>& rows) {
  CellRows four;
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t c = 0; c < 3; ++c) four.color[c][i] = rows[4 * c + i].begin();
    four.magnitude[i] = rows[12 + i].begin();
    four.orientation[i] = rows[16 + i].begin();
  }
  return four;
}

/// Returns the channel's value for cell x. value(row, column) gives the pixels.
template <typename Value>
float cell_of(int x, const Value& value) {
  float columns[4];
  for (int k = 0; k < 4; ++k)
    columns[k] = sum_of_four(value(0, 4 * x + k), value(1, 4 * x + k), value(2, 4 * x + k),
                             value(3, 4 * x + k));
  return mul(sum_of_four(columns[0], columns[1], columns[2], columns[3]), kCellShare);
}

TEST_F(AcfRows, Cells) {
  for_all([&](int length) {
    std::vector<Row> rows;
    for (int i = 0; i < 20; ++i) rows.push_back(random(4 * length, 0, i < 16 ? 2 : 5.999F));
    // The orientation 5 is exactly a bin, without a share for the next bin.
    for (std::size_t i = 16; i < 20; ++i) rows[i].begin()[0] = 5;
    const CellRows four = four_of(rows);
    std::vector<Row> made(kChannels, Row(length));
    float* to[kChannels];
    for (std::size_t c = 0; c < kChannels; ++c) to[c] = made[c].begin();
    const int stride = row_stride(4 * length) + 4 * kRowRoom;
    std::vector<float> scratch(static_cast<std::size_t>((kOrientations + 1) * stride));
    cells_row(four, length, scratch.data(), stride, to);
    for (int x = 0; x < length; ++x) {
      for (std::size_t c = 0; c < 3; ++c)
        EXPECT_EQ(made[c][x], cell_of(x, [&](int i, int at) { return four.color[c][i][at]; }));
      EXPECT_EQ(made[kMagnitude][x],
                cell_of(x, [&](int i, int at) { return four.magnitude[i][at]; }));
      for (int b = 0; b < kOrientations; ++b)
        EXPECT_EQ(made[static_cast<std::size_t>(kMagnitude + 1 + b)][x],
                  cell_of(x, [&](int i, int at) {
                    return share_of(shares_of(four.magnitude[i][at], four.orientation[i][at]), b);
                  }));
    }
  });
}

}  // namespace
}  // namespace facepipe::detector::acf
