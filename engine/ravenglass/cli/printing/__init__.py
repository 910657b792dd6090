"""Where results, sentences and progress of the command line go."""
