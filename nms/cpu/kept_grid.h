// Stores the boxes that may suppress candidates in a grid of cells, so that a candidate is compared
// only with the boxes in its own cells.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/geometry.h"
#include "nms/arena.h"
#include "nms/cpu/grid_plan.h"

namespace facepipe::nms {

/// Describes the cells from (left, top) to (right, bottom), both included.
struct CellRange {
  std::uint32_t left = 0;
  std::uint32_t top = 0;
  std::uint32_t right = 0;
  std::uint32_t bottom = 0;
  [[nodiscard]] std::uint32_t cells() const { return (right - left + 1) * (bottom - top + 1); }
};

/// Holds up to 16 boxes as a structure of arrays, for vector code. A free lane holds a box that
/// overlaps no box.
struct alignas(Arena::kAlignment) BoxBlock {
  static constexpr std::uint32_t kBoxes = 16;  // one vector of AVX-512, or several shorter vectors
  using Values = std::array<float, kBoxes>;
  Values x1, y1, x2, y2, area;

  void clear() {
    x1.fill(std::numeric_limits<float>::infinity());
    y1.fill(std::numeric_limits<float>::infinity());
    x2.fill(0);
    y2.fill(0);
    area.fill(0);
  }
  void set(std::uint32_t lane, const Box& box, float box_area) {
    x1[lane] = box.x1;
    y1[lane] = box.y1;
    x2[lane] = box.x2;
    y2[lane] = box.y2;
    area[lane] = box_area;
  }
};

class KeptGrid {
 public:
  /// A box that covers more cells than this is stored once, in wide().
  static constexpr std::uint32_t kMaxCellsOfABox = 9;

  /// Refers to a linked list of BoxBlocks, in the order in which add() stored the boxes. All blocks
  /// except the last are full.
  struct Cell {
    std::uint32_t boxes = 0;
    std::uint32_t first = 0;
    std::uint32_t last = 0;
  };

  KeptGrid(Arena& arena, std::uint32_t capacity)
      : cells_(arena.take<Cell>(GridPlan::kMaxCells + 1)),
        blocks_(arena.take<BoxBlock>(most_blocks(capacity))),
        next_(arena.take<std::uint32_t>(most_blocks(capacity))) {}

  /// Removes all boxes and sets the layout.
  void reset(const GridPlan& plan) {
    plan_ = plan;
    used_blocks_ = 0;
    std::fill_n(cells_, plan.cells() + 1, Cell{});
  }

  void add(const Box& box, float area, const CellRange& range) {
    if (range.cells() > kMaxCellsOfABox) {
      append(cells_[plan_.cells()], box, area);
      return;
    }
    for (std::uint32_t row = range.top; row <= range.bottom; ++row)
      for (std::uint32_t column = range.left; column <= range.right; ++column)
        append(cells_[row * plan_.columns + column], box, area);
  }

  [[nodiscard]] const GridPlan& plan() const { return plan_; }
  /// `index` counts the cells row by row.
  [[nodiscard]] const Cell& cell(std::uint32_t index) const { return cells_[index]; }
  /// Returns the cell of the boxes that cover too many cells. Every candidate is compared with
  /// them.
  [[nodiscard]] const Cell& wide() const { return cells_[plan_.cells()]; }
  [[nodiscard]] const BoxBlock& block(std::uint32_t index) const { return blocks_[index]; }
  [[nodiscard]] std::uint32_t after(std::uint32_t block) const { return next_[block]; }

 private:
  static std::size_t most_blocks(std::uint32_t capacity) {
    // In each cell, all blocks except the last are full.
    return std::size_t{capacity} * kMaxCellsOfABox / BoxBlock::kBoxes +
           std::min<std::size_t>(GridPlan::kMaxCells + 1, std::size_t{capacity} * kMaxCellsOfABox);
  }

  void append(Cell& cell, const Box& box, float area) {
    const std::uint32_t lane = cell.boxes % BoxBlock::kBoxes;
    if (lane == 0) {
      const std::uint32_t fresh = used_blocks_++;
      blocks_[fresh].clear();
      if (cell.boxes == 0)
        cell.first = fresh;
      else
        next_[cell.last] = fresh;
      cell.last = fresh;
    }
    blocks_[cell.last].set(lane, box, area);
    ++cell.boxes;
  }

  GridPlan plan_;
  Cell* cells_;  // plan_.cells() cells, then the cell of wide boxes
  BoxBlock* blocks_;
  std::uint32_t* next_;
  std::uint32_t used_blocks_ = 0;
};

}  // namespace facepipe::nms
