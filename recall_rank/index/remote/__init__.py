"""Indexes in stores of objects, such as S3: blocks are fetched by range when they are first needed."""
