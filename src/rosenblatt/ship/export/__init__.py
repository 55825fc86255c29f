"""Rules in other languages: SQL, Python, ONNX, PMML."""
