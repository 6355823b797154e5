"""What benchmarks run on: real and generated histories, labelled queries."""
