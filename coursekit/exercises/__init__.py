"""The exercises of the course, one module a chapter."""
