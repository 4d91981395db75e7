"""Verbs whose subject and object can be exchanged without contradiction, or not without nonsense.

Sources: Levin (1993, *English Verb Classes and Alternations*), sections as noted; Dowty (1991), on
symmetric predicates; Quirk et al. (1985), section 10.30 on eventive objects.
"""

from __future__ import annotations

from typing import Final

# fmt: off
#: If A does it to B, B does it to A, provided that both are people or both are things.
SYMMETRIC: Final = frozenset((
    # Levin 36.1 correspond, 36.2 marry, 36.3 meet verbs, in their transitive use
    "battle box combat consult debate divorce date duel fight marry kiss hug embrace cuddle nuzzle neck "
    "encounter visit wrestle grapple rejoin play challenge compete engage wed spar joust "
    # Levin 47.8 contiguous location
    "cross parallel bound flank "
    # company and contest
    "accompany partner befriend waltz tango dance race tie rival fit suit complement contradict pass "
    # Levin 51.7, accompany verbs: who walks the bride to the altar is walked there by her
    "escort walk"
).split())

#: The same for any participants: what touches a wall is touched by it (Levin 47.8; Dowty, section 3).
SYMMETRIC_ALWAYS: Final = frozenset((
    "abut adjoin border contact intersect juxtapose meet neighbor touch join connect face oppose "
    "resemble equal match mirror approach confront "
    # Levin 18.4, contact by motion
    "graze bump collide "
    # have does not say which has which, the part or the whole, the container or the content (Quirk et al.,
    # 10.30, and ch. 16 on verbs that have no passive); get brings about such a state, or, like it, has a
    # clause for its object
    "have get"
).split())

#: Two people may do it to each other in one scene (Levin 30.1 see, 30.2 sight, 31.2 admire, 37).
MUTUAL: Final = frozenset((
    "see watch observe view eye notice spot hear love like hate know trust respect admire enjoy miss "
    "help assist support greet thank congratulate entertain recognize understand need want welcome "
    "applaud cheer address approach salute acknowledge tease tickle splash "
    # the rest of 30.2; check is check out
    "check examine eye glimpse inspect investigate overhear perceive regard scan scrutinize sight spy "
    "study survey witness"
).split())

#: Light verbs, whose eventive object is part of the predicate: take a walk (Quirk et al., 10.30).
LIGHT: Final = frozenset("take have make do give get pay put run throw hold go".split())

#: Idioms, as verb and head of the object, in which the object is not a participant.
IDIOMS: Final = frozenset((
    "take place", "take part", "take turn", "take care", "take advantage", "take time", "take picture",
    "take photo", "take photograph", "take shot", "take video", "take aim", "take cover", "take shelter",
    "take note", "take class", "take bite", "take nap", "take sip", "have rest", "have difficulty",
    "have trouble", "take seat", "take step", "take flight", "take bow", "make way", "make face",
    "make sure", "make fun", "make music", "make sense", "make noise", "make sound", "make gesture",
    "make use", "make eye", "have fun", "have time", "have lunch", "have dinner", "have breakfast",
    "have meal", "have drink", "have picnic", "have party", "have wedding", "have barbecue", "have birthday",
    "have conversation", "have discussion", "have meeting", "do homework", "do work", "do trick", "do stunt",
    "do flip", "do handstand", "do cartwheel", "do yoga", "do exercise", "do laundry", "give speech",
    "give presentation", "give lecture", "give hug", "give kiss", "give lesson", "give talk", "give thumb",
    "give performance", "give concert", "pay attention", "pay homage", "keep balance", "keep watch",
    "lose balance", "catch air", "get air", "catch breath", "hold hand", "join hand", "shake hand",
    "cross leg", "strike pose", "play part", "play role", "lead way", "wait turn", "spend time", "pass time",
    "tell time", "break dance", "kill time",
))

#: The object is a measure, not a participant (Levin 54: cost, weigh, measure).
MEASURE: Final = frozenset((
    "cost weigh measure total number last equal average contain include comprise consist exceed"
).split())

