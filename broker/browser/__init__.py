"""The Chromium the broker drives: found, started, watched, replaced, and ended with it."""
