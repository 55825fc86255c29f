"""What kind of process this is."""

is_command = False  # the command's own: nobody sees its estimators, so it need not wait for scikit-learn
