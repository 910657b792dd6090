"""goose sessions: files of lines and the database."""
