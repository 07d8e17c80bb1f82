"""Documents as Markdown: PDF, Office, EPUB, e-mail, tables, pictures, sound.

What is read is never trusted: `converter` gives it to a child process with bounds on memory, time
and size (`worker`), and nothing is sent anywhere. Formats are known by their content (`formats`).
"""