#: Participles after which *by* introduces a location, not an agent (Levin 47.6, 50 on position).
STATIVE_PARTICIPLES: Final = frozenset((
    "park seat locate situate position perch dock anchor station stand gather place huddle sit crouch "
    "lie dress pass walk accompany"
).split())

#: Intransitive verbs (Levin 30.3 peer, 40.2, 47.6, 50): an object of one is a parsing error.
INTRANSITIVE: Final = frozenset((
    "look stare gaze sit stand lie sleep pose smile kneel crouch squat lean relax laugh appear seem "
    "become remain be talk speak chat converse go come gather congregate happen dress bark shout yell"
).split())

#: Verbs of motion (Levin 51.1 to 51.7): *down* after them is a preposition, not a particle.
MOTION: Final = frozenset((
    "slide walk run ride float jump ski skate board bike drive climb roll go come move sail swim crawl "
    "hike jog race fly fall leap dive snowboard skateboard surf stroll march travel cycle pedal glide "
    "cruise hurry wander stand sit lean hop step skip speed rush dash paddle row kayak canoe raft sled "
    "parade head "
    "bicycle look stare gaze coast trek wade flip dribble lie sleep relax rest hang bounce splash play "
    "pose gather crowd huddle spin twirl bark get"
).split())
#: Verbs that say where, how or in what mind somebody is while doing something else (Levin 30, 31, 33, 40, 45,
#: 47), or that begin, end or qualify an action (Levin 55): one can wait and read.
COMPATIBLE: Final = frozenset((
    "sit stand lie lay lean kneel crouch squat pose rest relax lounge wait stay remain hang wear dress hold "
    "carry look stare gaze watch see observe view notice hear listen smile laugh grin frown enjoy like love "
    "want need try attempt prepare get go come be have do seem appear think wonder hope plan start begin "
    "stop finish continue use make take give put let show display perform play practice act work help "
    "gather meet talk speak say tell ask chat converse discuss feel know learn concentrate focus "
    "decide ready line cross move travel head pass walk include contain surround cover attach stick"
).split())

# What one of two participants does to the other while the other does not do it, although it could.

#: Who is before and who behind, who pulls and who is pulled (Levin 11.4, 12, 51.6, 51.7).
CHASING: Final = frozenset("chase pursue follow trail tail shadow flee evade outrun".split())
HAULING: Final = frozenset("pull push drag tow tug haul".split())
LEADING: Final = frozenset("lead guide".split())

#: Lifting and throwing, among people of like weight (Levin 9.4, 11.4, 13.5.2, 17.1).
LIFTING: Final = frozenset("carry lift hoist raise heave toss throw flip swing twirl lower catch".split())

#: Getting the better of somebody of like strength or standing (Levin 10.5, 13.5.1, 42.1).
SEIZING: Final = frozenset((
    "tackle pin tag sack trip arrest handcuff detain restrain subdue capture frisk rescue rob mug kidnap "
    "abduct interrogate kill murder beat defeat hire"
).split())

#: Care, service and teaching among people (Levin 37.1, 39.7, 41.1).
SERVING: Final = frozenset((
    "teach instruct coach train tutor direct interview question serve treat nurse massage bathe wash shave "
    "tattoo bandage groom feed undress guard lecture scold spank serenade bury babysit"
).split())
#: What children do to adults, too.
EASY: Final = frozenset("interview question massage wash feed serenade bury".split())

#: Violence between a person and an animal (Levin 18.1, 18.2, 33).
ATTACKING: Final = frozenset("attack bite charge kick trample scratch".split())

#: Verbs and particles for lifting somebody or for taking them off their feet.
PHRASAL: Final = frozenset({
    ("take", "down"), ("knock", "down"), ("knock", "over"), ("bring", "down"), ("pick", "up"), ("hold", "up"),
})
# fmt: on


def is_action(verb: str) -> bool:
    """Return whether the lemma *verb* names an action that leaves no room for another.

    >>> is_action("swim"), is_action("wait")
    (True, False)
    """
    return verb not in COMPATIBLE
