"""Words that say nothing about what a page is about: function words of English, and the furniture of web pages.

Compared before stemming, lower-cased, without diacritics; contractions stand as the pieces the tokeniser leaves
("don", "ll"). [H02 §4.1] asks for a list of about this length and gives none.
"""

from __future__ import annotations

_ARTICLES_AND_DETERMINERS = """
a an the this that these those each every either neither both all any some none no such another other others much many
more most few fewer fewest little less least several enough own same certain various half whole entire else
"""

_PRONOUNS = """
i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers
herself it its itself they them their theirs themselves one ones oneself who whom whose which what whoever whichever
whatever somebody someone something anybody anyone anything everybody everyone everything nobody noone nothing thee
thou thy thine ye somewhat
"""

_PREPOSITIONS = """
about above across after against along alongside amid amidst among amongst around as at atop before behind below
beneath beside besides between beyond but by concerning considering despite down during except excluding following for
from in including inside into like minus near nearby of off on onto opposite out outside over past per plus regarding
round since than through throughout thru till to toward towards under underneath unlike until unto up upon versus via
vs with within without worth
"""

_CONJUNCTIONS_AND_CONNECTIVES = """
and or nor so yet because although though even if unless whereas while whilst whether lest provided providing
supposing accordingly also anyway anyways consequently conversely furthermore hence however indeed instead likewise
meanwhile moreover namely nevertheless nonetheless otherwise rather regardless similarly still subsequently therefore
thereby thus additionally alternatively albeit hereby herein hereafter herewith thence therein thereof thereto
thereafter thereupon whence whereby wherein whereupon wherever inasmuch insofar
"""

_AUXILIARIES = """
am is are was were be been being isn aren wasn weren ain do does did done doing don doesn didn has have had having
hasn haven hadn will would shall should can could may might must ought need needs needed needn won wouldn shan shouldn
couldn cannot mayn mightn mustn dare dares dared used got get gets getting gotten going let lets d ll m re s t ve o
"""

_ADVERBS = """
again ago almost already always anymore anywhere apart aside away back backward backwards barely basically best better
briefly certainly clearly commonly completely currently definitely directly easily elsewhere entirely especially
essentially eventually ever exactly fairly far farther finally formerly forth forward forwards frequently fully
further generally hardly here hither how immediately initially just last lastly lately later latter latterly likely
long mainly maybe merely mostly namely nearly necessarily never newly next normally not notably now nowadays nowhere
obviously occasionally often okay ok once only originally overall particularly partly perhaps possibly potentially
presently presumably previously primarily probably properly quickly quite rarely really recently respectively secondly
seldom similarly simply sometime sometimes somehow somewhere soon sure surely then there together too truly twice
typically ultimately unfortunately unlikely usually very virtually well when whenever where why widely afterward
afterwards altogether anyhow beforehand everywhere sooner nearer thrice firstly
"""

_COMMON_VERBS = """
ask asked asking asks became become becomes becoming began begin beginning begins begun believe believed believes
bring brings brought came come comes coming corresponding corresponds felt find finds found gave give given gives
giving go goes gone help helped helps include included includes keep keeps kept knew know known knows leave leaves
look looked looking looks made make makes making mean means meant put puts putting regard regards said saw say saying
says see seeing seem seemed seeming seems seen sees sent show showed showing shown shows take taken takes taking tell
tells tend tends thank thanks think thinks thought told took tried tries try trying use useful uses using want wanted
wants went wish wishes work works
"""

_NUMBERS_AND_QUANTITY = """
zero two three four five six seven eight nine ten eleven twelve twenty first second third fourth fifth dozen couple
lot lots bit plenty amount amounts numerous additional extra
"""

_VAGUE_NOUNS_AND_ADJECTIVES = """
able unable aforementioned available appropriate awfully bad big bigger biggest clear common concern concerned current
different difference due early easy end ended ending ends example examples fact facts fine former general good great
greater greatest hello hi high higher highest important instance interesting kind kinds large larger largest late
latest matter matters necessary new newer newest non old older oldest part particular parts possible previous quick
reason reasons recent rest seriously serious shall short shorter side significant similar simple slight small smaller
smallest specific suitable thing things top true useful usual various way ways whether today tomorrow tonight
yesterday
"""

_LATIN_AND_ABBREVIATIONS = """
eg ie etc et al cf viz inc ltd co corp www http https mr mrs ms dr prof jr sr st nd rd th pg fig figs ca de la le les
der die das und el los las del
"""

_WEB_FURNITURE = """
click page pages home homepage site sites website web copyright reserved rights reply tweet facebook twitter skip back
prev previous next up top bottom enabled please welcome visit updated untitled january february march april june july
august september october november december
"""

_LETTERS = "b e f g h j k l n p q u v w"

_GROUPS = (
    _ARTICLES_AND_DETERMINERS,
    _PRONOUNS,
    _PREPOSITIONS,
    _CONJUNCTIONS_AND_CONNECTIVES,
    _AUXILIARIES,
    _ADVERBS,
    _COMMON_VERBS,
    _NUMBERS_AND_QUANTITY,
    _VAGUE_NOUNS_AND_ADJECTIVES,
    _LATIN_AND_ABBREVIATIONS,
    _WEB_FURNITURE,
    _LETTERS,
)

STOP_WORDS: frozenset[str] = frozenset(word for group in _GROUPS for word in group.split())
