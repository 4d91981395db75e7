"""Nouns whose adjectives need care: nouns that name nothing concrete, nouns that imply an age or a size.

A supplement to WordNet's hierarchy; the words are those that occur in image captions.
"""

from __future__ import annotations

from typing import Final, Literal

NounKind = Literal["person", "animal", "thing"]

# fmt: off
#: Synsets of WordNet whose hyponyms are of one kind; None if such nouns take no adjective of their own.
KINDS: Final[dict[str, NounKind | None]] = {
    "body_part.n.01":     None,
    "person.n.01":        "person",  "animal.n.01":               "animal",
    "artifact.n.01":      "thing",   "plant.n.02":                "thing",
    "food.n.02":          "thing",   "geological_formation.n.01": "thing",
    "tract.n.01":         "thing",   "natural_object.n.01":       "thing",
    "body_of_water.n.01": "thing",
}
#: Nouns that captions use in another sense than WordNet's first, and group nouns whose adjectives describe
#: the members.
KNOWN: Final[dict[str, NounKind]] = {
    "people": "person", "couple":  "person", "folk":   "person", "male": "person", "female": "person",
    "jersey": "thing",  "outfit":  "thing",  "racket": "thing",  "sign": "thing",  "swing": "thing",
    "table":  "thing",
}

#: Concrete by their first sense, but in captions mostly a place, a part or an element of an idiom ("in
#: front", "takes a picture", "on the ground", "looks at the camera"), or misclassified in WordNet.
NO_ENTITY: Final = frozenset(
    "air area back backdrop background base body bottom brim button camera center centre collar corner "
    "course court cuff distance earth edge end face figure floor foreground front game ground half handle "
    "handlebar heel hem home hood inside item kind lace lap left level lid line lot middle moon object "
    "ocean one other outside pair part photo photograph picture piece place pocket point portion pose "
    "position post rest ride right row scene sea seat section self set shape shot side sight site sky "
    "sleeve sole someone sort space spot stage star step stop strap stuff sun surface team thing top "
    "track trail trick turn type view water wave way work world zipper".split()
)
#: Nouns that imply an age: young,
YOUNG: Final = frozenset(
    "adolescent baby boy calf chick child cub daughter duckling fawn foal girl infant juvenile kid "
    "kindergartner kitten lad lamb lass minor newborn piglet preschooler preteen pup pupil puppy "
    "schoolboy schoolchild schoolgirl son student teen teenager toddler tot tween youngster youth".split()
)
#: young and therefore small,
BABIES: Final = frozenset(
    "baby calf chick cub duckling fawn foal infant kitten lamb newborn piglet pup puppy toddler tot".split()
)
#: or old.
OLD: Final = frozenset(
    "adult elder grandfather grandma grandmother grandpa grandparent granny pensioner retiree senior "
    "veteran".split()
)
#: Nouns that imply a large size.
LARGE: Final = frozenset(
    "bear castle cathedral cliff elephant giant giraffe hippo mansion mountain skyscraper stadium tower "
    "whale".split()
)
#: Kinship terms: the age or origin of one relative bears on that of the other.
KIN: Final = frozenset(
    "aunt baby brother child cousin dad daddy daughter father grandchild granddaughter grandfather "
    "grandmother grandparent grandson husband infant kid mom mommy mother mum nephew niece parent sibling "
    "sister son spouse toddler twin uncle wife".split()
)
#: Nouns whose referent is he,
MALE: Final = frozenset(
    "actor boy brother boyfriend businessman cowboy dad daddy dude fellow father fireman fisherman gentleman "
    "grandfather grandpa groom guy husband king lad male man monk nephew policeman prince salesman son "
    "uncle waiter".split()
)
#: or she.
FEMALE: Final = frozenset(
    "actress aunt ballerina bride bridesmaid businesswoman daughter female girl girlfriend gal grandma "
    "grandmother lady lass mom mommy mother niece nun policewoman princess queen saleswoman sister "
    "waitress wife woman".split()
)
#: Nouns for one of a couple, whose gender says something about the other.
SPOUSES: Final = frozenset(
    "husband wife girlfriend boyfriend fiance fiancee bride groom husbands wives girlfriends boyfriends "
    "brides grooms".split()
)
#: Nouns for groups of people, which in WordNet are groups and not persons.
GROUPS_OF_PEOPLE: Final = frozenset(
    "group team crowd couple pair audience family band class army crew people police trio choir gang "
    "bunch duo quartet".split()
)
#: Adjectives of things only (new people are new to a place), and of living beings only.
OF_THINGS: Final = frozenset("ancient antique flat long modern new round square vintage".split())
OF_LIVING: Final = frozenset({"elderly", "middle-aged", "young"})
#: Words for colours.
COLOURS: Final = frozenset(
    "black white red green blue yellow orange pink purple brown gray grey silver gold beige tan".split()
)
#: Nouns with a plural verb, whatever tag they have (Quirk et al., 1985, section 5.78).
PLURAL_NOUNS: Final = frozenset("people police cattle men women children folk".split())
#: Mass nouns, of which there may be *little*, and which are not counted.
MASS: Final = frozenset(
    "water food time money space room light hope help interest effort traffic snow rain sand sugar salt milk "
    "coffee tea beer wine air energy work attention sunlight grass hair clothing furniture information "
    "difficulty trouble chance doubt evidence sleep sense use fun noise smoke dust dirt ice music progress "
    "success rice bread meat fruit fuel gas oil paint paper wood sun shade shelter equipment experience "
    "knowledge patience respect sympathy support".split()
)
# fmt: on
