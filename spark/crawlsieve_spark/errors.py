"""The two ways in which a run ends early."""


class Refused(Exception):
    """Input that can't be used. The message names it and says what to do; trying again is of no
    use."""


class Failed(Exception):
    """Something went wrong while running. Spark runs a task again that raises it."""
