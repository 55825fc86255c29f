"""The largest margin of rows with a feature of their own each: the soft margin."""
