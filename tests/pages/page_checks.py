"""page_checks.py PAGE...: checks that pages of --report-html are complete, and load nothing.

Prints a line for each fault. Exit code 1 if there is one.
"""
import html.parser
import pathlib
import sys

MOST_BYTES = 400_000
# Elements of HTML without an end tag.
VOID = {"meta", "img", "br", "hr", "link", "input"}
FORBIDDEN = {"script", "link", "iframe", "object", "embed", "form", "base", "use", "image", "foreignobject"}
REFERENCES = {"src", "href", "xlink:href", "srcset", "action", "poster", "data", "background"}


class PageParser(html.parser.HTMLParser):
    """Follows the tags of a page, and collects its faults."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open = []
        self.faults = []
        self.policy = ""
        self.pictures = 0
        self.links = []
        self.text = []

    def handle_starttag(self, tag, attributes):
        if tag in FORBIDDEN:
            self.faults.append(f"has an element <{tag}>")
        for name, value in attributes:
            self.see_attribute(tag, name, value or "")
        values = dict(attributes)
        if values.get("http-equiv") == "Content-Security-Policy":
            self.policy = values.get("content", "")
        self.pictures += tag == "img"
        if tag not in VOID:
            self.open.append(tag)

    def see_attribute(self, tag, name, value):
        if name.startswith("on"):
            self.faults.append(f"<{tag}> has the handler {name}")
        if name in REFERENCES and not (tag == "img" and value.startswith("data:image/jpeg;base64,")):
            self.links.append(value)
            if tag != "a" or not value.startswith("./"):
                self.faults.append(f"<{tag}> refers to {value[:80]!r}")
        if name == "style" and "url" in value:
            self.faults.append(f"<{tag}> has the style {value[:80]!r}")

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> closes another element, at line {self.getpos()[0]}")

    def handle_data(self, data):
        self.text.append(data)
        if self.open and self.open[-1] == "style" and ("url(" in data or "@import" in data):
            self.faults.append("the style sheet loads something")


def parsed(page):
    """Returns the parser after it has read the file `page`."""
    parser = PageParser()
    source = pathlib.Path(page).read_text(encoding="utf-8")
    parser.feed(source)
    parser.close()
    if parser.open:
        parser.faults.append(f"leaves open: {parser.open}")
    if "default-src 'none'" not in parser.policy:
        parser.faults.append("has no policy that forbids to load anything")
    if len(source.encode()) > MOST_BYTES:
        parser.faults.append(f"has {len(source.encode())} bytes, more than {MOST_BYTES}")
    return parser


def main(pages):
    bad = False
    for page in pages:
        for fault in parsed(page).faults:
            print(f"{page}: {fault}")
            bad = True
    return 1 if bad or not pages else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
