"""The perceptron learning algorithm, for two classes and for several."""
