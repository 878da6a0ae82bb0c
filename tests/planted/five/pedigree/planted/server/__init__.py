"""Server package of the pedigree environment."""
