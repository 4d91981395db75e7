"""Nouns whose adjectives need care: which name nothing with bounds of its own, which say an age or a size.

Beside WordNet's hierarchy; the words are those met in image captions.
"""

from __future__ import annotations

from typing import Final, Literal

NounKind = Literal["person", "animal", "thing"]

#: WordNet's synsets that all below are of a kind; None where such nouns take no adjective of their own.
KINDS: Final[dict[str, NounKind | None]] = {
    "body_part.n.01":     None,
    "person.n.01":        "person",  "animal.n.01":               "animal",
    "artifact.n.01":      "thing",   "plant.n.02":                "thing",
    "food.n.02":          "thing",   "geological_formation.n.01": "thing",
    "tract.n.01":         "thing",   "natural_object.n.01":       "thing",
    "body_of_water.n.01": "thing",
}  # fmt: skip
#: Nouns that captions use in another sense than WordNet puts first, and group nouns whose adjectives are
#: their members'.
KNOWN: Final[dict[str, NounKind]] = {
    "people": "person", "couple":  "person", "folk":   "person", "male": "person", "female": "person",
    "jersey": "thing",  "outfit":  "thing",  "racket": "thing",  "sign": "thing",  "swing": "thing",
    "table":  "thing",
}  # fmt: skip

# fmt: off
#: Concrete by their first sense, but in captions mostly a place, a part or one end of an idiom ("in front",
#: "takes a picture", "on the ground", "looks at the camera"), or in WordNet something else than they are.
NO_ENTITY: Final = frozenset(
    "air area back backdrop background base body bottom brim button camera center centre collar corner "
    "course court cuff distance earth edge end face figure floor foreground front game ground half handle "
    "handlebar heel hem home hood inside item kind lace lap left level lid line lot middle moon object "
    "ocean one other outside pair part photo photograph picture piece place pocket point portion pose "
    "position post rest ride right row scene sea seat section self set shape shot side sight site sky "
    "sleeve sole someone sort space spot stage star step stop strap stuff sun surface team thing top "
    "track trail trick turn type view water wave way work world zipper".split()
)
#: Their age is said: young,
YOUNG: Final = frozenset(
    "adolescent baby boy calf chick child cub daughter duckling fawn foal girl infant juvenile kid "
    "kindergartner kitten lad lamb lass minor newborn piglet preschooler preteen pup pupil puppy "
    "schoolboy schoolchild schoolgirl son student teen teenager toddler tot tween youngster youth".split()
)
#: and so small,
BABIES: Final = frozenset(
    "baby calf chick cub duckling fawn foal infant kitten lamb newborn piglet pup puppy toddler tot".split()
)
#: or old.
OLD: Final = frozenset(
    "adult elder grandfather grandma grandmother grandpa grandparent granny pensioner retiree senior "
    "veteran".split()
)
#: Large of their kind.
LARGE: Final = frozenset(
    "bear castle cathedral cliff elephant giant giraffe hippo mansion mountain skyscraper stadium tower "
    "whale".split()
)
#: By whose relative they are: what is said of their age or origin bears on another's.
KIN: Final = frozenset(
    "aunt baby brother child cousin dad daddy daughter father grandchild granddaughter grandfather "
    "grandmother grandparent grandson husband infant kid mom mommy mother mum nephew niece parent sibling "
    "sister son spouse toddler twin uncle wife".split()
)
#: Nouns for several people, for which WordNet has groups and not persons.
GROUPS_OF_PEOPLE: Final = frozenset(
    "group team crowd couple pair audience family band class army crew people police trio choir gang "
    "bunch duo quartet".split()
)
# fmt: on
#: "New people" are new to a place, not new themselves.
OF_THINGS: Final = frozenset("ancient antique flat long modern new round square vintage".split())
OF_LIVING: Final = frozenset({"elderly", "middle-aged", "young"})
