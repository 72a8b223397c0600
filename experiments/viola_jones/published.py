"""Holds numbers from the text and tables of Nguyen et al. 2013. Numbers that only a plot shows are missing."""

# Table 2, VGA: launch: (scale factor, columns and rows of the grid).
GRIDS = {1: (1.00, 40, 30), 2: (1.20, 40, 30), 3: (1.44, 40, 30), 4: (1.73, 40, 30), 5: (2.07, 20, 15),
         14: (10.70, 4, 3), 18: (22.19, 1, 1)}

# Section 6.2.1: frames a second of dynamic warps, and their ratios to the others; Fig. 12 is a plot.
DYNAMIC_FPS = {"C1060": 11.11, "C2050": 20.91}
OVER_SHARED_MEMORY = {"C1060": 3.1, "C2050": 2.6}  # times as fast
SHARED_OVER_BASIC = {"C1060": 1.24, "C2050": 1.02}

# Section 6.2.2, Fig. 13: C2050s.
SEVERAL_FPS = {1: 20.91, 5: 95.6, 6: 98.2}
SPEEDUP_OF_5, EFFICIENCY_OF_5 = 4.6, 0.92

MOST_ACTIVE_WARPS = 48  # section 6.3.1, Fig. 14: the limit of a multiprocessor
SHOWN_WARPS = 50  # what Fig. 14 shows at scales 7 and 9, which is more than the limit
FIRST_SCALES, THEIR_WORK = 10, 0.90  # "more than 90 %" of the work
CACHED_STAGES = 7  # section 5.3: after these stages, "perhaps just one thread per block" goes on
PART = 16  # multiprocessors: CUDA rounds the 14 of a C2050 up to this number
LEAST_CACHED, MOST_CACHED = 7, 15  # section 5.3: "no significant difference in running times for ... 7 <= K <= 15"
BLOCK_SIDE = 16  # section 5.2: "optimal"
# Table 1: earlier designs, with the frames a second at a size. Each design has its own pictures and shortcuts.
TABLE_1 = (("[23]", (120, 120), 15.0), ("[11]", (288, 216), 2.5), ("[5]", (256, 192), 98.0), ("[2]", (640, 480), 6.55),
           ("[1]", (640, 480), 16.08), ("[6]", (627, 441), 4.3), ("[7]", (640, 480), 15.02), ("[18]", (640, 480), 46.0),
           ("[8]", (696, 510), 10.8))
TABLE_1_SIZES = tuple(dict.fromkeys(size for _, size, _ in TABLE_1))
PICTURES = 9  # VGA, of 1 to 20 faces; not published


def fps_of_variants():
    """Returns {GPU: {variant: frames a second}}, from the text's numbers and ratios."""
    rates = {}
    for gpu, dynamic in DYNAMIC_FPS.items():
        shared = dynamic / OVER_SHARED_MEMORY[gpu]
        rates[gpu] = {"static, basic": shared / SHARED_OVER_BASIC[gpu], "static, shared memory": shared,
                      "dynamic warp": dynamic}
    return rates
