"""A result as one HTML file: its data in Python, its page in the assets."""
