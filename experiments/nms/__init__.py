"""Repeats Oro et al. 2016 and 2020, and R-CNN's bitmask (papers 000 to 002): suppression on the GPU."""
