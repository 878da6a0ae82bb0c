"""The zoo's held-back half: pairs whose author knew the findings' sentences and not how any auditor works.

The modules are as those of :mod:`tests.zoo.cases`, which lists and loads them: ``pairs(__name__)``. This is
the second set: the first one became cases when it had been measured and was to be tuned on.
"""
