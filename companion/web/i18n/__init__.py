"""What pages say, in the language of whoever looks."""
