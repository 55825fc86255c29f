"""The scikit-learn faces: one file each, no mathematics."""
