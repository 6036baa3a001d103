"""Malformed answers of the kinds that people report of models: each gives the right value, or none.

Beside each is the public thread that describes the kind; the texts are our own.
"""

from datetime import date

import pytest

from neuter.models.answers import Question, parse_answer
from neuter.types import Outcome

LEVEL = Question("number")
RETURN = Question("percent")
CHANCE = Question("probability")
DAY = Question("date")
WAY = Question("direction")
LETTER = Question("choice", choices=("A", "B", "C", "D", "E"))

READ = [
    ("openai/codex-plugin-cc#583 a fence around the whole", '```json\n{"answer": 903.25, "confidence": 80}\n```', LEVEL, 903.25),
    ("laravel/ai#754 a fence without a language", '```\n{"answer": 903.25}\n```', LEVEL, 903.25),
    ("tya5/reyn#1063 text behind the object", '{"answer": 903.25, "confidence": 80} I hope that this helps!', LEVEL, 903.25),
    ("Usagi-org/ai-goofish-monitor#396 the object twice", '{"answer": 903.25}\n{"answer": 903.25}', LEVEL, 903.25),
    ("langchain-ai/langchain#11476 a trailing comma", '{"answer": 903.25, "confidence": 80,}', LEVEL, 903.25),
    ("dottxt-ai/outlines#677 single quotes", "{'answer': 903.25, 'confidence': None}", LEVEL, 903.25),
    ("BoundaryML/baml#1249 curly quotes", "{“answer”: 903.25, “confidence”: 80}", LEVEL, 903.25),
    ("langchain-ai/langchain#9916 an object in a string", '"{\\"answer\\": 903.25, \\"confidence\\": 80}"', LEVEL, 903.25),
    ("langchain-ai/langchain#26655 an escape that is none", '{"answer": "\\$903.25", "confidence": 80}', LEVEL, 903.25),
    ("circlecell/jsonlint-mod#1 a plus sign", '{"answer": +2.5, "confidence": 80}', RETURN, 2.5),
    ("luau-lang/lute#652 a bare decimal point", '{"answer": .5, "confidence": 80}', RETURN, 0.5),
    ("oddbird/sass-json-export#1 a bare percent sign", '{"answer": 2.5%, "confidence": 80%}', RETURN, 2.5),
    ("ollama/ollama#2577 blanks without end", '{"answer": 903.25, "confidence": 80}' + "\n \t" * 2000, LEVEL, 903.25),
    ("openai/openai-node#1185 newlines until the limit", '{"answer": 903.25, "confidence": 80' + "\n" * 3000, LEVEL, 903.25),
    ("run-llama/llama_index#22918 cut behind the value", '{"answer": 903.25, "confid', LEVEL, 903.25),
    ("EleutherAI/lm-evaluation-harness#3214 a currency and a full stop", "The answer is $29.00.", LEVEL, 29.0),
    ("open-compass/opencompass#2647 separators in LaTeX", r"Hence \boxed{\$9{,}500}.", LEVEL, 9500.0),
    ("open-compass/opencompass#2647 a separator in a box", r"\boxed{10,000}", LEVEL, 10000.0),
    ("stanford-crfm/helm#4337 a comma behind the number", "The answer is 72, in total, so the year ends there.", LEVEL, 72.0),
    ("UKGovernmentBEIS/inspect_ai#1622 percent, and another number", "ANSWER: 20% (of 100 tries)", RETURN, 20.0),
    ("UKGovernmentBEIS/inspect_ai#4742 an exclamation mark", "The answer is 42!", LEVEL, 42.0),
    ("UKGovernmentBEIS/inspect_ai#3916 a negative number", "The answer is -5 exactly", RETURN, -5.0),
    ("grobidOrg/grobid#980 a minus sign that is no hyphen", "Answer: \u22120.5341", RETURN, -0.5341),
    ("EleutherAI/lm-evaluation-harness#3643 bold, no dollar signs", "so it is 8 - 4.\n\n**Answer:** 4.", LEVEL, 4.0),
    ("EvolvingLMMs-Lab/lmms-eval#1511 a box that is taken back", r"It is \boxed{2}. Wait, actually \boxed{3}.", LEVEL, 3.0),
    ("huggingface/Math-Verify#57 a box said twice", r"I get \boxed{1}. It is \boxed{1} since 2 halves make it.", LEVEL, 1.0),
    ("vllm-project/vllm#13125 no opening think tag", "Perhaps 41? No: 42.</think>\n\n42", LEVEL, 42.0),
    ("ml-explore/mlx-lm#1867 channels in the text", '<|channel|>analysis<|message|>Answer: 41<|end|><|start|>assistant<|channel|>final<|message|>{"answer": 42}<|return|>', LEVEL, 42.0),
    ("Augustas11/macprovider#743 channels without their marks", "analysisWe should say 41 or 42.assistantfinal42", LEVEL, 42.0),
    ("ggml-org/llama.cpp#20805 a stop token as text", '{"answer": 42}</s>', LEVEL, 42.0),
    ("openai/simple-evals#33 the label twice", "Answer:\n\nAnswer: C", LETTER, "C"),
    ("EleutherAI/lm-evaluation-harness#4188 an article that is no option", "The answer is B because a car moves.", LETTER, "B"),
    ("Azure/azureml-assets#5274 all of it bold", "**ANSWER: C**", LETTER, "C"),
    ("Azure/azureml-assets#5274 each part bold", "***Answer***: ***C***", LETTER, "C"),
    ("groq/openbench#348 'Answer seems to be'", "Answer seems to be A, I think.\n\nAnswer: A", LETTER, "A"),
    ("jundot/omlx#3668 another option is named behind", "The answer is B. Note that A is a common mistake.", LETTER, "B"),
    ("aniri15/OPD-V#2 another option is named before", "I considered (A), but it is incorrect. Final answer: D.", LETTER, "D"),
    ("NVIDIA-NeMo/Gym#1844 the option's text in the box", r"\boxed{E: A risk score}", LETTER, "E"),
    ("NVIDIA-NeMo/Gym#1844 text in a box", r"\boxed{\text{E}}", LETTER, "E"),
    ("Polymarket/agents#37 a percentage for a probability", "Probability: 65.5%", CHANCE, 0.655),
]  # fmt: skip

