"""The commands of `recall-rank`, one module for each command or group of related commands."""
