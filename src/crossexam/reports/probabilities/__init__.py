"""Calibration, selective prediction and models against people in reports: tables, charts, data."""
