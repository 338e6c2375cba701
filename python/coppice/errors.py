"""What coppice raises: the errors of the command line, with the same codes and fields."""


class Error(Exception):
    """The root of all errors of coppice.

    code      stable, such as "E203"; `coppice help E203` explains it
    message   one line: what was found, what was expected
    help      what to do about it, or None
    file      the file at fault, or the argument ("sentences", "dev"); None where there is none
    line      from 1, or the number of the sentence, from 1; None where it is unknown
    column    from 1; None where it is unknown
    """

    def __init__(self, message, code=None, help=None, file=None, line=None, column=None):
        super().__init__(message, code, help, file, line, column)
        self.message = message
        self.code = code
        self.help = help
        self.file = file
        self.line = line
        self.column = column

    def __str__(self):
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)
        is_told = self.line is None and self.file is not None and self.file in self.message
        text = f"{place}: {self.message}" if place and not is_told else self.message
        if self.code:
            text = f"[{self.code}] {text}"
        return f"{text} ({self.help})" if self.help else text


class UsageError(Error, ValueError):
    """An option or argument is unknown, has a value it cannot have, or does not fit the others."""


class DataError(Error, ValueError):
    """The input is malformed, or a sentence cannot be worked on."""


class ModelError(Error):
    """A model or rule file is missing, damaged, or of another kind or version."""


class ResourceError(Error):
    """The system refused: a file cannot be opened or written, the disk is full."""


class InternalError(Error):
    """A bug of coppice; please report it."""
