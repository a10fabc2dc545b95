"""The published way to draw, as the facts of the data sets state it: pyplot, a figure cleared for each image."""

import io
import math

import matplotlib
import numpy as np
from PIL import Image

matplotlib.use("Agg")
import matplotlib.pyplot as plt


def shadow(angle, light):
    """Sun, length and position by Python's own numbers."""
    theta, phi = angle * math.pi / 200, light * math.pi / 200

    def ray(x, y, height):
        return (height - (y - x * math.tan(phi))) / math.tan(phi)

    tip = ray(10 + 9.5 * math.sin(theta), 10.5 - 9.5 * math.cos(theta), -0.5)
    foot = ray(10, 10.5, -0.5)
    return ray(10, 10.5, 20.5), max(3, abs(foot - tip)), (foot + tip) / 2


def draw_pendulum(angle, light):
    """(96, 96, 4) uint8."""
    sun, length, middle = shadow(angle, light)
    theta = angle * math.pi / 200
    ball = (10 + 8 * math.sin(theta), 10.5 - 8 * math.cos(theta))
    axes = _axes((0, 20), (-1, 21))
    axes.add_artist(plt.Polygon(([10, 10.5], ball), color="black", linewidth=3))
    axes.add_artist(plt.Circle(ball, 1.5, color="firebrick"))
    axes.add_artist(plt.Circle((sun, 20.5), 3, color="orange"))
    ends = [middle - length / 2, -0.5], [middle + length / 2, -0.5]
    axes.add_artist(plt.Polygon(ends, color="black", linewidth=3))
    return _saved()


def draw_flow(ball, raw, hole, noise=0.01):
    """(96, 96, 4) uint8."""
    radius, deep = ball / 30, hole / 3
    height = radius**3 + raw / 10
    axes = _axes((0, 20), (0, 20))
    axes.add_artist(plt.Rectangle((3, 0), 5, 5 + height, color="lightskyblue"))
    for ends in (([3, 0], [3, 19]), ([8, 0], [8, deep]), ([8, deep + 0.4], [8, 19])):
        axes.add_artist(plt.Polygon(ends, color="black", linewidth=2))
    axes.add_artist(plt.Circle((5.5, radius + 0.5), radius, color="firebrick"))
    y = np.linspace(deep, 0.5, 50)
    axes.plot(8 + np.sqrt(2 * (0.98 + noise) * height * (deep - y)), y, color="lightskyblue", linewidth=2)
    axes.plot([0, 20], [0.2, 0.2], color="black", linewidth=2)
    return _saved()


def _axes(xlim, ylim):
    plt.rcParams["figure.figsize"] = (1, 1)
    axes = plt.gca()
    axes.set_xlim(xlim)
    axes.set_ylim(ylim)
    plt.axis("off")
    return axes


def _saved():
    stream = io.BytesIO()
    plt.savefig(stream, format="png", dpi=96)
    plt.clf()
    return np.asarray(Image.open(stream))
