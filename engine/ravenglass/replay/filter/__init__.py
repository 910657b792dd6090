"""The filter language of the manifest, from text to tests of rows."""
