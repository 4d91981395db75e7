"""Exported graphs: as models, made of checkpoints, and with weights of 8 bits."""
