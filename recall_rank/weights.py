"""Every number that ranks, with its reason. Nothing numeric that ranks stands anywhere else.

What each is worth in labelled data stands in bench/results. Some show nothing there, because no labelled question asks
for what they are about (other scripts, folders, tools' names, summaries, quotation marks) or because only misspelt ones
do: their reasons are those given here, and the tests of engine and expansion hold them.
"""

from __future__ import annotations

from recall_rank.model import Kind

# --- evidence: BM25 over passages -----------------------------------------------------------------

K1 = 1.2  # saturation of term frequency; .6 to 2 hardly differ on dialogue, long answers want 1.2 or more
B = 0.9  # share of length normalisation
B_TALK = 0.35  # turns of a talk are short, and the long ones say more
LENGTH_FLOOR = 20  # words added to a passage and to the average: a two-word reply is not ten times better
PRESENT = 0.5  # added to every IDF: a question's common words, found together, tell more than one rare word alone
STOP_WORD_SHARE = 0.5  # a stop word weighs, inside phrases, what a word in this share of the documents would

# --- term forms: what a match is worth against the word as it was typed --------------------------

STEM = 0.9  # another form of the same word: level in labelled data, but of equals the word itself comes first
REPAIR_ONE = 0.75  # a word nobody wrote, one edit away from one that was written
REPAIR_TWO = 0.55  # two edits: as often another word as a misspelling; it pays where a query has two slips
REPAIR_THREE = 0.35  # three, in fuzzy mode only: a guess
FARTHER = 0.5  # a repair farther away than the nearest one
OTHER_INITIAL = 0.8  # people rarely misspell the first letter
EXPAND_KNOWN = 0.3  # fuzzy mode: a neighbour of a word that does exist
PREFIX = 0.6  # an unknown word begins a longer one: abbreviated; what a known one begins is listed after all hits
LONGER = 0.05  # share for which a longer word counts where the word itself is known
SPLIT = 0.5  # both halves of a word that nobody wrote as one: only queries that join words otherwise need it
BLANK_MISSING = 0.9  # each half of such a word in a sentence: a blank was forgotten
SPLIT_KNOWN = 0.02  # both halves of a word that does exist: interface is rarely inter and face, yet they are listed
JOINED = 1.6  # the compound as one word, beside its pieces
HYPHENED = 0.5  # the same for lower-case words with hyphens in a sentence: high-speed is one piece more there, no name
PIECE = 0.5  # a piece of a compound whose joined form is known: the pieces alone say little
NEIGHBOUR_JOIN = 0.9  # two words of the query that somebody wrote as one
PROSE_JOIN = 0.2  # the same in a sentence, where neighbours are seldom a name
AUTHOR = 1.5  # who said it
TOOL_NAME = 0.3  # the tool's name: a thousand calls share it
DIRECTORY = 0.3  # the folder a session worked in: everything in it would answer, so it says little
CJK_SINGLE = 0.5  # one character of a run of several: its pairs are the words
CJK_PAIR_SHARE = 0.5  # a character's share of the weight of the pair it stands in
FRAMING = 0.3  # a word of the question about the talk itself, beside words about its matter
DATE = 1.0  # what was said on a day the query names, against a word as rare as that day
DAY_AFTER = 0.7  # share of that for the next day: an evening is told of in the morning, and days are those of UTC

# --- kinds of document ------------------------------------------------------------------------------

KIND = {
    Kind.TITLE: 0.8,  # a title is short and wins every length norm; content shows more
    Kind.USER: 1.5,  # a person's words: few, and what is later asked for
    Kind.ASSISTANT: 0.8,  # the agent's prose repeats the question at length
    Kind.REASONING: 1.0,  # as close to the matter as the output it thinks about
    Kind.TOOL: 1.0,  # two thirds of all text, and where identifiers and paths are
    Kind.TOOL_ERROR: 1.0,  # error lines are found by their phrase, not by their kind
    Kind.SUBTASK: 1.0,  # an order given to another agent says what was wanted
    Kind.SUMMARY: 0.8,  # says again what stands elsewhere
    Kind.INJECTED: 0.6,  # nobody said it
    Kind.TALK: 1.0,  # people among themselves: all alike
    Kind.ORDER: 1.5,  # one of a person's words as any other, unless ORDER says more
    Kind.QUESTION: 0.6,  # it holds the words of what is asked and answers nothing; .3 to .7 do as well
    Kind.OTHER: 0.9,  # patches, files and what no loader knows better
}
ORDER = 2.0  # a standing order, such as "always ..." or "I prefer ...", where a query asks what to do: what is answered
# next has to follow it, and it shares few words with the question; 1.5 to 3 do as well
SUBAGENT = 0.9  # beside the main conversation, whose own parts tell the same

