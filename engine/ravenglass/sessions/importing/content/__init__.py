"""What a message is made of, whoever wrote it: blocks, payloads, signatures, what a person typed or had injected."""
