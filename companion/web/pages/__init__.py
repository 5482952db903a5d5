"""The pages, a module for each: what is shown, and what their forms send to the table."""
