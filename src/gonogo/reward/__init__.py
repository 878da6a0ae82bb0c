"""The reward station: a reward that pays for nothing no more, with its exploits as tests that run.

Facts are what is known before the reward is written, ablations try exploits against it without each of its guards, and
the upgrade writes it from the templates beside it and judges it by an audit before and after.
"""
