"""Figures of Van Ranst et al. from their tables and text: milliseconds on 1080p of TownCenter.

DES: Xeon E5-2630 v3 and GTX 1080; TX2: Jetson TX2.
"""
PART = 24  # multiprocessors: CUDA rounds the 20 of a GTX 1080 up to this number

# Table 1: times of the features at one scale. The GPU's times include the upload.
FEATURES_MS = {"DES": {"CPU": 74, "GPU": 6.7}, "TX2": {"CPU": 223, "GPU": 8.7}}
# Listing 1: the share of the GPU's time that each step takes. The names of the steps are ours.
SHARES = {"upload": 0.15, "luv": 0.15, "gradient": 0.07, "bins": 0.37, "shrink": 0.26}

# Tables 2 and 3: times at one scale, of the classifier's evaluation and of the whole detection.
EVALUATION_MS = {"DES": {"CPU": 31, "window parallel": 76, "stage parallel": 2228, "hybrid": 20},
                 "TX2": {"CPU": 63, "window parallel": 165, "stage parallel": 933, "hybrid": 75}}
PRINTED_SPEEDUPS = {"window parallel": "0.4 and 0.38", "stage parallel": "0.014 and 0.068"}  # Table 2, DES and TX2
TOTAL_MS = {"DES": {"CPU": 106, "window parallel": 84, "stage parallel": 2286, "hybrid": 28},
            "TX2": {"CPU": 290, "window parallel": 202, "stage parallel": 1009, "hybrid": 112}}

# Table 4: times at all scales. The times of ACF are estimates.
ALL_SCALES_MS = {"DES": {"ACF (CPU)": 364, "ACF (GPU)": 96, "YOLOv2 (CPU)": 2805, "YOLOv2 (GPU)": 44},
                 "TX2": {"ACF (CPU)": 731, "ACF (GPU)": 281, "YOLOv2 (CPU)": 11289, "YOLOv2 (GPU)": 343}}

# Section 6: average precision on INRIA's test set.
ACCURACY = {"YOLOv2": 0.98, "ACF": 0.90}
