"""The zoo's held-back half: pairs whose author knew the findings' sentences and not how any auditor works.

The modules are as those of :mod:`tests.zoo.cases`, which lists and loads them: ``pairs(__name__)``.
"""
