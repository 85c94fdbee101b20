"""Shares as the pages of the studies print them."""


def percent(value: float) -> str:
    """A percentage to the digits that matter: no exponent, and 100 for nothing less."""
    if value in (0, 100):
        return f"{value:.0f} %"
    if value > 99.9:
        return "> 99.9 %"
    if value >= 10:
        return f"{value:.1f} %"
    decimals = 2 if value >= 0.1 else 3 if value >= 0.01 else 4 if value >= 0.001 else 5
    return f"{value:.{decimals}f} %"
