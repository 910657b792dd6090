"""From bytes to records: scanning, decompressing, decoding, salvaging. Knows no format."""
