"""Certificates and their exact checks. Nothing here imports a solver."""
