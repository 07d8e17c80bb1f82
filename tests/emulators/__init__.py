"""The loopback web: servers on 127.0.0.1 that answer like the real ones, or break on command."""
