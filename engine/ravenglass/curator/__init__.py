"""From scores to a window: policies propose a plan in a bounded conversation, the assembler decides."""
