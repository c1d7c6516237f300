#!/usr/bin/env python3
"""Draws what build/<preset>/bench/harvest prints of one set of pages.

    plot.py HARVEST.json FIGURE.svg --title "A wiki"

HARVEST.json is the output of `harvest PAGES.jsonl --json`. Needs nothing but Python.
"""

import argparse
import json

WIDTH, HEIGHT = 640, 320
LEFT, RIGHT, TOP, BOTTOM = 50, 480, 24, 280
LINES = {
    "oracle": ("greedy oracle", "#999999", "5 4"),
    "scores": ("scores", "#1b6ca8", ""),
    "suppress": ("scores, suppression", "#c8553d", ""),
    "depth": ("depth of the URL", "#588b4a", ""),
    "random": ("random", "#8d5a97", ""),
    "breadth_first": ("breadth first", "#333333", ""),
}


def draw(harvest, title):
    orders = {order["order"]: order for order in harvest["orders"]}

    def x(share):
        return LEFT + (RIGHT - LEFT) * share

    def y(share):
        return BOTTOM - (BOTTOM - TOP) * share

    text = f"{title}: share of the contents found"
    svg = [f"<svg xmlns='http://www.w3.org/2000/svg' font-family='sans-serif' font-size='11' "
           f"style='background:#fff' viewBox='0 0 {WIDTH} {HEIGHT}' width='{WIDTH}' "
           f"height='{HEIGHT}' role='img'><title>{text}</title>",
           f"<text x='{LEFT}' y='14'>{text}</text>",
           f"<text x='{(LEFT + RIGHT) / 2}' y='{HEIGHT - 8}' text-anchor='middle'>"
           f"share of {harvest['pages']} pages that was fetched</text>"]
    for step in range(6):
        share = step / 5
        svg.append(f"<line x1='{LEFT}' x2='{RIGHT}' y1='{y(share):.1f}' y2='{y(share):.1f}' "
                   f"stroke='#ddd'/><text x='{LEFT - 5}' y='{y(share) + 4:.1f}' "
                   f"text-anchor='end'>{share:.1f}</text>")
        svg.append(f"<text x='{x(share):.1f}' y='{BOTTOM + 15}' text-anchor='middle'>"
                   f"{share:.1f}</text>")
    for place, (name, (label, colour, dashes)) in enumerate(LINES.items()):
        order = orders[name]
        # After its last fetch an order has no more points.
        last = min(100, -(-100 * order["fetched"] // harvest["pages"]))
        points = " ".join(f"{x(i / 100):.1f},{y(value):.1f}"
                          for i, value in enumerate(order["curve"][:last + 1]))
        svg.append(f"<polyline fill='none' stroke='{colour}' stroke-width='2' "
                   f"stroke-dasharray='{dashes}' points='{points}'/>")
        height = TOP + 20 + 16 * place
        svg.append(f"<text x='{RIGHT + 8}' y='{height}' fill='{colour}'>{label}</text>")
    svg.append("</svg>")
    return "\n".join(svg) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("harvest")
    parser.add_argument("figure")
    parser.add_argument("--title", default="A crawl")
    options = parser.parse_args()
    with open(options.harvest, encoding="utf-8") as file:
        figure = draw(json.load(file), options.title)
    with open(options.figure, "w", encoding="utf-8") as file:
        file.write(figure)


if __name__ == "__main__":
    main()
