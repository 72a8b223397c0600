"""What Nguyen et al. 2013 publish in text and tables, not only in plots."""

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

MOST_ACTIVE_WARPS = 48  # section 6.3.1, Fig. 14: a C2050's multiprocessor; 50 seen at scales 7 and 9
FIRST_SCALES, THEIR_WORK = 10, 0.90  # "more than 90 %" of the work
CACHED_STAGES = 7  # section 5.3: "perhaps just one thread per block" goes on
PICTURES = 9  # VGA, of 1 to 20 faces; not published


def fps_of_variants():
    """Returns {GPU: {variant: frames a second}}, from the text's numbers and ratios."""
    rates = {}
    for gpu, dynamic in DYNAMIC_FPS.items():
        shared = dynamic / OVER_SHARED_MEMORY[gpu]
        rates[gpu] = {"static, basic": shared / SHARED_OVER_BASIC[gpu], "static, shared memory": shared,
                      "dynamic warp": dynamic}
    return rates
