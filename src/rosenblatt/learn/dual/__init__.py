"""Rules that are sums over rows: the kernel perceptron."""
