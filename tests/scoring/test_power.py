"""How large a sample must be: by hand, against statsmodels, and by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import ttest_1samp
from statsmodels.stats.power import TTestIndPower, TTestPower

from neuter.errors import UsageError
from neuter.scoring.paired import mcnemar_mid_p, sign_flip
from neuter.scoring.power import (
    Setting,
    achieved_power,
    design_effect,
    detectable_effect,
    documents_needed,
    firms_needed,
    standard_error,
    variance,
    worth,
)


def test_the_design_effect_by_hand() -> None:
    assert design_effect(8, 0.25) == 2.75  # 1 + 7 / 4
    assert design_effect(1, 0.9) == 1
    assert worth(50, 8, 0.25) == pytest.approx(400 / 2.75)
    assert worth(50, math.inf, 0.25) == 200  # however many documents: 50 / 0.25
    assert worth(50, math.inf, 0) == math.inf


def test_variances_by_hand() -> None:
    # They differ on a quarter: 0.25 - 0.1^2. Chance agreement at 0.5 is 0.5, halfway to 1 is 0.75.
    assert variance(0.1, Setting()) == pytest.approx(0.24)
    assert variance(0.1, Setting(agreement=0.9)) == pytest.approx(0.09)
    assert variance(0.1, Setting("unpaired")) == pytest.approx(0.55 * 0.45 * 2)
    assert variance(0.1, Setting("baseline", accuracy=0.3)) == pytest.approx(0.21)
    assert standard_error(0.1, 50, 8, Setting()) == pytest.approx(math.sqrt(0.24 * 2.75 / 400))


def test_power_agrees_with_statsmodels() -> None:
    setting = Setting(correlation=0)
    size = 0.1 / math.sqrt(variance(0.1, setting))
    theirs = TTestPower().power(size, nobs=40, alpha=0.05, alternative="larger", df=None)
    two_sided = TTestPower().power(size, nobs=40, alpha=0.025, alternative="larger", df=None)
    assert achieved_power(0.1, 40, 1, setting) == pytest.approx(two_sided, abs=1e-9)
    assert theirs > two_sided
    apart = Setting("unpaired", correlation=0)
    size = 0.2 / math.sqrt(variance(0.2, apart) / 2)
    theirs = TTestIndPower().power(size, nobs1=30, alpha=0.025, alternative="larger")
    assert achieved_power(0.2, 30, 1, apart) == pytest.approx(theirs, abs=1e-9)


def test_many_firms_have_the_normal_power() -> None:
    setting = Setting(correlation=0)
    assert achieved_power(0.01, 10_001, 1, setting) == pytest.approx(
        achieved_power(0.01, 10_002, 1, setting), abs=1e-3
    )


@pytest.mark.parametrize("setting", [Setting(), Setting("unpaired", 0.6, 0.1), Setting("baseline", 0.3, 0.5)])
def test_what_is_needed_is_just_enough(setting: Setting) -> None:
    firms = firms_needed(0.06, 8, setting)
    assert achieved_power(0.06, firms - 1, 8, setting) < 0.8 <= achieved_power(0.06, firms, 8, setting)
    assert detectable_effect(firms, 8, setting) <= 0.06 < detectable_effect(firms - 1, 8, setting)
    some = int(1.2 * firms_needed(0.06, math.inf, setting))
    documents = documents_needed(0.06, some, setting)
    assert (
        achieved_power(0.06, some, documents - 1, setting)
        < 0.8
        <= achieved_power(0.06, some, documents, setting)
    )


def test_no_number_of_documents_makes_up_for_too_few_firms() -> None:
    assert documents_needed(0.05, 50, Setting()) is None
    assert achieved_power(0.05, 50, 10**9, Setting()) < 0.8
    # (t(49) + z)^2 * variance / effect^2 = (2.0096 + 0.8416)^2 * 0.2475 / 0.0025 = 805 documents, 50 at a time.
    assert documents_needed(0.05, 50, Setting(correlation=0)) == 17
    assert firms_needed(1e-7, 1, Setting()) is None


def test_a_sample_too_small_for_any_difference_says_so() -> None:
    assert detectable_effect(2, 1, Setting()) is None


@pytest.mark.parametrize(
    ("setting", "complaint"),
    [
        ({"accuracy": 50}, "50% is 0.5"),
        ({"accuracy": 0}, "accuracy is 0"),
        ({"correlation": -0.1}, "correlation"),
        ({"correlation": math.nan}, "correlation"),
        ({"power": 0.04}, "no more than the level"),
        ({"agreement": 0.9, "kind": "baseline"}, "agreement"),
        ({"kind": "other"}, "paired, unpaired, baseline"),
    ],
)
def test_settings_that_cannot_be_are_refused(setting: dict[str, object], complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        Setting(**setting)


@pytest.mark.parametrize(
    ("effect", "firms", "documents", "setting", "complaint"),
    [
        (5, 50, 8, Setting(), "5% is 0.05"),
        (0, 50, 8, Setting(), "effect is 0"),
        (0.05, 1, 8, Setting(), "one firm says nothing of others"),
        (0.05, 50, 0, Setting(), "documents a firm: 0"),
        (0.05, math.nan, 8, Setting(), "firms: nan"),
        (0.3, 50, 8, Setting(agreement=0.8), "agree on 0.8"),
        (0.3, 50, 8, Setting(accuracy=0.9, agreement=0.5), "cannot have 0.9 for their middle"),
        (0.3, 50, 8, Setting("baseline", 0.2), "above a baseline"),
    ],
)
def test_samples_that_cannot_be_are_refused(
    effect: float, firms: int, documents: int, setting: Setting, complaint: str
) -> None:
    with pytest.raises(UsageError, match=complaint):
        achieved_power(effect, firms, documents, setting)


def differences(effect: float, firms: int, documents: int, setting: Setting, seed: int) -> np.ndarray:
    """Summed differences by firm: each document follows its firm's draw so often that they correlate as assumed."""
    draw = np.random.default_rng(seed)
    apart = 1 - setting.agreed()
    shares = [(apart + effect) / 2, (apart - effect) / 2, 1 - apart]
    values = np.array([1, -1, 0])
    own = draw.choice(values, (firms, documents), p=shares)
    firm = draw.choice(values, (firms, 1), p=shares)
    return np.where(draw.random((firms, documents)) < math.sqrt(setting.correlation), firm, own).sum(axis=1)


