"""What shell command lines and the programs they run ask for, show and may change."""
