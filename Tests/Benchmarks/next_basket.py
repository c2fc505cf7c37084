"""Other recommenders on the data sets of `QualityTests`: popularity, TIFU-KNN (Hu et al., SIGIR 2020) tuned on the
validation part, and the ALS of PyPI's `implicit`. Prints recall, nDCG and the milliseconds of one person's ten
suggestions as JSON."""

import collections
import gzip
import itertools
import json
import sys
import time
from pathlib import Path

import implicit  # pyright: ignore[reportMissingImports]
import numpy  # pyright: ignore[reportMissingImports]
import scipy.sparse  # pyright: ignore[reportMissingImports]

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data" / "recsys"
TESTED = ROOT / "Tests" / "Fixtures" / "Shopping" / "cj_fresh_test_users.txt"
#: TIFU-KNN's parameters: neighbours, decay in a group, decay of groups, weight of the person's own vector, groups.
GRID = list(itertools.product((300, 900), (0.7, 0.9, 1.0), (0.7, 0.9, 1.0), (0.2, 0.5, 0.8), (3, 7)))


class Shoppers:
    """Histories of baskets, and the hidden baskets of the validation and test parts."""

    def __init__(self):
        self.histories, self.hidden = [], {"tuning": {}, "test": {}}

    def add(self, baskets: list[list[int]], part: str | None) -> None:
        if part:
            self.hidden[part][len(self.histories)] = set(baskets[-1])
        self.histories.append(baskets[:-1] if part else baskets)

    @property
    def items(self) -> int:
        seen = itertools.chain((one for person in self.histories for basket in person for one in basket),
                               (one for part in self.hidden.values() for basket in part.values() for one in basket))
        return max(seen) + 1

    def counts(self) -> scipy.sparse.csr_matrix:
        rows, columns = [], []
        for person, baskets in enumerate(self.histories):
            for basket in baskets:
                rows += [person] * len(basket)
                columns += basket
        shape = (len(self.histories), self.items)
        return scipy.sparse.csr_matrix((numpy.ones(len(rows), numpy.float32), (rows, columns)), shape)

    def score(self, part: str, ranked) -> tuple[float, float]:
        """Returns recall and nDCG. `ranked` returns the ten best items of each of some people."""
        people = list(self.hidden[part])
        recall = gain = 0.0
        for start in range(0, len(people), 500):
            some = people[start:start + 500]
            for person, items in zip(some, ranked(some), strict=True):
                truth = self.hidden[part][person]
                hits = [rank for rank, item in enumerate(items) if item in truth]
                recall += len(hits) / len(truth)
                gain += (sum(1 / numpy.log2(rank + 2) for rank in hits)
                         / sum(1 / numpy.log2(rank + 2) for rank in range(min(10, len(truth)))))
        return recall / len(people), gain / len(people)


def dnntsp(name: str) -> Shoppers:
    baskets, found = collections.OrderedDict(), Shoppers()
    with gzip.open(DATA / f"dnntsp_{name}.csv.gz", "rt") as lines:
        next(lines)
        for line in lines:
            split, user, basket, items = line.strip().split(",")
            baskets.setdefault((split, user), []).append((int(basket), sorted(set(map(int, items.split())))))
    for (split, _), unsorted in baskets.items():
        found.add([items for _, items in sorted(unsorted)], {"v": "tuning", "t": "test"}.get(split))
    return found


def grocer() -> Shoppers:
    baskets, people, found = {}, collections.OrderedDict(), Shoppers()
    with gzip.open(DATA / "cj_fresh_transactions.csv.gz", "rt") as lines:
        next(lines)
        for line in lines:
            placed, user, _, basket, item = line.split(",")[:5]
            baskets.setdefault(int(basket), (placed, user, set()))[2].add(int(item) - 1)
    for _, (_, user, items) in sorted(baskets.items(), key=lambda one: (one[1][0], one[0])):
        people.setdefault(user, []).append(sorted(items))
    tested = set(TESTED.read_text().split())
    for user, history in people.items():
        found.add(history, ("test" if user in tested else "tuning") if len(history) >= 4 else None)
    return found


def best(scores: numpy.ndarray) -> numpy.ndarray:
    return numpy.argsort(-scores, axis=1, kind="stable")[:, :10]


