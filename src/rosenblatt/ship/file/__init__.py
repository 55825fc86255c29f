"""Model and proof files: read strictly, written whole or not at all."""
