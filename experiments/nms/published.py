"""Holds numbers from the texts and tables of Oro et al. 2020 ("2020") and 2016 ("2016").

Numbers that only a plot shows are missing.
"""

# 2020, Table 5: map and reduce, oscars, k = 32, D_max = 4096, microseconds by number of detections.
LATENCY_US = {"GTX 1060": {200: 107, 1027: 324, 2895: 1313}, "Tesla T4": {200: 24, 1027: 88, 2895: 430}}
CUDA_CORES = {"GTX 1060": 1280, "Tesla T4": 2560}

# 2020, section 6: all of oscars (roughly 3,000 detections) at the highest clock: milliseconds, and the
# number of CUDA cores of Table 1.
TEGRA = {"T124 (TK1)": (192, 11.24), "T210 (TX1)": (256, 7.36), "T186 (TX2)": (256, 7.6)}

# 2020, section 6: how many times as fast as each Tegra the GPUs of Table 5 are.
SPEEDUPS = {"GTX 1060": {"TK1": 8.11, "TX2": 5.38, "TX1": 5.23}, "Tesla T4": {"TK1": 24.59, "TX2": 15.91, "TX1": 16.44}}
DOUBLED_CORES = ("GTX 1060", "Tesla T4", 3)  # "2x cores, 3x faster", for 2895 detections

# 2020, sections 2 and 8: suppression by networks: milliseconds, and the hardware.
NETWORKS_MS = {"GNet": (14, "Tesla K40M, 67.3 detections on average"), "NMSNet": (40, "platform not told")}
OWN_FOR_NETWORKS = (1, 1024)  # 2020, section 8: milliseconds and number of objects; 14 and 40 times follow from them
# 2020, section 2: the chip of Shi et al.: candidates, microseconds, milliwatts.
SHI = (1000, 12.79, 6.142)
STEPS_2016 = (1024, 2048)  # 2016, Fig. 4: detections at which time jumps, at k = 4

# 2020, Table 6: mosaic, milliseconds by k: (map, reduce, total).
MOSAIC_MS = {"TK1": {4: (5.17, 2.41, 7.78), 8: (5.16, 1.87, 7.22), 16: (5.17, 1.64, 6.97),
                     32: (5.17, 1.54, 6.88)},
             "TX1": {4: (3.74, 1.34, 4.84), 8: (3.37, 1.11, 4.57), 16: (3.38, 1.03, 4.53),
                     32: (3.38, 1.00, 4.48)},
             "TX2": {4: (3.52, 1.37, 4.93), 8: (3.50, 1.16, 4.71), 16: (3.50, 1.07, 4.61),
                     32: (3.49, 1.03, 4.56)}}

# 2020, section 6 and Fig. 12: crowd_run.
CROWD_DETECTIONS = (360, 698)  # fewest and most in a frame
CROWD_MS = {"TK1": "0.5 to 1.8 ms", "TX1": "about half of that", "TX2": "very close to 0.5 ms"}
SHARE_OF_40_MS = 0.01  # 2020, section 8: roughly 3,000 windows in less than 0.5 ms, on a T4
OSCARS = (147, 2997)  # 2016, section 4: faces, detections
BEST_K = 32  # 2020, Fig. 11; 2016, Fig. 6

# 2020, Table 7.
ACCURACY = {"PASCAL VOC2007 (mAP)": {"This work": 0.7516, "NMSNet": 0.7659, "HS-NMS": 0.7556,
                                     "Soft-NMS": 0.7623},
            "CrowdHuman (AP)": {"This work": 0.8307, "AdaptiveNMS": 0.8471, "FeatureNMS": 0.8538,
                                "Soft-NMS": 0.8392}}


def in_order(by_chip):
    return sorted(by_chip, key=by_chip.get)


def contradictions():
    """Returns sentences about numbers in the papers that contradict each other."""
    found = []
    for chip, by_k in MOSAIC_MS.items():
        for k, (mapped, reduced, total) in by_k.items():
            if abs(mapped + reduced - total) > 0.15:
                found.append(f"Table 6, {chip}, k = {k}: {mapped} + {reduced} is {mapped + reduced:.2f}, not {total}")
    chips = {chip.split("(")[1].rstrip(")"): ms for chip, (_, ms) in TEGRA.items()}
    for gpu, by_chip in SPEEDUPS.items():
        ratios = {chip: 1000 * chips[chip] / LATENCY_US[gpu][2895] for chip in by_chip}
        found.append(f"{gpu}, times as fast as {', '.join(by_chip)}: printed {', '.join(map(str, by_chip.values()))}; "
                     f"by the times in text and Table 5 {', '.join(f'{ratio:.2f}' for ratio in ratios.values())} (some "
                     "3,000 detections against 2,895, which is 7% of the cells)"
                     + ("" if in_order(by_chip) == in_order(ratios) else "; the order of the chips differs"))
    return found


def rule_options(d_max):
    """Returns facepipe's options for the papers' rule: 2020, Algorithm 1, k = 32."""
    return ["--nms-rule", "matrix", "--nms-overlap", "winner-area", "--nms-squares", "--nms-plus-one",
            "--nms-d-max", str(d_max), "--nms-k", str(BEST_K)]
