"""Checks signals of texts with the filters of datatrove.

Reads JSON Lines: `text`, its `tokens`, and `signals` by column. A filter has a threshold
and says yes or no. The value of a signal is the threshold at which a filter changes its
mind, so each filter is asked twice. Prints each signal that a filter sees elsewhere, and
how many comparisons there were.
"""

import json
import math
import sys

from datatrove.data import Document
from datatrove.pipeline.filters import (
    FineWebQualityFilter,
    GopherQualityFilter,
    GopherRepetitionFilter,
    fineweb_quality_filter,
    gopher_quality_filter,
    gopher_repetition_filter,
)

# The parameter of a filter, with its other parameters switched off.
OFF = {
    GopherQualityFilter: dict.fromkeys(
        (
            "min_doc_words max_doc_words min_avg_word_length max_avg_word_length max_symbol_word_ratio "
            "max_bullet_lines_ratio max_ellipsis_lines_ratio max_non_alpha_words_ratio min_stop_words"
        ).split()
    ),
    GopherRepetitionFilter: {
        **dict.fromkeys("dup_line_frac dup_para_frac dup_line_char_frac dup_para_char_frac".split()),
        "top_n_grams": (),
        "dup_n_grams": (),
    },
    FineWebQualityFilter: {
        "line_punct_thr": -1,
        "short_line_thr": 2,
        "char_duplicates_ratio": 2,
        "new_line_ratio": math.inf,
    },
}


# Shares come through JSON, which may change their last digit.
NEAR = 1e-12


def upper(kind, parameter):
    """A filter that drops what is above: it keeps at the first threshold, and drops at the second."""
    return kind, parameter, lambda value: (value * (1 + NEAR) or NEAR, value * (1 - NEAR))


def lower(kind, parameter):
    return kind, parameter, lambda value: (value * (1 - NEAR), value * (1 + NEAR))


def ngrams(parameter, n):
    _, _, thresholds = upper(None, None)
    return GopherRepetitionFilter, parameter, lambda value: tuple(((n, of),) for of in thresholds(value))


def counted(parameter):
    return GopherQualityFilter, parameter, lambda value: (value, value + 1)


SIGNALS = {
    "words": counted("min_doc_words"),
    "stop_words": counted("min_stop_words"),
    "mean_word_length": lower(GopherQualityFilter, "min_avg_word_length"),
    "tokens_with_letters": lower(GopherQualityFilter, "max_non_alpha_words_ratio"),
    "bullet_lines": upper(GopherQualityFilter, "max_bullet_lines_ratio"),
    "ellipsis_lines": upper(GopherQualityFilter, "max_ellipsis_lines_ratio"),
    "symbols": upper(GopherQualityFilter, "max_symbol_word_ratio"),
    "ended_lines": lower(FineWebQualityFilter, "line_punct_thr"),
    "short_lines": upper(FineWebQualityFilter, "short_line_thr"),
    "duplicate_line_chars": upper(FineWebQualityFilter, "char_duplicates_ratio"),
    "breaks_per_token": upper(FineWebQualityFilter, "new_line_ratio"),
    "duplicate_lines": upper(GopherRepetitionFilter, "dup_line_frac"),
    **{f"top_{n}": ngrams("top_n_grams", n) for n in (2, 3, 4)},
    **{f"duplicate_{n}": ngrams("dup_n_grams", n) for n in range(5, 11)},
}


def keeps(kind, settings, text):
    outcome = kind(**(OFF[kind] | settings)).filter(Document(text=text, id="0"))
    return outcome is True


def main() -> None:
    tokens: list[str] = []
    for module in (fineweb_quality_filter, gopher_quality_filter, gopher_repetition_filter):
        module.split_into_words = lambda *_: tokens
    # Of the signs of the texts, the one that datatrove calls a word.
    gopher_quality_filter.PUNCTUATION_SET = gopher_quality_filter.PUNCTUATION_SET | {"•"}
    compared, wrong = 0, []
    for line in sys.stdin:
        row = json.loads(line)
        tokens[:] = row["tokens"]
        signals = row["signals"]
        signals["symbols"] = max(signals["hashes_per_token"], signals["ellipses_per_token"])
        signals |= {f"top_{n}": value for n, value in zip((2, 3, 4), signals["top_ngrams"])}
        signals |= {f"duplicate_{n}": value for n, value in zip(range(5, 11), signals["duplicate_ngrams"])}
        for name, (kind, parameter, thresholds) in SIGNALS.items():
            value = signals[name]
            kept, dropped = thresholds(value)
            right = keeps(kind, {parameter: kept}, row["text"])
            # Filters take a threshold of 0 as switched off.
            if value:
                right &= not keeps(kind, {parameter: dropped}, row["text"])
            compared += 1
            if not right:
                wrong.append({"signal": name, "value": value, "text": row["text"][:200]})
    print(json.dumps({"compared": compared, "wrong": wrong}))


if __name__ == "__main__":
    main()
