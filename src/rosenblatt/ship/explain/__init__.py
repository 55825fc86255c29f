"""Rules explained: scorecards, reasons, reports."""
