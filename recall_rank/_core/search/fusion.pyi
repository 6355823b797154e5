# Kernels cimport from this one; Python can call nothing in it.
