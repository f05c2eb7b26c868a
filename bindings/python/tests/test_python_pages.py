"""The Python of the guide's pages runs, and prints what they show."""

import pytest

import python_pages


@pytest.mark.parametrize("page", python_pages.pages(), ids=lambda page: page.name)
def test_page(page):
    absent = python_pages.missing(page)
    if absent:
        pytest.skip(f"{page.name} needs {', '.join(absent)}")
    assert not python_pages.run_page(page)
