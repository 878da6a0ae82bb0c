"""Commands made of several steps, with the gates between them, and the board of all."""
