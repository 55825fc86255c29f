"""Rules for people: scorecards, reasons, reports."""
