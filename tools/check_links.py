#!/usr/bin/env python3
"""Fails when a relative link or picture in a Markdown file leads nowhere: no such file, or no such
heading in it.

usage: check_links.py ROOT
"""
import pathlib
import re
import sys

SKIPPED = {"build", ".git", ".peers", "demo-output"}
LINK = re.compile(r"\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)|(?:src|href)=\"([^\"]+)\"")
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)  # https:, mailto:


def markdown_files(root):
    return [path for path in sorted(root.rglob("*.md"))
            if not SKIPPED & set(path.relative_to(root).parts)]


def prose(path):
    """Line numbers and lines outside fenced blocks, without code in backticks."""
    fenced = False
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield number, line


def without_code(line):
    return re.sub(r"`[^`]*`", "", line)


def anchors(path):
    """The names that GitHub gives to the headings of a page."""
    found = set()
    for _, line in prose(path):
        if heading := re.match(r"#+ +(.*)", line):
            text = re.sub(r"[^\w\- ]", "", heading[1].strip().lower())
            found.add(text.replace(" ", "-"))
    return found


def problem(root, page, target):
    """What is wrong with a link of `page`, or None."""
    if ELSEWHERE.match(target):
        return None
    file, _, anchor = target.partition("#")
    path = (page.parent / file).resolve() if file else page
    if not path.exists():
        return "no such file"
    if root not in (path, *path.parents):
        return "outside the repository"
    if anchor and path.suffix == ".md" and anchor not in anchors(path):
        return "no such heading"
    return None


def main(root):
    bad = []
    links = 0
    for page in markdown_files(root):
        for number, line in prose(page):
            for match in LINK.finditer(without_code(line)):
                links += 1
                target = match[1] or match[2]
                if reason := problem(root, page, target):
                    bad.append(f"{page.relative_to(root)}:{number}: {target}: {reason}")
    print("\n".join(bad) or f"{links} links hold")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
