"""Photographs of codes, generated: turned, tilted, in shadow, out of focus, noisy, compressed. Facts only, no pictures."""

import io
import math
import random
from dataclasses import dataclass

import segno
from PIL import Image, ImageChops, ImageDraw, ImageFilter

SIZE = (960, 720)
#: ISO/IEC 15420: the modules of left digits with odd parity; the others follow from them.
ODD = ["0001101", "0011001", "0010011", "0111101", "0100011", "0110001", "0101111", "0111011", "0110111", "0001011"]
PARITIES = ["LLLLLL", "LLGLGG", "LLGGLG", "LLGGGL", "LGLLGG", "LGGLLG", "LGGGLL", "LGLGLG", "LGLGGL", "LGGLGL"]


@dataclass(frozen=True)
class Conditions:
    """How a photograph was taken; lengths in modules of the code."""

    tilt: float
    blur: tuple[float, float]
    noise: tuple[float, float]
    quality: tuple[int, int]
    light: float
    shadow: float


NORMAL = Conditions(0.12, (0, 0.25), (1, 5), (60, 95), 0.4, 0)
#: Out of focus, in the shade of a hand, strongly compressed.
POOR = Conditions(0.2, (0.15, 0.42), (3, 10), (35, 65), 0.7, 0.5)


def qr(text: str, error: str) -> Image.Image:
    out = io.BytesIO()
    segno.make(text, error=error, boost_error=False, micro=False).save(out, kind="png", scale=12, border=4)
    return Image.open(out).convert("L")


def ean(digits: str) -> Image.Image:
    right = ["".join("10"[int(bit)] for bit in digit) for digit in ODD]
    even = [digit[::-1] for digit in right]
    if len(digits) == 13:
        left = "".join((ODD if kind == "L" else even)[int(digit)]
                       for digit, kind in zip(digits[1:7], PARITIES[int(digits[0])], strict=True))
    else:
        left = "".join(ODD[int(digit)] for digit in digits[:4])
    bars = f"101{left}01010{''.join(right[int(digit)] for digit in digits[len(digits) // 2 + len(digits) % 2:])}101"
    image = Image.new("L", ((len(bars) + 22) * 8, 560), 255)
    pen = ImageDraw.Draw(image)
    for index, bar in enumerate(bars):
        if bar == "1":
            pen.rectangle(((11 + index) * 8, 40, (12 + index) * 8 - 1, 520), fill=0)
    return image


def with_check_digit(digits: str) -> str:
    total = sum(int(digit) * (3 if index % 2 == 0 else 1) for index, digit in enumerate(reversed(digits)))
    return f"{digits}{-total % 10}"


def photograph(code: Image.Image, modules: float, conditions: Conditions, chance: random.Random) -> bytes:
    """Returns a JPEG of a code that is so many modules wide."""
    wide = chance.uniform(0.42, 0.75) * SIZE[1] * (1.25 if code.width > 1.5 * code.height else 1)
    corners = _corners(code, wide, conditions.tilt, chance)
    paper, ink = chance.uniform(150, 235), chance.uniform(10, 70)
    turned = code.point([ink + (paper - ink) * value / 255 for value in range(256)])
    image = _table(chance)
    mapping = _perspective(corners, code.size)
    seen = turned.transform(SIZE, Image.Transform.PERSPECTIVE, mapping, Image.Resampling.BICUBIC)
    mask = Image.new("L", code.size, 255).transform(
        SIZE, Image.Transform.PERSPECTIVE, mapping, Image.Resampling.BICUBIC)
    image.paste(seen, (0, 0), mask)
    image = ImageChops.multiply(image, _light(conditions, chance))
    image = image.filter(ImageFilter.GaussianBlur(chance.uniform(*conditions.blur) * wide / modules))
    noise = Image.effect_noise(SIZE, chance.uniform(*conditions.noise))
    image = ImageChops.add(image, noise, 1, -128)
    out = io.BytesIO()
    image.save(out, "JPEG", quality=chance.randint(*conditions.quality))
    return out.getvalue()


def _corners(code: Image.Image, wide: float, most: float, chance: random.Random) -> list[tuple[float, float]]:
    high = wide * code.height / code.width
    most_turned = 180 if chance.random() < 0.3 else 20
    angle = math.radians(chance.uniform(-most_turned, most_turned))
    tilt, toward = chance.uniform(0, most), chance.uniform(0, 2 * math.pi)
    if high != wide:
        angle, tilt = math.radians(chance.uniform(-8, 8)), tilt / 2
    middle = (SIZE[0] / 2 + chance.uniform(-60, 60), SIZE[1] / 2 + chance.uniform(-30, 30))
    corners = []
    for x, y in ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)):
        near = 1 / (1 + 2 * tilt * (x * math.cos(toward) + y * math.sin(toward)))
        right, down = x * wide * near, y * high * near
        corners.append((middle[0] + right * math.cos(angle) - down * math.sin(angle),
                        middle[1] + right * math.sin(angle) + down * math.cos(angle)))
    return corners


def _table(chance: random.Random) -> Image.Image:
    """What the thing lies on: things of other brightness."""
    image = Image.new("L", SIZE, chance.randrange(60, 200))
    pen = ImageDraw.Draw(image)
    for _ in range(12):
        x, y = chance.randrange(SIZE[0]), chance.randrange(SIZE[1])
        wide, high = chance.randrange(20, 300), chance.randrange(20, 200)
        pen.rectangle((x, y, x + wide, y + high), fill=chance.randrange(20, 240))
    return image


def _light(conditions: Conditions, chance: random.Random) -> Image.Image:
    """Light that falls off to one side, and sometimes the edge of a shadow."""
    least = 255 * (1 - chance.uniform(0, conditions.light))
    fall = Image.linear_gradient("L").point([least + (255 - least) * value / 255 for value in range(256)])
    fall = fall.rotate(chance.choice((0, 90, 180, 270))).resize(SIZE)
    if chance.random() >= conditions.shadow:
        return fall
    shadow = Image.new("L", SIZE, 255)
    across = chance.uniform(0.2, 0.8) * SIZE[0]
    lean = chance.uniform(-300, 300)
    ImageDraw.Draw(shadow).polygon(((0, 0), (across + lean, 0), (across - lean, SIZE[1]), (0, SIZE[1])),
                                   fill=round(255 * chance.uniform(0.5, 0.8)))
    return ImageChops.multiply(fall, shadow)


def _perspective(corners: list[tuple[float, float]], size: tuple[int, int]) -> list[float]:
    """The eight coefficients that lead from points of the photograph to those of the code (Gauss)."""
    rows = []
    for (x, y), (u, v) in zip(corners, ((0, 0), (size[0], 0), size, (0, size[1])), strict=True):
        rows.append([x, y, 1, 0, 0, 0, -u * x, -u * y, u])
        rows.append([0, 0, 0, x, y, 1, -v * x, -v * y, v])
    for column in range(8):
        pivot = max(range(column, 8), key=lambda row: abs(rows[row][column]))
        rows[column], rows[pivot] = rows[pivot], rows[column]
        for row in range(8):
            if row != column:
                factor = rows[row][column] / rows[column][column]
                rows[row] = [mine - factor * other for mine, other in zip(rows[row], rows[column], strict=True)]
    return [row[8] / row[index] for index, row in enumerate(rows)]
