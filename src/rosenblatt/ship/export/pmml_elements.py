"""The elements that PMML expressions are made of."""

from xml.etree.ElementTree import Element, SubElement

NUMBER = {"optype": "continuous", "dataType": "double"}
TEXT = {"optype": "categorical", "dataType": "string"}


def derive(derived: Element, name: str, expression: Element, kind: dict[str, str] = NUMBER) -> None:
    """Add a derived field."""
    SubElement(derived, "DerivedField", {"name": name, **kind}).append(expression)


def apply(function: str, *arguments: Element) -> Element:
    """A function of these."""
    element = Element("Apply", {"function": function})
    element.extend(arguments)
    return element


def constant(value: float | str) -> Element:
    """A number or a text."""
    element = Element("Constant", {"dataType": "string" if isinstance(value, str) else "double"})
    element.text = value if isinstance(value, str) else repr(value)
    return element


def field(name: str) -> Element:
    """The value of a field."""
    return Element("FieldRef", {"field": name})
