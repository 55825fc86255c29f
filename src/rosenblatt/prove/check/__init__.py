"""Certificates, and how each is checked, exactly. Nothing here imports a solver."""
