"""Who answers the curator's steps in `replay --policy`, and what that costs."""
