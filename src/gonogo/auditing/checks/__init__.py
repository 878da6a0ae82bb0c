"""The checks of an audit beside its panel: each flies something of its own, and says what is wrong or how much."""
