"""How each rival is driven on one class of the zoo; every module runs in the rival's own virtual environment."""
