"""Words that show what a capitalised word names: titles, parts of names, first names.

The first names are a short list of our own, of names that are frequent in word problems and captions; the
`names` corpus of NLTK (Kantrowitz, 1994; 7,900 names) is used in addition if it is installed.  Places and
famous people come from WordNet's instances, and from NLTK's `gazetteers` if they are installed.
"""

from __future__ import annotations

from typing import Final

# fmt: off
TITLES: Final = frozenset(
    "mr mrs ms miss dr prof sir madam president king queen prince princess captain".split()
)

#: Last words of the names of organizations and of places.
ORGANIZATION_ENDS: Final = frozenset(
    "company corporation corp inc ltd llc co bank university college school academy institute club "
    "association services airlines airways motors hospital bakery ministry department agency industries "
    "foundation union league church committee council commission society store mart foods books group "
    "party times post".split()
)
PLACE_ENDS: Final = frozenset(
    "city town village street avenue road lane park lake river mountain mountains hill hills island "
    "islands valley county beach bay bridge airport station zoo square garden gardens forest creek falls "
    "canyon hall".split()
)
PLACE_BEGINNINGS: Final = frozenset(
    "lake mount mt fort port san santa los las st saint new north south east west".split()
)

#: Capitalised words that name no person, place or organization, although they may be tagged as proper nouns.
NOT_ENTITIES: Final = frozenset(
    "mercury venus mars jupiter saturn uranus neptune "
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july "
    "august september october november december christmas easter thanksgiving halloween diwali ramadan "
    "hanukkah i ii iii iv vi vii viii ix rs re rupee rupees usd inr eur dollar dollars euro euros pound "
    "pounds cent cents km kms kmph kmh mph kg kgs gm gms cm mm ml lb lbs hr hrs min mins sec secs am pm "
    "ac ad bc tv dvd cd pc gpa english spanish french german hindi latin greek math maths mathematics "
    "physics chemistry biology science history geography economics algebra geometry internet earth moon "
    "sun god xmas lcm hcf gcd si ci american indian british chinese canadian australian african european "
    "asian italian japanese mexican russian train car box tank pipe tap tribe team type machine class "
    "point line page section question problem example candidate player brand stock alloy bag shop "
    "district model series test division group container vessel find let if what how when where which who "
    "why calculate suppose given divide had each all both one two three thirty six answer choices "
    "solution note statement column row figure table chart option grade part".split()
)

FIRST_NAMES: Final = frozenset(
    "aaron abby abdul adam aditya ahmed aisha ajay akash akhil alan albert alex alice ali alison allen "
    "amanda amber amir amit amy ana andrea andrew andy angela anil anita ann anna anne anthony antonio "
    "anuj arjun arthur arun ashley ashok asha austin barbara becky ben benjamin benny beth betty bill "
    "billy bob bobby brandon brenda brian bruce carl carla carlos carol caroline carmen catherine charles "
    "charlie charlotte chris christina christine christopher cindy claire clara cody connie craig cynthia "
    "daisy dan dana daniel danny dave david dean deborah deepa deepak denise dennis derek diana diane "
    "diego divya donald donna doris dorothy doug douglas dylan ed eddie edward elena eli elizabeth ella "
    "ellen emily emma eric erica erin ethan eva evan eve fatima faye felix fernando frank fred gabriel "
    "gary geeta george gerald gina gita gloria gopal grace greg haley hannah harish harold harry hassan "
    "heather heidi helen henry holly hugo ian ibrahim ida irene isaac isabella ivan jack jackie jacob "
    "jake james jamie jane janet janice jason javier jay jean jeff jeffrey jen jennifer jenny jeremy "
    "jerry jesse jessica jill jim jimmy joan joe joel john johnny jon jonathan jordan jorge jose joseph "
    "josh joshua juan judy julia julian julie justin karan karen karl kate katherine kathy katie kavita "
    "keith kelly ken kenneth kevin kim kiran krishna kumar kyle lakshmi larry laura lauren leah leela "
    "lena leo leon leonard linda lindsay lisa liz lola louis lucas lucy luis luke lydia maggie mahesh "
    "manoj manuel marcus maria marie mario mark marla martha martin marvin mary matt matthew max maya "
    "meena megan mehmet melanie melissa michael michelle miguel mike mohamed mohammed mohan mohit molly "
    "monica naomi natalie nancy nathan neha neil nicholas nick nicole nikhil nina noah nora oliver olivia "
    "omar oscar pablo pam pamela pat patricia patrick paul paula pedro peggy penny pete peter phil philip "
    "piyush pooja prakash pravin priya rachel radha rahim rahul raj raja rajan rajesh raju rakesh ralph "
    "ram raman ramesh ramu randy raul ravi ray raymond rebecca reema rekha renu richard rick rita robert "
    "roberta robin roger rohan rohit ron ronald rosa rose roy russell ruth ryan sachin sally sam samantha "
    "samir samuel sandra sandy sanjay sara sarah sarita scott sean seema seth shane shannon sharon shyam "
    "sima simon sita sofia sohan sonia sophia stacy stanley stella stephanie stephen steve steven sue "
    "suman sunil sunita suresh susan susie tammy tanya tara ted teresa terry theresa thomas tim timothy "
    "tina todd tom tommy tony tracy trevor tyler uma usha valerie vanessa varsha vera veronica victor "
    "victoria vijay vikram vincent vinod virginia wanda warren wayne wendy will william xavier yash yusuf "
    "zachary zoe".split()
)
# fmt: on
