import pytest

from parity.engines import ENGINES


@pytest.fixture(scope="session", params=list(ENGINES))
def engine(request):
    """Each engine in turn: a function of points and a frame that gives labels and scores."""
    with ENGINES[request.param]() as labels:
        labels.name = request.param
        yield labels
