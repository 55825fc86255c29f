"""Rules: what learns, keeps what it learned, and answers for it. Nothing here needs scikit-learn."""
