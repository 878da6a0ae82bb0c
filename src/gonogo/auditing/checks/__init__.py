"""The checks of an audit beside the panel: each flies something of its own, and says what is wrong or how much.

Suspicions, which :mod:`gonogo.auditing.confirmation` has to confirm, come from leakage, metamorphic and memorisation.
Contract breaks, environment errors and stability prove their findings themselves; components judges nothing, and names
the component that pays.
"""
