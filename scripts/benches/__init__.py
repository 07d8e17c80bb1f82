"""Speed and quality of webaio, measured side by side with floors and peers in one run."""
