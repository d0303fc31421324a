"""How long a text is for a language model, without any model's tokenizer.

Answers are budgeted in tokens, and the models that read them differ. Four characters a token is the usual rule for English and
code; it keeps the limits of tokens and characters (10,000 and 40,000) the same limit.
"""

CHARACTERS_PER_TOKEN = 4


def estimate(text: str) -> int:
    """Tokens of ``text``, rounded up."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)
