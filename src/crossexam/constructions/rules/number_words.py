"""Words around a number, as parts of the patterns that show what it is."""

from __future__ import annotations

from typing import Final

from crossexam.language.numbers import UNIT

MONTH: Final = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.?"
)
YEAR: Final = r"1\d\d\d|20\d\d"
UNIT_NOT_IN: Final = UNIT.replace("|in|", "|")  # in 1991 in Boston: not 1,991 inches
FIGURES: Final = (
    r"\b(?:\d[\d,.]*|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty"
    r"|fifty|sixty|seventy|eighty|ninety|(?:a\s+)?hundred|(?:a\s+)?thousand|(?:a\s+)?million)\b"
)
#: Where a pattern begins that is not tried at all words before the number, but at the last two.
IN_LAST_TWO: Final = r"\b(?=\S+(?:\s+\S+)?\s+[\"“‘']?$)"
DETERMINER: Final = (
    rf"(?:{IN_LAST_TWO}(?:a|an|the|these|those|this|that|my|your|his|her|its|our|their|all|both|every|each|any|another"
    r"|first|last|next|previous|following|other|same|remaining|additional|extra|only|top|further)"
    r"(?:\s+(?:average|majority|record|preceding|(?:rich|poor|old|young|larg|small|high|low|bigg|long|short)est))?"
    r"|['’]s|s['’])\s+"
)
SINGULAR_UNIT: Final = (
    r"(?:second|minute|hour|day|night|week|month|year|decade|century|mile|yard|foot|inch|met(?:er|re)|kilomet(?:er|re)"
    r"|acre|ton|tonne|page|member|inning|gallon|lit(?:re|er)|gram|pound|ounce|degree"
    r"|piece|part|story|storey|room|bedroom|door|lane|speed|star|course|wheel(?:ed)?|(?:side|hand|legg?)ed|man)\b"
)
OF_TIME: Final = (
    r"(?:seconds|minutes|hours|days|nights|weeks|months|years|decades|centuries|generations|seasons|games)\b"
)
SMALLER_UNITS: Final = r"(?:seconds|minutes|hours|days|weeks|months|inches|ounces|cents)\b"
BEST: Final = r"(?:first|second|third|last|only|(?-i:[a-z]{2,}est)|most|least|worst|best)\b"
COMPARISON: Final = (
    r"(?:more|less|fewer|greater|larger|smaller|higher|lower|bigger|better|other|rather)\s+th[ae]n"
    r"|at\s+(?:least|most|minimum|maximum)|on\s+the\s+order\s+of|(?<=\w\s)but"
    r"|over|under|above|below|about|around|nearly|almost|roughly|approximately|approx\.?|exactly|precisely|just"
    r"|up\s+to|upto|within|beyond|past|maybe|estimated|instead\s+of|mere|whopping|full|close\s+to|well\s+over"
    r"|exceed(?:s|ed|ing)?|top(?:s|ped|ping)|surpass\w*|approach(?:es|ed|ing)|near(?:s|ed|ing)|barely|merely"
    r"|scarcely|(?:minimum|maximum)\s+of|more['’]n|as\s+\w+\s+as|some|(?:better|best|greater)\s+part\s+of"
    r"|more\s+or\s+less|upwards?\s+of|in\s+excess\s+of|(?<!look\s)(?<!looks\s)(?<!looked\s)like"
    r"|only\s+[a-z]+"
)
# What ends a phrase, so that the number before it counts no noun.
ENDING: Final = (
    r"\s*(?:[.,;!?)]|$)|\s+(?:for|in|on|to|and|but|or|that|as|when|while|with|last|this|next|today|tonight)\b"
)
# Verbs whose negation is that of what is thought (Quirk et al., 1985, section 14.36).
THINKING: Final = r"(?:think|believe|suppose|expect|imagine|feel|guess|mean|say|claim|agree|seem|look|appear)"
# Nouns whose instance a following number names: in any case, and only if capitalised.
NAMING: Final = (
    r"numbers?|numbered|nos?\.|pages?|pp?\.|chapters?|questions?|problems?|examples?|figures?|figs?\."
    r"|exercises?|highway|interstate|route|exit|gate|flight|platform|channel|apartment|apt\.?|suite|grade|volume"
    r"|vol\.?|article|version|psalms?|verse|digits?|integers?|age"
    r"|sections?|paragraphs?|clauses?|amendments?|propositions?|resolutions?|appendix|annex|footnotes?|episodes?"
    r"|seasons?|rows?|rooms?|maps?|exhibits?|attachments?|equations?|area\s+codes?|zip\s+codes?|extension"
    r"|titles?|numerals?|cloud|points?|interrupt|(?:powers?|multiples?)\s+of|elements?|groups?|omega"
)
# Nouns that are verbs as well: a number that counts something after them is a quantity (seat 50 people).
NAMING_OR_VERB: Final = (
    r"seats?|tracks?|lines?|issues?|items?|rules?|forms?|units?|lessons?|games?|rounds?|notes?|box|boxes|ext\.|lots?"
    r"|bus|buses|size|level|type|phase|stage|step|part|class|tables?"
)
NAMING_CAPITALISED: Final = (
    r"No|Nos|Room|Apollo|Boeing|Windows|Formula|War|Road|Lane|Lot|Unit|Bus|Item|Player|Code|Box|Day|Week|Quarter|Size"
    r"|Case|Option|Stage|Class|Part|Step|Phase|Act|Line|Level|Type|Category|Section|Table|Zone|Group|Team|Train"
    r"|Car|Pipe|Tank|Machine|Container|Bag|Shop|Store|District|Model|Series|Test|Division"
    r"|Rule|Hall|Gallery|Terminal|Pier|Ward"
)
MEASURES: Final = (
    r"seconds?|minutes?|hours?|days?|nights?|weeks?|months?|years?|decades?|miles?|yards?|acres?|tons?|tonnes?|pounds?"
    r"|rupees|dollars|euros|people|persons|men|women|children|times|degrees|calories|votes|pages|words"
)
BILL: Final = (
    r"(?:bills?|notes?|coins?|stamps?|vouchers?|coupons?|che(?:ck|que)s?|chips?|tokens?|denominations?)\b"
)
GIVEN: Final = r"gifts?|donations?|contributions?|pledges?|bequests?|payments?|deposits?|membership"
MANY: Final = r"(?!(?:was|has|its|as|does|says|times|perhaps|always|besides)\b)\w*[^isu\W]s\b"
PARTS: Final = r"(?:hal(?:f|ves)|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|twentieth|hundredth)s?\b"
SEASON: Final = r"years?|summer|winter|spring|fall|late|early|mid|circa"
LIMIT: Final = r"minimum|maximum|limits?|threshold|cap|ceiling|floor|quota|standard|goal|target"
NEGATION: Final = (
    r"not|never|no|nor|neither|without|none|nobody|nothing|cannot|hardly|rarely|seldom|(?<!\ba\s)few|unable"
    r"|fail\w*|refus\w+|den(?:y|ies|ied)|doubt(?:s|ed)?|\w+n['’]t"
)
MAYBE: Final = (
    r"perhaps|maybe|possibly|probably|(?:un)?likely|whether|unless|alleged\w*|supposedly|reportedly|rumou?red|wish(?:es|ed)?"
    r"|pretend(?:s|ed)?|dream(?:s|ed|t)?|(?:consider|suggest|avoid)(?:s|ed)?\s+\w+ing"
)
# What is said to be wanted, or to be easy, need not be so.
WANTING: Final = (
    r"wan(?:t|ts|ted|ting)|wish(?:es|ed|ing)?|hop(?:e|es|ed|ing)|plan(?:s|ned|ning)?|inten(?:ds?|ded|ding|tions?)"
    r"|goals?|aim(?:s|ed|ing)?|tr(?:y|ies|ied|ying)|willing|ready|eager|prefer(?:s|red)?|allowed|permitted"
)
EASY: Final = (
    r"easy|easier|hard|harder|difficult|possible|impossible|better|best|nice|fun|expensive|cheap|cheaper"
    r"|dangerous|safe|necessary|important|tempting|pleasant|enough"
)
ORDINAL: Final = r"(?:third|fourth|fifth|sixth|seventh)"
OUT_OF: Final = r"(?:times\s+)?(?:out\s+)?of\s+"
LABEL: Final = r"id|code|port|login|password|numeral|digit"
CALLING: Final = r"call(?:s|ed|ing)?|dial\w*|(?:tele)?phon(?:es?|ed|ing)"
STREET: Final = r"rue|via|viale|calle|avenue|avenida|boulevard|quai|piazza|plaza|rua"
ASKING: Final = r"interested|wonder\w*|curious|ask\w*|knows?|knew|guess\w*|conceiv\w*|imagin\w*|see|unclear"
VERY: Final = r"(?:n['’]t\s+|(?:so|too|very|not|most|\w+ly)\s+)*"
PERSONS: Final = (
    r"(?:couples?|famil(?:y|ies)|persons?|people|individuals?|households?|workers?|taxpayers?|those|anyone"
    r"|someone|men|women|students?|customers?|families|groups?|companies|firms?|orders?)"
)
LANGUAGE: Final = r"Spanish|French|German|Italian|Greek|Latin|Hebrew|Arabic"
AFTER_ONE: Final = (
    r"of|another|who|whom|that|which|is|was|are|has|had|have|can|will|would|could|should|may|must|does|did|and|or"
    r"|but|in|on|at|to|for|from|with|by|as|if|then|after|before|than|day|morning|evening|night|time|side|way"
    r"|thing|more|less|gets?|got|finds?|says?|knows?|the|those|he|she|it|they|not|else|receives?|only|such|hand"
    r"|cannot"
)
BEFORE_ONE: Final = (
    r"no|some|larger|smaller|longer|shorter|bigger|new|old|good|right|left|second|which|where|when|if|whose"
    r"|what"
)
#: Words after which "less than" and a quantity are ungrammatical.
NO_PREFIX_AFTER: Final = frozenset(
    "a about age ages all almost an another any approximately around between both bottom by "
    "chapter day each equal every exactly first from her his its just last least mere minus most my "
    "nearly negative next no. number numbers only or other our over page past per plus previous "
    "remaining roughly than that the their these this those times top under up "
    "what which whose year your".split()
)
