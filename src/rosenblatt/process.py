"""What kind of process this is."""

# The command's own: nobody sees its estimators, so it does without scikit-learn; nobody needs what it leaves behind, so
# it may read in the background and end at once.
is_command = False