# --- what stands around a message: (one before, one behind, two before, two behind) ----------------

NEIGHBOURS_WORK = (0.0, 0.1, 0.0, 0.03)  # behind a message an agent has already gone on to its next step
NEIGHBOURS_TALK = (0.3, 0.1, 0.1, 0.1)  # people answer each other: the words are often in the message before
NEIGHBOURS_CHAT = (0.0, 0.25, 0.0, 0.03)  # a question is worth what answers it; an answer inherits nothing of the one
# before it, or it would stand above its question wherever that is what was sought
ECHO = 0.8  # a question asked before is answered by what followed it
ECHO_FLOOR = 0.6  # share of the evidence a query could give from which a message counts as the same question
SESSION_LOG = 0.2  # L3 norm of the session's messages
SESSION_TALK = 0.4  # people stay with a matter for a while, and say it in many short turns
TITLE_LOG = 0.3  # evidence of the session's title
TITLE_TALK = 0.0  # a talk's title is who talks: every message would get it

# --- rerank: additions to the normalised evidence of a survivor --------------------------------------

SURVIVORS = 30  # parts whose passages are read again: with twice as many no figure of any set is another
LOOKED_AT = 60  # further ones that are read again where they hold the query as it was written
WINDOW_WORDS = 24  # width of the densest window
WINDOW = 0.1  # words close together are about one thing: level in labelled data, and what the snippet then shows
PHRASE = 0.1  # the longest unbroken run of the query
WHOLE_QUERY = 1.4  # the whole query as it was written: error lines and paths are pasted, and one place is meant
EMBEDDED = 0.6  # the same as the tail of a longer path or inside a longer name: paths are pasted without their root
QUOTED = 0.5  # words the caller put in quotes stand together; without the quotes they may be anywhere
WHOLE_FROM = 0.3  # share of the query in one run from which the text is asked for all of it, as it was written
NEAR = 0.4  # neighbours in the query, in order and within six words, by one over their distance
SCORER = 0.15  # rapidfuzz on the densest window: misspellings that no term shows, and what else stands there; names and
# paths do as well with .1 to .3, sentences lose with more
SCORED = 30  # best survivors that rapidfuzz compares with the query
# Of a sentence four fields are compared, with the weights of the first recall tool. A query without stop words is a
# name, a path or an error line: that a folder or a title looks like it is chance, and cost what the windows gave.
FIELD_TEXT = 0.65  # the densest window
FIELD_DIRECTORY = 0.20  # where it was
FIELD_TITLE = 0.10  # under what name
FIELD_TOOL_NAME = 0.05  # by which tool
CUE = 0.3  # a question for a time is answered by a passage that names one
EXTRA = 0.15  # the caller's own signal, 0 to 1, such as a cosine; added, for a weaker ranker must not reorder all
RECENCY = 0.02  # of equals, what was said this week
RECENCY_DAYS = 7  # days in which that fades to nothing

# --- calibration: fitted by bench.benchmarks.calibration, logistic in what is named ----------------------------

CHANCE = {  # that a result is what was sought; the order of results is that of their evidence alone
    "always": 1.446,
    "rarity": 2.043,  # ln of the most a word of the query could give: common words prove little
    "documents": -0.425,  # ln of the passages searched: among many, more are like the one that is sought
    "evidence": 2.673,  # ln of e / (e + PLENTY), e being what was found over the most the query could give
}
SURE = {  # that the session it stands in is the right one
    "always": -0.003,
    "rarity": 2.389,
    "documents": -0.631,
    "evidence": 1.389,
    "whole": 0.827,  # the whole query stands there as it was written
    "coverage": 3.253,  # share of the words, by weight, that stand there: the strongest sign of all
    "near": 1.156,  # neighbours in the query that are neighbours there
    "length": -0.326,  # ln of the passage's words: long ones hold many words by chance
    "missing": 0.1,  # words that do not stand there: of two questions with the same coverage, the longer
}
PLENTY = 2.0  # evidence of which more proves little: where the whole query stands, it may stand in many places
FEWEST, MOST = 100, 100_000  # passages between which the number of them was seen to matter
HIGH = 0.5  # chance from which the first result is called sure: its session is right nine times in ten
HIGH_BEHIND = 0.85  # the same for a result that others stand before
MEDIUM = 0.25  # and from which a result is worth reading

# --- grouping ----------------------------------------------------------------------------------------

AGAIN = 0.3  # share with which a talk's second message counts for its session, the third with the square of it: people
# come back to a matter; an agent's long session holds a bit of everything

DIVERSITY = 0.97  # a session's third part stands as if it had this share of its score, each further one again;
# it costs .004 where one session holds all answers, for a page that shows where else it was said
