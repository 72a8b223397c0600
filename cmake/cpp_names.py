"""Finds the definitions in the namespaces of a C++ source, as far as its text shows them.

The source must be formatted by clang-format. Macros aren't expanded, and the contents of classes and functions are
ignored.
"""
import dataclasses
import re

TOKEN = re.compile(r'''
    (?P<comment> //[^\n]* | /\*.*?\*/ | ^[ \t]*\#(?:[^\n\\]|\\.)* )
  | (?P<literal> R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)" | (?:u8|u|U|L)?"(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])+'
      | \.?\d(?:[\w.']|[eEpP][+-])* )
  | (?P<word> [A-Za-z_]\w* )
  | (?P<sign> ::|->|<=|>=|\[\[|[^\s\w] )
''', re.VERBOSE | re.DOTALL | re.MULTILINE)
TYPES = {'class', 'struct', 'union', 'enum', 'concept'}
CLOSING = {'(': ')', '{': '}', '[': ']', '[[': ']'}
# Names that can stand before a bracket without being functions.
NO_FUNCTION = {'alignas', 'decltype', 'explicit', 'noexcept', 'requires', 'static_assert', '__launch_bounds__',
               '__attribute__'}


@dataclasses.dataclass(frozen=True)
class Definition:
    namespace: tuple  # names of the namespaces, the outermost first; '' for a namespace without a name
    name: str  # for functions, this includes the parameters as they are written
    is_type: bool
    line: int

    @property
    def full_name(self):
        return '::'.join(self.namespace + (self.name,))

    @property
    def is_of_one_source(self):
        return '' in self.namespace


@dataclasses.dataclass(frozen=True)
class Token:
    text: str
    kind: str
    line: int


def tokens(text):
    found, line, end = [], 1, 0
    for match in TOKEN.finditer(text):
        line += text.count('\n', end, match.start())
        end = match.start()
        if match.lastgroup != 'comment':
            found.append(Token(match[0], 'word' if match['word'] else 'sign' if match['sign'] else 'literal', line))
    return found


def definitions(text):
    """Returns all definitions of a source, in the order of its text."""
    return Reader(tokens(text)).read()


class Reader:
    def __init__(self, all_tokens):
        self.tokens = all_tokens
        self.at = 0
        self.namespace = []
        self.opened = []  # for each open brace: the number of namespaces that it has opened
        self.found = []

    def read(self):
        while self.at < len(self.tokens):
            text = self.text(0)
            if text == '}':
                for _ in range(self.opened.pop() if self.opened else 0):
                    self.namespace.pop()
                self.at += 1
            elif text == 'namespace' or (text == 'inline' and self.text(1) == 'namespace'):
                self.read_namespace()
            elif text == 'extern' and self.kind(1) == 'literal' and self.text(2) == '{':
                self.opened.append(0)
                self.at += 3
            else:
                self.read_statement()
        return self.found

    def text(self, ahead):
        at = self.at + ahead
        return self.tokens[at].text if at < len(self.tokens) else ''

    def kind(self, ahead):
        at = self.at + ahead
        return self.tokens[at].kind if at < len(self.tokens) else ''

    def read_namespace(self):
        begin = self.at
        while self.text(0) not in ('{', ';', '='):
            self.at += 1
        if self.text(0) == '{':
            names = [t.text for t in self.tokens[begin:self.at] if t.kind == 'word']
            names = [n for n in names if n not in ('inline', 'namespace')] or ['']
            self.namespace += names
            self.opened.append(len(names))
        else:
            while self.text(0) not in (';', ''):  # skips an alias or a using directive
                self.at += 1
        self.at += 1

    def read_statement(self):
        """Reads a declaration or definition until its end: a semicolon, or the brace that closes its body."""
        head, body = [], False
        while self.text(0) not in (';', '}', ''):
            if self.text(0) in CLOSING:
                bracket = self.skip_bracket()
                body = body or bracket[0].text == '{'
                head.append(bracket)
                if bracket[0].text == '{' and self.ends_behind_brace():
                    break
            else:
                head.append([self.tokens[self.at]])
                self.at += 1
        if self.text(0) == ';':
            self.at += 1
        self.add(head, body)

    def skip_bracket(self):
        """Returns the tokens of a bracket, including its opening and its closing sign."""
        begin, opening = self.at, self.text(0)
        square = opening in ('[', '[[')
        opens = {'[': 1, '[[': 2} if square else {opening: 1}
        closing, depth = ']' if square else CLOSING[opening], 0
        while self.at < len(self.tokens):
            depth += opens.get(self.text(0), 0) - (self.text(0) == closing)
            self.at += 1
            if depth == 0:
                break
        return self.tokens[begin:self.at]

    def ends_behind_brace(self):
        """Returns whether a definition ends with its body. Functions do; types and variables end with a semicolon."""
        return self.text(0) not in (';', ',', '(', '=', '{')

    @staticmethod
    def words(head):
        return [part[0] for part in head]

    @staticmethod
    def without_template(words):
        """Returns the tokens without a leading "template <...>"."""
        while words and words[0].text == 'template':
            depth = 0
            for i, word in enumerate(words):
                depth += (word.text == '<') - (word.text in ('>', '>='))
                if depth == 0 and i > 0:
                    break
            words = words[i + 1:]
        return words

    def add(self, head, body):
        words = self.without_template(self.words(head))
        # Aliases and friend declarations aren't definitions; the same alias may occur twice.
        if not words or words[0].text in ('using', 'friend', 'static_assert', 'extern'):
            return
        kinds = [t.text for t in words if t.text not in ('[[', 'alignas', '(')]
        if kinds and kinds[0] in TYPES:
            self.add_type(kinds, words, body)
        elif not self.add_function(head, words, body):
            self.add_variable(words)

    def add_type(self, kinds, words, body):
        names = [k for k in kinds[1:] if k not in ('class', 'struct')]
        specialised = len(names) > 1 and names[1] == '<'
        if kinds[0] == 'concept' or (body and names and not specialised and names[0] not in ('{', ':')):
            if '::' not in names[1:2]:
                self.define(names[0], words[0], is_type=True)

    def add_function(self, head, words, body):
        """Adds the function that the tokens define. Returns whether the tokens define or declare a function."""
        texts = [t.text for t in words]
        if '(' not in texts or ('=' in texts and texts.index('=') < texts.index('(')):
            return False
        at = texts.index('(')
        while at < len(texts) and (texts[at] != '(' or texts[at - 1] in NO_FUNCTION):
            at += 1
        if 'operator' in texts or at >= len(texts) or words[at - 1].kind != 'word':
            return True
        if body and texts[at - 2:at - 1] != ['::'] and words[at - 1].text.upper() != words[at - 1].text:
            brackets = [part for part in head if part[0] is words[at]]
            parameters = ' '.join(t.text for t in brackets[0])
            self.define(words[at - 1].text + parameters, words[0])
        return True

    def add_variable(self, words):
        texts = [t.text for t in words]
        ends = [i for i, text in enumerate(texts) if text in ('=', '{', '[')]
        at = (ends[0] if ends else len(texts)) - 1
        if at > 0 and words[at].kind == 'word' and texts[at - 1] != '::':
            self.define(texts[at], words[0])

    def define(self, name, token, is_type=False):
        self.found.append(Definition(tuple(self.namespace), name, is_type, token.line))
