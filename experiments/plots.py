"""Draws figures as PNG that are readable in black and white. Needs matplotlib."""
import textwrap

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

# Readers distinguish lines by dash and marker. Markers are filled and hollow in turns.
STYLES = [{"color": "#000000", "linestyle": "-", "marker": "o"},
          {"color": "#b03a2e", "linestyle": "--", "marker": "s", "markerfacecolor": "white"},
          {"color": "#1f618d", "linestyle": "-.", "marker": "^"},
          {"color": "#7d8a2e", "linestyle": ":", "marker": "D", "markerfacecolor": "white"},
          {"color": "#7d3c98", "linestyle": (0, (5, 1, 1, 1, 1, 1)), "marker": "v"},
          {"color": "#666666", "linestyle": (0, (8, 2)), "marker": "x", "markerfacecolor": "white"},
          {"color": "#ca6f1e", "linestyle": (0, (1, 1)), "marker": "P"}]
TITLE_LETTERS = 88
plt.rcParams.update({"font.size": 9, "axes.grid": True, "grid.color": "#dddddd", "figure.dpi": 150,
                     "legend.fontsize": 8, "legend.framealpha": 0.9})


def draw_all(figures, results, folder):
    """Draws the figures that have rows. Returns {name: caption} for them.

    `figures` are functions of a figure and the results. They return the caption, or None if they have no rows.
    """
    folder.mkdir(parents=True, exist_ok=True)
    captions = {}
    for draw in figures:
        figure = plt.figure(figsize=(6.4, 3.8), layout="constrained")
        caption = draw(figure, results)
        if caption:
            captions[draw.__name__] = caption
            figure.savefig(folder / f"{draw.__name__}.png")
        else:
            (folder / f"{draw.__name__}.png").unlink(missing_ok=True)  # left over from an earlier drawing
        plt.close(figure)
    return captions


def title_axes(axes, title):
    """Sets a title. Breaks lines that are wider than a figure."""
    lines = [part for line in title.split("\n") for part in textwrap.wrap(line, TITLE_LETTERS)]
    axes.set_title("\n".join(lines), fontsize=9)


def label_axes(axes, title, x, y):
    title_axes(axes, title)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
