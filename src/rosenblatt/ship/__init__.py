"""Models leave the machine: files, scorecards and other languages."""
