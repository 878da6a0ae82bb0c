"""OpenEnv's named checks that its own build does not grade, answered from gonogo's records.

Each class is one check of ``openenv validate``, in the shape of OpenEnv's ``Grader`` protocol and under OpenEnv's
id. A grader flies nothing: it reads the records that ``gonogo map``, ``gonogo audit`` and ``gonogo grade`` left in
the subject's outputs folder. ``docs/graders.md`` defines every id.
"""