NOT_READ = [
    ("stanford-crfm/helm#4337 a comma is no number", ",", LEVEL),
    ("comet-ml/opik#8455 NaN", '{"answer": NaN, "confidence": 80}', LEVEL),
    ("comet-ml/opik#8455 Infinity", '{"answer": -Infinity}', LEVEL),
    ("RyanMarcus/dirty-json#23 a decimal comma in JSON", '{"answer": 73,2, "confidence": 94,9}', LEVEL),
    ("run-llama/llama_index#22918 cut in the value", '{"answer": 90', LEVEL),
    ("run-llama/llama_index#22918 cut in a string", '{"answer": "4,78', LEVEL),
    ("UKGovernmentBEIS/inspect_ai#4742 brackets may be a minus", "The answer is (42).", LEVEL),
    ("UKGovernmentBEIS/inspect_ai#3916 letters behind the digits", "Answer: 42abc", LEVEL),
    ("sgl-project/sglang#4711 thoughts without an end", "<think>The answer is 42. Or not.", LEVEL),
    ("cuga-project/cuga-agent#672 no final channel", '<|channel|>analysis<|message|>{"answer": 41}<|end|>', LEVEL),
    ("Augustas11/macprovider#743 thoughts without their marks, cut off", "analysisWe think that it is\n\n42", LEVEL),
    ("Polymarket/agents#37 a percentage without its sign", "Probability: 65.5", CHANCE),
    ("aniri15/OPD-V#2 the word Answer is no option", "Answer: none of these fits well", LETTER),
    ("mangiucugna/json_repair#73 an open string", '{"answer": "about 42, but not', LEVEL),
    ("Usagi-org/ai-goofish-monitor#396 two different objects", '{"answer": 903.25}\n{"answer": 931.8}', LEVEL),
    ("567-labs/instructor#1384 the schema for an answer", '{"properties": {"answer": {"type": "number"}, "confidence": {"maximum": 100}}}', LEVEL),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "question", "value"), [row[1:] for row in READ], ids=[row[0] for row in READ]
)
def test_a_malformed_answer_gives_the_value_that_it_states(text, question, value):
    parsed = parse_answer(text, question)
    assert (parsed.outcome, parsed.value) == (Outcome.ANSWERED, value)


@pytest.mark.parametrize(
    ("text", "question"), [row[1:] for row in NOT_READ], ids=[row[0] for row in NOT_READ]
)
def test_what_states_no_value_gives_none(text, question):
    parsed = parse_answer(text, question)
    assert (parsed.outcome, parsed.value) == (Outcome.UNPARSED, None)
    assert parsed.reason


@pytest.mark.parametrize(
    ("said", "confidence"),
    [
        ('"high"', None),  # fboiero/MIESC#131: a word
        ('"95%"', 95.0),  # ttlequals0/MinusPod#104: a percentage in a string
        ("100", 100.0),  # NVIDIA/SkillSpector#89: from 0 to 100
        ("0.85", 0.85),  # the same, from 0 to 1: never multiplied
        ("150", None),  # aden-hive/hive#1120: out of range
        ("null", None),
        ("[80, 90]", None),
        ('{"value": 80}', 80.0),
    ],
)
def test_a_confidence_that_cannot_be_read_leaves_the_answer(said, confidence):
    parsed = parse_answer(f'{{"answer": "03/14/2023", "confidence": {said}}}', DAY)
    assert (parsed.value, parsed.confidence) == (date(2023, 3, 14), confidence)


def test_an_answer_goes_before_the_reasoning_beside_it():
    text = '{"reasoning": "The answer: up? In 2008 it fell.", "answer": "down", "confidence": 70}'
    assert parse_answer(text, WAY).value == "down"