class TIFU:
    """Temporal item frequencies of groups of baskets, and those of the nearest neighbours."""

    def __init__(self, shoppers: Shoppers, within: float, between: float, groups: int):
        rows, columns, values = [], [], []
        for person, baskets in enumerate(shoppers.histories):
            size = max(1, -(-len(baskets) // groups))
            parts = [baskets[max(0, end - size):end] for end in range(len(baskets), 0, -size)][::-1]
            for number, part in enumerate(parts):
                outer = between ** (len(parts) - 1 - number) / len(parts)
                for index, basket in enumerate(part):
                    weight = outer * within ** (len(part) - 1 - index) / len(part)
                    rows += [person] * len(basket)
                    columns += basket
                    values += [weight] * len(basket)
        shape = (len(shoppers.histories), shoppers.items)
        self.vectors = scipy.sparse.csr_matrix((numpy.array(values, numpy.float32), (rows, columns)), shape)
        self.norms = numpy.asarray(self.vectors.multiply(self.vectors).sum(1)).ravel()
        self.near: dict[tuple, numpy.ndarray] = {}

    def neighbours(self, people: list[int], most: int) -> numpy.ndarray:
        key = (people[0], len(people))
        if key not in self.near:
            distances = self.norms[None, :] - 2 * (self.vectors[people] @ self.vectors.T).toarray()
            distances[numpy.arange(len(people)), people] = numpy.inf
            first = numpy.argpartition(distances, 900, axis=1)[:, :900]
            order = numpy.argsort(numpy.take_along_axis(distances, first, 1), axis=1, kind="stable")
            self.near[key] = numpy.take_along_axis(first, order, 1)
        return self.near[key][:, :most]

    def ranked(self, people: list[int], most: int, own: float) -> numpy.ndarray:
        near = self.neighbours(people, most)
        rows = numpy.repeat(numpy.arange(len(people)), near.shape[1])
        shape = (len(people), self.vectors.shape[0])
        mean = scipy.sparse.csr_matrix((numpy.full(near.size, 1 / near.shape[1], numpy.float32), (rows, near.ravel())),
                                       shape)
        return best((own * self.vectors[people] + (1 - own) * (mean @ self.vectors)).toarray())


def tifu(shoppers: Shoppers) -> tuple[dict, str]:
    """Returns the scores of the parameters that are best on the validation part."""
    found = None
    for within, between, groups in sorted({(one[1], one[2], one[4]) for one in GRID}):
        model = TIFU(shoppers, within, between, groups)
        for most, own in sorted({(one[0], one[3]) for one in GRID}):
            recall, _ = shoppers.score("tuning", lambda some, m=model, k=most, w=own: m.ranked(some, k, w))
            if found is None or recall > found[0]:
                found = (recall, (most, within, between, own, groups), model)
    assert found is not None
    _, parameters, model = found
    recall, gain = shoppers.score("test", lambda some: model.ranked(some, parameters[0], parameters[3]))
    return row(recall, gain), f"neighbours, decays, own, groups {parameters}"


def row(recall: float, gain: float, milliseconds: list[float] | None = None) -> dict:
    found = {"recall": round(recall, 4), "nDCG": round(gain, 4)}
    if milliseconds:
        ordered = sorted(milliseconds)
        found |= {"p50ms": round(ordered[len(ordered) // 2], 3), "p99ms": round(ordered[len(ordered) * 99 // 100], 3)}
    return found


def factors(shoppers: Shoppers) -> dict:
    """ALS of `implicit`; items bought before may be suggested."""
    counts = shoppers.counts()
    model = implicit.als.AlternatingLeastSquares(64, iterations=15, random_state=7)
    model.fit(counts, show_progress=False)

    def suggest(people):
        return model.recommend(people, counts[people], N=10, filter_already_liked_items=False)[0]

    times = []
    for person in list(shoppers.hidden["test"])[:500]:
        began = time.perf_counter()
        suggest(person)
        times.append((time.perf_counter() - began) * 1000)
    return row(*shoppers.score("test", suggest), times)


def main() -> int:
    found = {}
    for name, shoppers in (("cj_fresh", grocer()), ("tafeng", dnntsp("tafeng")), ("dc", dnntsp("dc"))):
        popular = numpy.argsort(-numpy.asarray(shoppers.counts().sum(0)).ravel(), kind="stable")[:10]
        rows = {"popularity": row(*shoppers.score("test", lambda some, top=popular: [top] * len(some)))}
        scores, parameters = tifu(shoppers)
        rows["TIFU-KNN"] = scores | {"tuned": parameters}
        found[name] = rows | {"implicit ALS": factors(shoppers)}
        print(f"{name}: {json.dumps(found[name])}", file=sys.stderr)
    print(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
