"""Commands that set up the programs in which agents run."""
