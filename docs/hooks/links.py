"""Links of the pages as the site needs them; the pages themselves are written for the repository.

- A link that leaves docs/, or to a folder, goes to the repository; an image from elsewhere is copied into the site.
  What is not on the disk is a warning, which `mkdocs build --strict` ends with. Where nobody has said what the
  repository's address is (see mkdocs.yml), such a link's words stay and lead nowhere.
- The first time that a page names a command, as in `gonogo map`, the name leads to its reference, which the repository
  does not have.
"""

from __future__ import annotations

import logging
import posixpath
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element

import typer
from markdown import Markdown
from markdown.extensions import Extension
from markdown.treeprocessors import Treeprocessor
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

from gonogo.cli.commands import app

LOG = logging.getLogger("mkdocs.hooks.links")
COMMANDS = frozenset(typer.main.get_command(app).commands)
REFERENCE = "reference/commands.md"
COPIES = "repository"
"""Folder of the site with the images that the pages show from elsewhere in the repository."""
UNLINKED = frozenset({"a", "h1", "h2", "h3", "h4", "h5", "h6"})


class Links(Treeprocessor):
    """Rewrites a page's links, before mkdocs looks after those that stay within docs/."""

    def __init__(self, md: Markdown, page: Page, files: Files, config: MkDocsConfig) -> None:
        super().__init__(md)
        self.page, self.files, self.config = page, files, config

    def run(self, root: Element) -> None:
        """Rewrite the links of the page's tree in place."""
        for element in root.iter():
            if element.tag == "a":
                self.follow(element, "href")
            elif element.tag == "img":
                self.follow(element, "src")
        if self.page.file.src_uri != REFERENCE:
            self.name_commands(root)

    def follow(self, element: Element, key: str) -> None:
        """Rewrite one link if it leaves docs/."""
        scheme, host, path, _, fragment = urlsplit(element.get(key, ""))
        folder = posixpath.dirname(f"docs/{self.page.file.src_uri}")
        name = posixpath.normpath(posixpath.join(folder, path))
        there = Path(self.config.config_file_path).parent / name
        if scheme or host or not path or (name.startswith("docs/") and not there.is_dir()):
            return
        if name.startswith("../") or not there.exists():
            LOG.warning("%s links %s, which is not in the repository", self.page.file.src_uri, path)
        elif key == "src":
            element.set(key, self.copied(name, there))
        elif self.config.repo_url:
            kind = "tree" if there.is_dir() else "blob"
            anchor = f"#{fragment}" if fragment else ""
            element.set(key, f"{self.config.repo_url.rstrip('/')}/{kind}/HEAD/{name}{anchor}")
        else:
            element.tag = "span"
            del element.attrib[key]
            element.set("title", f"{name}, in the repository")

    def copied(self, name: str, there: Path) -> str:
        """The link to a file's copy in the site."""
        uri = f"{COPIES}/{name}"
        if self.files.get_file_from_path(uri) is None:
            self.files.append(File.generated(self.config, uri, abs_src_path=str(there)))
        return get_relative_url(uri, self.page.file.src_uri)

    def name_commands(self, root: Element) -> None:
        """Lead from the first mention of each command to its reference."""
        seen: set[str] = set()
        for parent, place, element in list(mentions(root)):
            first, _, name = "".join(element.itertext()).partition(" ")
            name = name.partition(" ")[0]
            if first != "gonogo" or name not in COMMANDS or name in seen:
                continue
            seen.add(name)
            link = Element(
                "a", href=f"{get_relative_url(REFERENCE, self.page.file.src_uri)}#gonogo-{name}"
            )
            link.tail, element.tail = element.tail, None
            parent[place] = link
            link.append(element)


def mentions(element: Element) -> Iterator[tuple[Element, int, Element]]:
    """Every piece of code in the text, with the element that holds it and its place there."""
    for place, child in enumerate(element):
        if child.tag == "code":
            yield element, place, child
        elif child.tag not in UNLINKED:
            yield from mentions(child)


class LinksExtension(Extension):
    """Adds the rewriting to the site's Markdown, which mkdocs makes anew for each page.

    Attributes:
        now: The page that is rendered next, the site's files and its config.
    """

    now: tuple[Page, Files, MkDocsConfig]

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - the library's name
        """Run after links were read (20) and before mkdocs resolves them (0)."""
        md.treeprocessors.register(Links(md, *self.now), "gonogo_links", 10)


EXTENSION = LinksExtension()


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Add the rewriting."""
    config.markdown_extensions.append(EXTENSION)  # type: ignore[arg-type]
    return config


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Note the page: it is rendered next."""
    EXTENSION.now = (page, files, config)
    return markdown
