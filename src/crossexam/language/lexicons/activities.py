"""What people in image captions do and where they are, and which of it one person cannot do at a time.

The words are those of captions, selected by hand.  A premise and a hypothesis of SNLI describe one photograph
(Bowman et al. 2015, section 2.1), so that somebody who swims there does not cook.  What may go together in a
photograph, though rarely (to walk and to eat), is in ``TOGETHER``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

# fmt: off
_SPORTS: Final = (
    "soccer", "football", "basketball", "baseball", "volleyball", "tennis", "hockey", "golf", "rugby", "polo",
    "cricket", "frisbee", "badminton", "lacrosse",
)
_INSTRUMENTS: Final = (
    "guitar", "piano", "drum", "violin", "trumpet", "flute", "saxophone", "accordion", "cello", "banjo",
    "harp", "trombone", "clarinet", "harmonica", "tuba", "keyboard",
)

#: Verbs by the activity that they name, whatever their objects.
VERBS: Final[Mapping[str, str]] = {
    "sleeping":  "sleep nap doze snooze slumber",
    "sitting":   "sit",
    "standing":  "stand",
    "lying":     "lie recline",
    "crouching": "crouch squat kneel",
    "walking":   "walk stroll hike wander march",
    "running":   "run jog sprint",
    "jumping":   "jump leap hop",
    "swimming":  "swim snorkel wade splash",
    "surfing":   "surf",
    "dancing":   "dance breakdance",
    "skiing":    "ski snowboard sled",
    "skating":   "skate skateboard rollerblade",
    "cycling":   "bike cycle bicycle pedal",
    "driving":   "drive",
    "climbing":  "climb",
    "crawling":  "crawl",
    "boating":   "row paddle kayak canoe",
    "cooking":   "cook bake grill fry barbecue stir roast",
    "eating":    "eat dine",
    "drinking":  "drink sip",
    "reading":   "read",
    "writing":   "write",
    "painting":  "paint draw sketch",
    "crafting":  "knit sew crochet weave",
    "cleaning":  "clean sweep mop vacuum wash scrub iron dust",
    "mowing":    "mow",
    "digging":   "dig",
    "singing":   "sing",
    "drum":      "drum",
    "guitar":    "strum",
    "golf":      "golf",
    "fishing":   "fish",
    "bowling":   "bowl",
    "shopping":  "shop",
    "smoking":   "smoke",
    "talking":   "talk chat speak converse",
    "phoning":   "text phone",
    "kissing":   "kiss",
    "fighting":  "fight wrestle box fence",
    "laughing":  "laugh giggle",
    "smiling":   "smile grin",
    "frowning":  "frown scowl pout",
    "crying":    "cry weep sob",
    "waiting":   "wait",
    "computing": "type",
    "thinking":  "think dream ponder wonder",
    "listening": "listen",
    "watching":  "watch",
    "resting":   "rest relax lounge",
    "sunbathing": "sunbathe tan",
    "juggling":  "juggle",
    "grooming":  "shave",
    "building":  "build hammer saw weld drill",
    "bathing":   "bathe",
    "flying":    "fly",
}
#: Activities that are named by a verb with a noun after it, by verb and activity.
OBJECTS: Final[Mapping[str, Mapping[str, str]]] = {
    "play": {
        **{instrument: instrument for instrument in _INSTRUMENTS},
        "making music": "instrument music song",
        "gaming": "video board chess card poker checker videogame pool billiards xbox wii monopoly",
        **{sport: sport for sport in _SPORTS},
    },
    "ride": {
        "cycling": "bike bicycle tricycle unicycle",
        "motoring": "motorcycle motorbike scooter atv dirtbike",
        "riding": "horse pony camel elephant donkey bull mule",
        "travelling": "bus train subway tram",
    },
    "drive": {"driving": "car truck bus van tractor taxi"},
    "eat":   {"eating": "food"},
    "take":  {"photographing": "picture photo photograph selfie", "sleeping": "nap",
              "bathing": "shower bath"},
    "have":  {"eating": "lunch dinner breakfast meal picnic", "drinking": "drink beer coffee tea"},
    "watch": {"watching television": "tv television movie film"},
    "make":  {"cooking": "dinner lunch breakfast sandwich pizza food soup cake"},
    "fly":   {"flying a kite": "kite"},
    "use":   {"computing": "computer laptop", "phoning": "phone cellphone"},
    "brush": {"grooming": "tooth teeth hair"},
    "comb":  {"grooming": "hair"},
    "do":    {"cleaning": "dish laundry", "homework": "homework"},
}
#: Things of which somebody has one at a time, by activity; words in one string are names of one thing.
DETAILS: Final[Mapping[str, tuple[str, ...]]] = {
    "eating": ("pizza", "sandwich burger hamburger hotdog", "apple", "banana", "strawberry", "raspberry",
               "cake", "salad", "steak", "soup", "pasta spaghetti", "cereal", "corn", "carrot", "watermelon",
               "cookie", "donut", "cream", "popcorn", "taco"),
    "drinking": ("coffee", "beer", "wine", "water", "juice", "milk", "tea", "soda coke", "lemonade"),
    "reading": ("book novel", "newspaper", "magazine"),
    "sitting": ("bench", "chair", "couch sofa", "floor ground grass sand", "rock", "motorcycle", "horse",
                "bike bicycle", "bed", "swing", "fence", "step stair", "stool", "log", "car"),
    "standing": ("bench", "chair", "rock", "ladder", "roof", "table", "boat", "bridge", "stage"),
}
#: Adjectives that name an activity.
ADJECTIVES: Final[Mapping[str, str]] = {"asleep": "sleeping", "seated": "sitting"}

# Activities that move the whole body from place to place or all over, each in its own way,
_MOVING: Final = frozenset((
    "walking", "running", "swimming", "surfing", "dancing", "skiing", "skating", "cycling", "motoring",
    "riding", "driving", "climbing", "fighting", "bowling", "flying", "boating", "crawling", *_SPORTS,
))
# and that take hands, eyes and time.
_BUSY: Final = frozenset((
    "sleeping", "cooking", "painting", "crafting", "gaming", "cleaning", "mowing", "digging", "bathing",
    "fishing", "flying a kite", "homework", "sunbathing", "juggling", "grooming", "building",
    "making music", *_INSTRUMENTS,
))
#: Activities that take eyes or hands, but go together with each other.
QUIET: Final = frozenset((
    "eating", "reading", "writing", "computing", "watching television", "shopping", "travelling",
))

#: Sets of activities, each of which excludes each of the other set.
EXCLUDED: Final[tuple[tuple[frozenset[str], frozenset[str]], ...]] = (
    (_MOVING | _BUSY, _MOVING | _BUSY | QUIET),
    (frozenset({"sitting"}),
     _MOVING - {"cycling", "motoring", "riding", "driving", "flying", "boating", "fighting"}),
    (frozenset({"sitting"}), frozenset({"standing", "lying", "jumping", "mowing"})),
    (frozenset({"standing"}),
     frozenset({"lying", "sleeping", "swimming", "running", "driving", "crouching", "jumping", "cycling",
                "motoring", "walking", "watching television", "bathing"})),
    (frozenset({"lying"}), _MOVING - {"swimming", "surfing"}),
    (frozenset({"lying"}),
     frozenset({"jumping", "cooking", "cleaning", "mowing", "digging", "shopping", "crouching"})),
    (frozenset({"crouching"}), _MOVING | {"jumping"}),
    (frozenset({"jumping"}), _BUSY | QUIET | {"driving", "crouching"}),  # who hikes may jump over a rock
    (frozenset({"sleeping"}),
     frozenset({"singing", "smoking", "talking", "phoning", "kissing", "laughing", "crying", "photographing",
                "watching", "drinking", "thinking", "waiting", "crouching"})),
    (frozenset({"crying"}), frozenset({"laughing", "smiling"})),
    (frozenset({"frowning"}), frozenset({"laughing", "smiling"})),
    (frozenset({"running", "swimming", "surfing", "skiing", "skating", "jumping", "climbing", "fighting"}),
     frozenset({"drinking", "smoking", "phoning"})),
    (frozenset({"fighting"}), frozenset({"kissing"})),
)
#: Activities that are excluded by any action that is not in these lists (:func:`~crossexam.language.lexicons.
#: verb_kinds.is_action`),
EXCLUDED_BY_ACTION: Final = frozenset((
    "sleeping", "watching television", "skiing", "bathing", "surfing", "driving", "motoring", "fishing",
    "mowing", "gaming", "sunbathing", "homework",
))
#: and those that go with actions and with talk, so that they exclude none that is not in the lists.
ASIDE: Final = frozenset((
    "talking", "singing", "smoking", "listening", "thinking", "phoning", "laughing", "photographing",
    "watching", "sitting", "standing", "lying", "crouching", "smiling", "frowning", "resting", "waiting",
    "crying", "drinking",
))
#: Verbs that are not an action of their own, but the purpose, the manner or the outcome of one.
OF_ANOTHER: Final = frozenset(
    "call donate fall fell pout compete celebrate exercise participate sweat race win train practice "
    "entertain sail cool search seek collect deliver score hunt hide protest attend explore inspect study "
    "pick kick push pull lead chase exit enter leave speed steer balance set bring drop turn raise reach "
    "grow depict do react step set up bundle wish happen miss hate embrace apply scream hurry reside own "
    "end fail depend accept earn save teach learn clap cheer interact argue discuss visit travel camp "
    "navigate spend need consider remember forget".split()
)
#: Verbs that say little of what somebody does, so that much else may be true.
AT_REST: Final = frozenset(
    "look wear hold pose lean gaze stare carry dress be have lay rest close curl "
    "sprawl cover tire wrap".split()
)
#: Those of them that say nothing of being awake.
ASLEEP: Final = frozenset("wear dress have lay rest close curl sprawl cover tire wrap lean hang".split())
#: Words with which an activity is not that of the moment, or not of everybody.
UNCERTAIN: Final = frozenset(
    "after before others if would will can could should might may until almost then been "
    "had did pretend pretends pretending break".split()
)

_WITH: Final[Mapping[str, str]] = {
    "walking":   "eating reading shopping dancing golf climbing fishing cleaning painting mowing travelling "
                 "football",
    "running":   "soccer football rugby basketball baseball hockey tennis volleyball cricket polo fishing "
                 "riding climbing swimming",
    "dancing":   "skating fighting skiing swimming",
    "skating":   "hockey cycling swimming",
    "skiing":    "climbing swimming hockey surfing",
    "surfing":   "swimming skating",
    "riding":    "fighting polo",
    "cooking":   "eating cleaning shopping fishing",
    "cleaning":  "bathing digging painting mowing shopping climbing",
    "digging":   "mowing",
    "painting":  "writing crafting homework shopping climbing",
    "homework":  "reading writing computing crafting",
    "gaming":    "computing eating shopping soccer football fighting",
    "crafting":  "shopping",
    "fishing":   "swimming eating travelling boating",
    "boating":   "travelling swimming surfing",
    "driving":   "travelling motoring shopping eating golf",
    "cycling":   "travelling motoring",
    "motoring":  "travelling",
    "sleeping":  "travelling",
    "bathing":   "swimming grooming",
    "sunbathing": "sleeping reading eating",
    "building":  "digging painting crafting climbing cooking",
    "juggling":  "cycling walking",
    "grooming":  "sitting",
    "fighting":  "football",
    "flying":    "travelling skating skiing",
}
_MAKES_MUSIC: Final = frozenset({"walking", "dancing", "reading", "writing", "travelling", "computing"})
#: Activities of the sets above that people may do at a time, or that are hard to tell from each other.
TOGETHER: Final = frozenset(
    frozenset((one, other)) for one, others in _WITH.items() for other in others.split()
) | frozenset(
    frozenset((one, other))
    for one in (*_INSTRUMENTS, "making music")
    for other in (*_MAKES_MUSIC, "making music")
)

#: What somebody may do without it showing in the description of where or how they are.
UNSAID: Final[Mapping[str, frozenset[str]]] = {
    "sitting": frozenset(
        "eating drinking reading writing talking phoning smoking singing waiting listening thinking smiling "
        "laughing watching".split()
    ),
    "standing": frozenset(
        "drinking talking phoning smoking singing waiting listening thinking smiling laughing "
        "watching".split()
    ),
    "eating": frozenset("talking listening thinking smiling laughing".split()),
    "drinking": frozenset("talking listening thinking smiling laughing".split()),
    "walking": frozenset("talking phoning smoking listening thinking smiling laughing singing".split()),
    "lying": frozenset("reading listening thinking phoning".split()),
}

#: Words of which one at most holds of a scene.
ALTERNATIVES: Final[tuple[frozenset[str], ...]] = (
    frozenset({"winter", "summer", "spring", "autumn"}),
    frozenset({"morning", "evening", "night", "noon"}),
    frozenset({"day", "night"}),
)

#: Nouns of which a participle names the kind: *swimming trunks*.
OF_A_KIND: Final = frozenset(
    "pool trunks trunk suit pin alley bag bags shoe shoes board stick stage fountain room center mall area "
    "gear equipment hat cap boot boots outfit jacket helmet club class lesson lessons".split()
)
#: What a photograph does not show of people and occasions, so that a description does not say it.
UNSEEN: Final = frozenset(
    "favorite funny birthday vacation competition tired drunk tournament protest win belong fat professional "
    "sad happily sadly joyously tall homeless own learn olympics marry hungry thirsty rich poor lonely bored "
    "famous friendly lazy nervous lost celebrate hate love date brother sister friend cousin wife husband "
    "twin neighbor first new best local christmas festival anniversary exam job boss home "
    "practice meeting appointment".split()
)

#: Places, by what excludes other places; the head nouns of phrases with "in", "at", "on" or "inside".
INDOORS: Final[Mapping[str, str]] = {
    "home":       "home house apartment couch sofa",
    "bedroom":    "bedroom bed",
    "kitchen":    "kitchen",
    "bathroom":   "bathroom bathtub shower",
    "office":     "office",
    "school":     "classroom",
    "library":    "library",
    "restaurant": "restaurant cafe diner bar pub",
    "shop":       "store supermarket mall shop",
    "gym":        "gym gymnasium",
    "church":     "church",
    "hospital":   "hospital",
    "theatre":    "theater theatre cinema",
    "court":      "courtroom",
    "museum":     "museum",
    "hallway":    "hallway corridor",
    "lobby":      "lobby",
    "studio":     "studio",
    "factory":    "factory warehouse",
    "laboratory": "laboratory lab",
    "salon":      "salon barbershop",
    "casino":     "casino",
    "garage":     "garage",
    "vehicle":    "bus train subway airplane plane",
    "room":       "room basement",
}
OUTDOORS: Final[Mapping[str, str]] = {
    "beach":    "beach sand shore",
    "water":    "ocean sea lake river",
    "pool":     "pool",
    "park":     "park playground",
    "field":    "field meadow",
    "street":   "street road sidewalk highway crosswalk",
    "mountain": "mountain cliff hill hillside",
    "woods":    "forest woods jungle",
    "snow":     "snow",
    "desert":   "desert",
    "yard":     "yard backyard garden",
    "open air": "grass lawn path trail bridge pier dock farm zoo campsite",
    "space":    "moon mars saturn jupiter space",
}
#: Outdoor places that exclude each other.
APART: Final = frozenset(
    frozenset(pair.split("/"))
    for pair in "street/beach street/water street/woods street/mountain street/desert street/field "
    "park/beach beach/snow beach/woods beach/street beach/mountain desert/water desert/snow desert/woods "
    "field/water field/street park/desert park/mountain yard/mountain yard/desert yard/street "
    "pool/water pool/street pool/field pool/woods pool/mountain pool/snow pool/desert "
    "space/beach space/water space/park space/field space/street space/mountain space/woods space/snow "
    "space/yard".split()
)
# fmt: on
