"""hone: which parameters could have produced this observation?

Simulation-based inference by truncated marginal neural ratio estimation. Hand it a simulator, a
prior and one observation:

    run = hone.run(prior, simulator, observation, budget=5000)
    run.posterior.sample(1000, "mass")

See ``help(hone.run)`` and docs/python.md.
"""

from ._core import version as __version__
from ._data import Data
from ._fonts import use_own_fonts as _use_own_fonts
from .checks import Checks, check
from .comparison import compare
from .distributions import (
    Beta,
    Binomial,
    Categorical,
    Distribution,
    Exponential,
    Gamma,
    HalfNormal,
    Integer,
    LogNormal,
    LogUniform,
    Normal,
    Poisson,
    StudentT,
    Tabulated,
    Triangular,
    TruncatedNormal,
    Uniform,
)
from .errors import (
    Error,
    FileError,
    InputError,
    Interrupted,
    NumericalError,
    SimulatorError,
)
from .estimator import MNRE, Cut, RatioEstimator, train
from .figure import Figure, corner
from .models import models
from .options import option_help, options
from .posterior import Density, Posterior
from .prior import Prior, Region
from .run import Run
from .start import open, run
from .store import Store

_use_own_fonts()

__all__ = [
    "MNRE", "Beta", "Binomial", "Categorical", "Checks", "Cut", "Data", "Density", "Distribution", "Error",
    "Exponential", "Figure", "FileError",
    "Gamma", "HalfNormal", "InputError", "Integer", "Interrupted", "LogNormal", "LogUniform", "Normal",
    "NumericalError", "Poisson", "Posterior", "Prior", "RatioEstimator", "Region", "Run", "SimulatorError",
    "Store", "StudentT", "Tabulated", "Triangular", "TruncatedNormal", "Uniform", "check",
    "compare", "corner", "models", "open", "option_help", "options", "run", "train",
]
