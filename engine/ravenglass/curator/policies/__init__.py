"""Who answers a step of the curator: the planner, a model, a person, or the recorded answers of a trace."""
