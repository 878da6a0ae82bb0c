"""Language models as policies: the decoder, weights of each kind, memory, and servers of models."""
