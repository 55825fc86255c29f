"""The page that every report is: HTML without scripts or external references, for a phone, dark mode and paper."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from rosenblatt.visible import visible_lines

STYLE = """
:root{--paper:#fdfcf8;--tint:#f5f2e9;--ink:#1f1d19;--soft:#6b665c;--faint:#a49d8e;--hair:#e0dacb;
--yes:#1d6f6b;--no:#bd7f26;--wrong:#b3281e}
@media screen and (prefers-color-scheme:dark){:root{--paper:#171614;--tint:#211f1c;--ink:#ebe6db;--soft:#a8a195;
--faint:#6f695f;--hair:#38352f;--yes:#5db5ae;--no:#d9a352;--wrong:#ef7a6d}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);
font:1.0625rem/1.55 Charter,"Bitstream Charter","Sitka Text",Cambria,Georgia,serif}
main{max-width:52rem;margin:0 auto;padding:3rem 1.25rem 4rem}
p{margin:.6rem 0;max-width:40rem}
h1{font-size:clamp(1.9rem,5.5vw,2.75rem);line-height:1.12;font-weight:600;margin:.2rem 0 1rem;text-wrap:balance}
h2{font-size:1.4rem;line-height:1.25;font-weight:600;margin:0 0 .8rem}
h3{font-size:1.05rem;margin:1.6rem 0 .3rem}
section{margin-top:3.2rem;padding-top:1.1rem;border-top:2px solid var(--ink)}
h1,h2,h3,td,th,p,dd{overflow-wrap:anywhere}
.kicker,nav,dt,dd span,.note,figcaption,.key,thead th,small,footer,.rows .values,figure text{
font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif}
.kicker{margin:0;color:var(--soft);font-size:.85rem}
.kicker i{font-style:normal;color:var(--faint)}
.lead{font-size:1.3rem;line-height:1.45;max-width:44rem}
.warning{border-left:3px solid var(--wrong);padding:.1rem 0 .1rem .9rem}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(11.5rem,1fr));gap:1.2rem 2rem;margin:2rem 0 1.4rem}
dt{font-size:.8rem;color:var(--soft)}
dd{margin:0}
dd b{display:block;font-size:1.9rem;line-height:1.25;font-weight:600;font-variant-numeric:tabular-nums}
dd span{display:block;font-size:.8rem;line-height:1.4;color:var(--soft)}
nav ol{list-style:none;display:flex;flex-wrap:wrap;gap:.2rem 1.4rem;padding:0;margin:1.6rem 0 0;font-size:.85rem}
a{color:inherit;text-decoration-color:var(--faint);text-underline-offset:.2em}
.rule{font-size:1.15rem;font-weight:600}
.note,figcaption{font-size:.83rem;line-height:1.45;color:var(--soft)}
table{width:100%;border-collapse:collapse;font-size:.95rem;margin:1.1rem 0}
th,td{text-align:left;vertical-align:top;padding:.28rem .8rem .28rem 0}
thead th{font-size:.78rem;font-weight:400;color:var(--soft);border-bottom:1px solid var(--ink)}
tbody th{padding-top:.9rem;border-bottom:1px solid var(--hair);font-weight:600}
small{font-size:.78rem;font-weight:400;color:var(--soft)}
.number{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
.card thead th:nth-child(2){text-align:right}
.card td:last-child{width:34%;padding-right:0}
.bar{display:block;position:relative;height:.7rem;margin-top:.42rem;
background:linear-gradient(var(--faint),var(--faint)) 50% 0/1px 100% no-repeat}
.bar i{position:absolute;top:0;bottom:0}
.bar .yes{left:50%;background:var(--yes)}
.bar .no{right:50%;background:var(--no)}
.columns td{border-bottom:1px solid var(--hair)}
.columns td:nth-child(2){white-space:nowrap}
.figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,21rem),1fr));gap:2rem 2.5rem;
align-items:start}
figure{margin:0}
figure svg{display:block;width:100%;height:auto;overflow:visible}
.key{font-size:.83rem}
.key i{display:inline-block;width:.8rem;height:.8rem;margin:0 .35rem 0 .8rem;vertical-align:-.08rem}
.key i:first-child{margin-left:0}
.tree{overflow-x:auto}
.rows{list-style:none;padding:0;margin:.8rem 0}
.rows li{border-top:1px solid var(--hair);padding:.55rem 0}
.rows p{margin:0;max-width:none}
.rows em{font-style:normal;color:var(--wrong);float:right;margin-left:1rem}
.rows .values{font-size:.8rem;line-height:1.5;color:var(--ink);margin-top:.15rem}
.values i{font-style:normal;color:var(--soft)}
.values span:not(:last-child)::after{content:" \\00b7";color:var(--faint)}
.together{margin:0 0 1.8rem}
.proved{font-weight:600}
pre{background:var(--tint);padding:.7rem .9rem;font-size:.85rem;line-height:1.45;white-space:pre-wrap;
overflow-wrap:anywhere;border-radius:3px}
footer{margin-top:3.5rem;padding-top:1rem;border-top:1px solid var(--hair);font-size:.8rem;color:var(--soft)}
footer p{margin:.15rem 0;max-width:none;overflow-wrap:anywhere}
@media (max-width:34rem){main{padding-top:1.6rem}.lead{font-size:1.15rem}.card td:last-child{width:26%}
.facts{grid-template-columns:1fr 1fr;gap:1rem 1.2rem}.facts div:first-child{grid-column:1/-1}
dd b{font-size:1.5rem}}
@page{margin:17mm 16mm}
@media print{html{font-size:12px}body{background:none}main{max-width:none;padding:0}nav{display:none}
section{margin-top:1.6rem}h1{font-size:2.4rem}h2,h3,section>p,thead,tbody th{break-after:avoid}
tr,figure,.rows li,.facts div,pre{break-inside:avoid}.figures{grid-template-columns:1fr 1fr}
thead{display:table-header-group}*{-webkit-print-color-adjust:exact;print-color-adjust:exact}}
"""


@dataclass(frozen=True)
class Fact:
    """A key figure, its label, and a note."""

    name: str
    value: str
    note: str = ""


def page_of(title: str, opening: str, sections: Sequence[tuple[str, str]], colophon: str) -> str:
    """The page, from parts in HTML; sections without a body are left out."""
    there = [(head, body) for head, body in sections if body]
    body = "".join(f'<section id="part-{k}"><h2>{head}</h2>{body}</section>' for k, (head, body) in enumerate(there))
    navigation = "".join(f'<li><a href="#part-{k}">{head}</a></li>' for k, (head, _) in enumerate(there))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{text(title)}</title><style>{STYLE}</style></head>\n<body><main>"
        f"{opening}<nav><ol>{navigation}</ol></nav>{body}{colophon}</main></body></html>\n"
    )


def text(value: object) -> str:
    """Any text, escaped for the page."""
    return escape(visible_lines(str(value)))


def name(value: str) -> str:
    """The name of a column, which may break after an underscore."""
    return text(value).replace("_", "_<wbr>")


def header_of(about: str, title: str, lead: str) -> str:
    """The top of a page: what it is about, its title, and its main sentence."""
    return f'<header><p class="kicker">{text(about)}</p><h1>{text(title)}</h1><p class="lead">{text(lead)}</p></header>'


def facts_of(facts: Sequence[Fact]) -> str:
    """Key figures, side by side."""
    shown = "".join(
        f"<div><dt>{text(fact.name)}</dt><dd><b>{text(fact.value)}</b><span>{text(fact.note)}</span></dd></div>"
        for fact in facts
    )
    return f'<dl class="facts">{shown}</dl>'


def footer_of(facts: Mapping[str, str]) -> str:
    """The bottom of a page: where it comes from."""
    return f"<footer>{''.join(f'<p><b>{text(each)}</b> {text(value)}</p>' for each, value in facts.items())}</footer>"
