"""A reader over the segments of several shards, which has each shard score and scan its own."""
