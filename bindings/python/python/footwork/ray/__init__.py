"""Work over many processes or machines with Ray: building corpora, searching them in shards, evaluating settings, fitting settings.

The extra ``footwork[ray]`` installs what it needs. The module is not loaded by ``import footwork``.
"""

try:
    import ray  # noqa: F401
except ImportError as missing:
    raise ImportError("footwork.ray needs Ray: pip install 'footwork[ray]'") from missing

from footwork.ray.corpus import build_corpus
from footwork.ray.evaluate import evaluate_many
from footwork.ray.fit import Fit, Point, fit
from footwork.ray.play import ShardedMatcher
from footwork.ray.shards import ShardedCharacter

__all__ = ["Fit", "Point", "ShardedCharacter", "ShardedMatcher", "build_corpus", "evaluate_many", "fit"]
