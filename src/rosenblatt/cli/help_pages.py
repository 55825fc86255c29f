"""The help of the commands: plain text that fits the terminal, printed without loading anything heavy."""

import shutil
import textwrap
from collections.abc import Iterator
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from rosenblatt.cli.values import with_value

WIDEST = 100
NAMES = 26  # columns for the names of arguments, options and commands
OPTIONS = "Options"


class CutShortError(Exception):
    """Ctrl-C, or a reader who has seen enough; its cause says which."""


class OneCommand(TyperCommand):
    """A command with help in our layout."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the page."""
        formatter.write(page(self, ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Complete options that may go without a value: Typer knows none."""
        return super().parse_args(ctx, with_value(args))


class AllCommands(TyperGroup):
    """The commands, with help in our layout; Ctrl-C and closed pipes pass Typer by."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the page."""
        formatter.write(page(self, ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Show the help of a command at once: Typer would first load what checks the values of options."""
        if len(args) == 2 and args[0] in self.commands and args[1] in ctx.help_option_names:
            asked = self.commands[args[0]]
            typer.echo(asked.get_help(type(ctx)(asked, parent=ctx, info_name=args[0])))
            raise typer.Exit
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, BrokenPipeError) as error:
            raise CutShortError from error


def page(command: Any, context: Any) -> str:
    """The help of a command."""
    width = min(shutil.get_terminal_size().columns, WIDEST)
    parts = [f"Usage: {_usage(command, context)}", *_paragraphs(command.help or "", width)]
    parts += [f"{_heading(title)}\n{_columns(lines, width)}" for title, lines in _panels(command, context).items()]
    return "\n\n".join([*parts, command.epilog or ""]).rstrip() + "\n"


def _usage(command: Any, context: Any) -> str:
    """What must be given, in order."""
    needed = [_names(option, short=True) for option in command.params if option.required and not _is_argument(option)]
    arguments = [argument.metavar for argument in command.params if _is_argument(argument)]
    last = "COMMAND" if hasattr(command, "commands") else "[OPTIONS]"
    return " ".join([context.command_path, *arguments, *needed, last])


def _paragraphs(text: str, width: int) -> list[str]:
    return [textwrap.fill(" ".join(part.split()), width) for part in text.split("\n\n") if part.strip()]


def _panels(command: Any, context: Any) -> dict[str, list[tuple[str, str]]]:
    """Commands, arguments and options by headings, in order."""
    panels: dict[str, list[tuple[str, str]]] = {}
    for name, each in getattr(command, "commands", {}).items():
        panels.setdefault("Commands", []).append((name, _first_sentence(each.help or "")))
    panels["Arguments"] = []
    panels[OPTIONS] = []
    for param in command.get_params(context):
        if not getattr(param, "hidden", False):
            title = "Arguments" if _is_argument(param) else getattr(param, "rich_help_panel", None) or OPTIONS
            panels.setdefault(title, []).append((_names(param), " ".join(_description(param))))
    return {title: lines for title, lines in panels.items() if lines}


def _first_sentence(text: str) -> str:
    return " ".join(text.split("\n\n")[0].split()).split(". ")[0].rstrip(".") + "."


def _names(param: Any, short: bool = False) -> str:
    """An option as it is typed."""
    if _is_argument(param):
        return str(param.metavar)
    names = sorted([*param.opts, *param.secondary_opts], key=lambda name: (len(name) > 2, name.startswith("--no-")))
    names = names[:1] if short else names
    value = "" if param.is_flag else f" {param.metavar or param.name.upper()}"
    return ("" if len(names[0]) == 2 or short else "    ") + ", ".join(names) + value


def _description(param: Any) -> Iterator[str]:
    """What an option is for, and what holds if it is not given."""
    yield (param.help or "").strip()
    if _is_argument(param):
        return
    if param.required:
        yield "[required]"
    elif param.secondary_opts and param.default is not None:
        yield f"[default: {(param.opts if param.default else param.secondary_opts)[0]}]"
    elif param.show_default and not param.is_flag and param.default not in (None, ()):
        default = param.default
        yield f"[default: {default:g}]" if isinstance(default, float) else f"[default: {default}]"


def _columns(lines: list[tuple[str, str]], width: int) -> str:
    """Names on the left, what they are for on the right."""
    made = []
    for name, described in lines:
        text = textwrap.wrap(described, max(width - NAMES - 2, 20), break_on_hyphens=False) or [""]
        if len(name) > NAMES - 2:
            made.append(f"  {name}")
        else:
            made.append(f"  {name:{NAMES}}{text.pop(0)}".rstrip())
        made += [" " * (NAMES + 2) + line for line in text]
    return "\n".join(made)


def _heading(text: str) -> str:
    return typer.style(text, bold=True)


def _is_argument(param: Any) -> bool:
    return bool(param.param_type_name == "argument")
