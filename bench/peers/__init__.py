"""Small servers on other libraries, to compare with: see __main__.py."""
