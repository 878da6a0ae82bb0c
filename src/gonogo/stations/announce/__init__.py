"""The announce station: an audit for other programs and pages, as SARIF and as a badge."""
