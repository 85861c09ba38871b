"""Configurations at which the rank of the constraints drops: watched for, and stepped over."""
