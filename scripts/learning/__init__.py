"""Learning the table of `extract.content` from pages whose main content a person has marked."""
