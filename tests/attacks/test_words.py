"""Words and runs of words, without placeholders."""

from hypothesis import given
from hypothesis import strategies as st

from neuter.attacks.words import words_of


def test_single_words_are_in_lower_case_and_have_two_characters_or_more():
    assert words_of("We sold 27% more iPhones.") == ["we", "sold", "27", "more", "iphones"]


def test_runs_follow_the_single_words_and_cross_line_ends():
    assert words_of("big blue\nbox", ngram_max=3) == [
        "big",
        "blue",
        "box",
        "big blue",
        "blue box",
        "big blue box",
    ]


def test_placeholders_vanish_and_their_neighbours_meet():
    text = "Company_1 and name_x sold product_type_2 for number_aaa in year_z"
    assert words_of(text, ngram_max=2) == [
        "and",
        "sold",
        "for",
        "in",
        "and sold",
        "sold for",
        "for in",
    ]


def test_stop_words_vanish_before_runs_are_made():
    assert words_of("cost of the goods", ngram_max=2, stop_words={"of", "the"}) == [
        "cost",
        "goods",
        "cost goods",
    ]


def test_words_with_an_underscore_that_are_no_placeholder_stay():
    assert words_of("snake_case non_gaap_2019x") == ["snake_case", "non_gaap_2019x"]


@given(st.text(alphabet="ab c\n.", max_size=60), st.integers(1, 4))
def test_a_text_of_n_words_has_n_minus_k_runs_of_k_plus_one(text, ngram_max):
    words = words_of(text)
    expected = sum(max(0, len(words) - k) for k in range(ngram_max))
    assert len(words_of(text, ngram_max)) == expected
