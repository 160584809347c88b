"""The site of the documentation. `make docs` builds it into target/docs.

The pages are written for readers of the repository too, so their links to other files of it are links of
the repository here.
"""

import re

REPOSITORY = "https://github.com/urltree/urltree/blob/main/"

project = "urltree"
author = "the urltree authors"
copyright = "the urltree authors, Apache-2.0"
html_title = "urltree"
html_theme = "furo"
html_show_sourcelink = False
html_copy_source = False
extensions = ["myst_parser"]
root_doc = "site/index"
exclude_patterns = ["requirements.txt"]
# The anchors of headings are those of the repository's web pages.
myst_heading_anchors = 4
# Names of shell commands, outputs and tables are not all known to the highlighter.
pygments_style = "default"
pygments_dark_style = "github-dark"
suppress_warnings = ["misc.highlighting_failure"]

# A link to a file that is no page of the site.
ELSEWHERE = re.compile(r"\]\(\.\./(?!docs/)([^)\s]+)\)")


def link_to_repository(app, page, source):
    """Changes the links of a page to files elsewhere in the repository."""
    source[0] = ELSEWHERE.sub(lambda link: f"]({REPOSITORY}{link[1]})", source[0])


def setup(app):
    app.connect("source-read", link_to_repository)
    app.connect("include-read", lambda app, path, page, source: link_readme(source))


def link_readme(source):
    """Changes the links of README.md, which is in the folder above."""
    text = re.sub(r"\]\(docs/", "](../", source[0])
    text = re.sub(r"\]\((?!https?:|#|\.\./)([^)\s]+)\)", lambda link: f"]({REPOSITORY}{link[1]})", text)
    source[0] = text.replace("](#what-to-expect)", "](what-to-expect.md)")
