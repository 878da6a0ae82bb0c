"""Many policies over many tasks: in this process, or over Ray."""
