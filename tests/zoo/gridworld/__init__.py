"""A walk to a goal on a small grid."""
