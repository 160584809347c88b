"""Answers questions of the tests with Python's own libraries: JSON Lines in and out.

{"ask": "words", "text": ...}                     -> the words of [P 5.2]
{"ask": "matched", "gold": [...], "extracted": [...]}  -> words in matching blocks,
                                                          autojunk on and off
{"ask": "rouge", "gold": text, "extracted": text} -> words in common by ROUGE-LSum
{"ask": "unicode"}                                -> the version of Unicode
"""

import difflib
import json
import re
import sys
import unicodedata


def words(text):
    # Not in [P 5.2]: readers do not see soft hyphens.
    return re.sub(r"\W", " ", text.lower().replace("\u00ad", "")).split()


def matched(gold, extracted):
    def common(autojunk):
        matcher = difflib.SequenceMatcher(None, gold, extracted, autojunk=autojunk)
        return sum(block.size for block in matcher.get_matching_blocks())

    return [common(True), common(False)]


class Words:
    def tokenize(self, text):
        return words(text)


def rouge(gold, extracted):
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rougeLsum"], tokenizer=Words())
    score = scorer.score(gold, extracted)["rougeLsum"]
    # The score has ratios only. The asserts check that the rounded count is exact.
    common = round(score.recall * len(words(gold)))
    assert score.recall == common / max(len(words(gold)), 1)
    assert score.precision == common / max(len(words(extracted)), 1)
    return common


def answer(ask, **question):
    if ask == "unicode":
        return unicodedata.unidata_version
    return {"words": words, "matched": matched, "rouge": rouge}[ask](**question)


for line in sys.stdin:
    print(json.dumps(answer(**json.loads(line))))
