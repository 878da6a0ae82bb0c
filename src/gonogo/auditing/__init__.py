"""The audit station: what is the cheapest way to be paid for nothing?

In the order in which an audit works:

- :mod:`~gonogo.auditing.audit` reads the run's map, has its tasks audited, and writes the record with its verdict;
  :mod:`~gonogo.auditing.replacement` refuses an audit that is weaker than the one that the folder holds.
- :mod:`~gonogo.auditing.parallel` audits tasks side by side, :mod:`~gonogo.auditing.task` one from end to end.
- :mod:`~gonogo.auditing.session` flies in a process of the environment, :mod:`~gonogo.auditing.flight_log` logs every
  flight so that an interrupted audit goes on, :mod:`~gonogo.auditing.progress` shows how far it is.
- Candidates come from :mod:`~gonogo.auditing.survey` (the panel, the references and what is made of their successes by
  :mod:`~gonogo.auditing.plans`) and from :mod:`~gonogo.auditing.exploration` (what is screened, what is searched).
- :mod:`~gonogo.auditing.suspicions` judges the survey's rows; each of :mod:`gonogo.auditing.checks` flies something of
  its own. What a reset shows is read by :mod:`~gonogo.auditing.resets`.
- :mod:`~gonogo.auditing.confirmation` makes findings of suspicions: seen again, replayed, minimised.
- :mod:`~gonogo.auditing.figures` works out the record's numbers, :mod:`~gonogo.auditing.report` shows the record, and
  :mod:`~gonogo.auditing.export` writes it as SARIF and as a badge.
"""
