"""Repeats Van Ranst et al. (paper 004): aggregate channel features on the GPU."""
