"""What a text is about: entities, keywords and names, in Latin and in Chinese, Japanese and Korean writing."""
