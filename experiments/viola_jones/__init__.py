"""Repeats Nguyen et al. 2013 (paper 003): Viola-Jones on one and several GPUs, with static and dynamic scheduling."""
