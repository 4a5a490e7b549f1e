"""What anybody sees of a release that is shown to everybody: pages, downloads, problem reports."""
