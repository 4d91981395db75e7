"""What adjectives describe, and their order before a noun.

The order is that of Quirk et al. (1985, sections 7.45 and 17.113-115), from the most subjective to the most
inherent: opinion, size, age, shape, colour, participles, origin, material, purpose.  The words are the
commonest of each class in image captions and Quirk's own examples; the material and colour words are those
that are also nouns.
"""

from __future__ import annotations

from typing import Final, Literal

AdjectiveClass = Literal[
    "opinion", "size", "age", "shape", "colour", "pattern", "participle", "origin", "material", "purpose"
]

# fmt: off
#: Rank in the order.
RANKS: Final[dict[AdjectiveClass, int]] = {
    "opinion":  0,   "size":    1,   "age":        2,   "shape":  3,   "colour":   4,
    "pattern":  5,   "participle": 6, "origin":     7,   "material": 8, "purpose": 9,
}

_WORDS: Final[dict[AdjectiveClass, str]] = {
    "opinion": "adorable amazing attractive awful beautiful charming cheap comfortable cool cute delicious "
               "elegant excellent expensive fancy fine funny good gorgeous great handsome impressive "
               "interesting lovely magnificent nice odd ordinary peculiar pleasant pretty scenic simple "
               "special spectacular strange stylish terrible ugly unusual weird wonderful",
    "size":    "big bulky compact enormous fat giant gigantic great heavy huge immense large little long "
               "massive medium-sized miniature narrow oversized overweight petite short skinny slender slim "
               "small tall thick thin tiny vast wide",
    "age":     "aged ancient antique elderly middle-aged modern new newborn old older teenage vintage young "
               "younger",
    "shape":   "circular crooked curved flat oval rectangular round square straight triangular",
    "colour":  "amber beige black blond blonde blue brown brunette colored colorful coloured colourful cream "
               "crimson dark fair golden gold gray green grey ivory khaki lavender light magenta maroon "
               "multi-colored multicolored navy olive orange pale pink purple red scarlet silver tan teal "
               "turquoise violet white yellow bright",
    "pattern": "checkered dotted floral flowered patterned plaid spotted striped",
    "origin":  "african american arab asian australian brazilian british canadian caucasian chinese egyptian "
               "english european foreign french german greek hispanic indian indonesian irish italian "
               "japanese korean latin latino mexican muslim oriental russian scottish spanish thai tibetan "
               "turkish victorian vietnamese",
    "material": "brass brick bronze cardboard cement clay concrete copper cotton denim dirt glass golden "
               "granite iron lace leather marble metal metallic nylon paper plastic rubber silk steel stone "
               "straw suede velvet wicker wood wooden wool woolen",
}
_CLASSES: Final[dict[str, AdjectiveClass]] = {
    word: kind for kind, words in reversed(_WORDS.items()) for word in words.split()
}

#: Words that imply or exclude one another across classes: what grows is small first, then big and old.
RELATED: Final[frozenset[frozenset[str]]] = frozenset(
    frozenset(pair.split())
    for pair in (
        "young little", "young small", "young tiny", "old little", "elderly little", "newborn little",
        "newborn small", "newborn tiny", "new vintage",
    )
)

#: Adjectives that do not stand before a noun (Quirk et al., 7.39-7.40).
PREDICATIVE_ONLY: Final = frozenset(
    "ablaze able afloat afraid alike alive alone ashamed asleep awake aware born loath unable unaware".split()
)

# Adjectives with one sense, whatever the noun, which can therefore be added.  Left out: words whose sense
# depends on the noun (light, bright, heavy, fine, great, good, cool, fair), that describe a person's hair
# (blond), or that compare (older).
_ADDED: Final[dict[AdjectiveClass, str]] = {
    "opinion": "adorable attractive beautiful charming cute elegant expensive fancy gorgeous handsome lovely "
               "nice odd pretty strange stylish ugly unusual weird",
    "size":    "big enormous giant gigantic huge large little long massive narrow short small tall thick "
               "thin tiny wide skinny slim",
    "age":     "ancient antique elderly middle-aged modern new old vintage young",
    "shape":   "circular curved flat oval rectangular round square triangular",
    "colour":  "beige black blue brown colorful golden gray green grey maroon multicolored orange pink "
               "purple red silver tan teal turquoise white yellow",
    "pattern": "checkered floral patterned plaid spotted striped",
    "origin":  "african american asian caucasian chinese european hispanic indian italian japanese korean "
               "mexican",
    "material": "concrete denim leather metal plastic wooden",
}
#: Adjective -> class, of the adjectives that a construction may add.
ADDABLE: Final[dict[str, AdjectiveClass]] = {
    word: kind for kind, words in _ADDED.items() for word in words.split()
}
# fmt: on


def class_of(word: str, tag: str = "JJ") -> AdjectiveClass | None:
    """Return what an adjective, participle or noun before a noun describes, None for unknown words.

    >>> class_of("tiny"), class_of("leather", "NN"), class_of("parked", "VBN"), class_of("military")
    ('size', 'material', 'participle', None)
    """
    known = _CLASSES.get(word.lower())
    return known or ("participle" if tag in {"VBN", "VBG"} else None)


def rank_of(word: str, tag: str = "JJ") -> int:
    """Return the rank of a word in the order; unknown words are classifying adjectives, which come last.

    >>> rank_of("big") < rank_of("old") < rank_of("red") < rank_of("wooden") < rank_of("musical")
    True
    """
    kind = class_of(word, tag)
    return RANKS["purpose"] if kind is None else RANKS[kind]
