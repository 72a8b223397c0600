"""Nguyen et al. 2013 (paper 003): Viola-Jones on GPUs, with static and dynamic scheduling, and on several GPUs."""
