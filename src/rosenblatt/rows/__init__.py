"""What a pass sees: rows, dense or sparse, with labels beside them, and the compiled code that reads them."""
