"""Linear rules: how they decide (`deciding`), learn (`learner`) and make passes (`in_passes`); then one file each."""
