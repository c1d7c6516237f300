#!/usr/bin/env python3
"""Draws what build/<preset>/bench/freshness prints over a range of fetch rates.

    plot.py FRESHNESS FILE.tsv FIGURE.svg [--days 730]

FRESHNESS is the program, FILE.tsv the change histories. Needs nothing but Python.
"""

import argparse
import json
import math
import subprocess

PERIODS = (3, 5, 7, 10, 14, 20, 30, 45, 60)
WIDTH, HEIGHT = 640, 320
LEFT, RIGHT, TOP, BOTTOM = 50, 470, 24, 280
LINES = {
    "optimum": ("optimum with true rates", "#999999", "5 4"),
    "schedule": ("schedule", "#1b6ca8", ""),
    "stormcrawler": ("StormCrawler", "#c8553d", ""),
    "nutch": ("Nutch", "#588b4a", ""),
    "verdicts": ("interval of verdicts", "#8d5a97", ""),
    "uniform": ("all equally often", "#333333", ""),
}


def measure(program, file, days):
    """Freshness by policy, a value for each of PERIODS."""
    curves = {policy: [] for policy in LINES}
    for period in PERIODS:
        output = subprocess.run([program, file, "--days", str(days), "--period", str(period), "--json"],
                                check=True, stdout=subprocess.PIPE, text=True).stdout
        for row in json.loads(output)["policies"]:
            curves[row["policy"]].append(row["freshness"])
    return curves


def draw(curves):
    lowest = math.floor(20 * min(min(values) for values in curves.values())) / 20

    def x(period):
        share = math.log(period / PERIODS[0]) / math.log(PERIODS[-1] / PERIODS[0])
        return LEFT + (RIGHT - LEFT) * share

    def y(value):
        return BOTTOM - (BOTTOM - TOP) * (value - lowest) / (1 - lowest)

    title = "Share of documents that are up to date"
    svg = [f"<svg xmlns='http://www.w3.org/2000/svg' font-family='sans-serif' font-size='11' "
           f"style='background:#fff' viewBox='0 0 {WIDTH} {HEIGHT}' width='{WIDTH}' "
           f"height='{HEIGHT}' role='img'><title>{title}</title>",
           f"<text x='{LEFT}' y='14'>{title}</text>",
           f"<text x='{(LEFT + RIGHT) / 2}' y='{HEIGHT - 8}' text-anchor='middle'>"
           "days in which as many fetches are made as there are documents</text>"]
    for step in range(round((1 - lowest) * 20) + 1):
        value = lowest + step / 20
        svg.append(f"<line x1='{LEFT}' x2='{RIGHT}' y1='{y(value):.1f}' y2='{y(value):.1f}' "
                   f"stroke='#ddd'/><text x='{LEFT - 5}' y='{y(value) + 4:.1f}' "
                   f"text-anchor='end'>{value:.2f}</text>")
    for period in PERIODS:
        svg.append(f"<text x='{x(period):.1f}' y='{BOTTOM + 15}' text-anchor='middle'>"
                   f"{period}</text>")
    bottom = TOP - 14
    ends = sorted(LINES, key=lambda policy: -curves[policy][-1])
    for policy in ends:
        name, colour, dashes = LINES[policy]
        points = " ".join(f"{x(period):.1f},{y(value):.1f}"
                          for period, value in zip(PERIODS, curves[policy]))
        svg.append(f"<polyline fill='none' stroke='{colour}' stroke-width='2' "
                   f"stroke-dasharray='{dashes}' points='{points}'/>")
        bottom = max(bottom + 14, y(curves[policy][-1]) + 4)
        svg.append(f"<text x='{RIGHT + 8}' y='{bottom:.1f}' fill='{colour}'>{name}</text>")
    svg.append("</svg>")
    return "\n".join(svg) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("file")
    parser.add_argument("figure")
    parser.add_argument("--days", type=int, default=730)
    options = parser.parse_args()
    figure = draw(measure(options.program, options.file, options.days))
    with open(options.figure, "w", encoding="utf-8") as file:
        file.write(figure)


if __name__ == "__main__":
    main()