@pytest.mark.parametrize(
    ("effect", "documents", "correlation"), [(0.12, 8, 0.25), (0.15, 3, 0.6), (0.1, 1, 0.25)]
)
def test_the_recommended_size_has_the_power_that_was_asked_for(
    effect: float, documents: int, correlation: float
) -> None:
    setting = Setting(correlation=correlation)
    firms = firms_needed(effect, documents, setting)
    made = [differences(effect, firms, documents, setting, seed).astype(float) for seed in range(1500)]
    by_t = np.mean([ttest_1samp(d, 0).pvalue <= 0.05 for d in made])
    # With one document a firm, signs are the exact McNemar test, which is the stricter: its mid-p-value is not.
    pairs = [(int((d > 0).sum()), int((d < 0).sum())) for d in made]
    flips = [mcnemar_mid_p(*pair) for pair in pairs] if documents == 1 else [sign_flip(d) for d in made]
    by_signs = np.mean(np.array(flips) <= 0.05)
    assert by_t == pytest.approx(0.8, abs=0.04)
    assert by_signs == pytest.approx(0.8, abs=0.04)


def test_an_accuracy_against_a_baseline_has_the_power_that_was_asked_for() -> None:
    setting = Setting("baseline", 0.4, 0.3)
    firms, found = firms_needed(0.12, 6, setting), []
    for seed in range(1500):
        draw = np.random.default_rng(seed)
        follows = draw.random((firms, 6)) < math.sqrt(0.3)
        right = np.where(follows, draw.random((firms, 1)) < 0.4, draw.random((firms, 6)) < 0.4)
        found.append(ttest_1samp(right.mean(axis=1), 0.28).pvalue <= 0.05)
    assert np.mean(found) == pytest.approx(0.8, abs=0.04)
