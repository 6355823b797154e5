"""Weights: the numbers of the formulas that rank, with the reason for each value, in one frozen record.

A search uses the weights of its query (`Query.weights`): DEFAULT, unless the caller passes a changed copy such as
dataclasses.replace(DEFAULT, phrase=0.0) in the option `weights`. The record has every weight, share and factor of the
formulas that rank, and how many hits a stage takes. Limits of matching stand beside the code that they bound: from how
many characters a word may be misspelt or abbreviated (search/expansion/forms.py, lexicon.py), how many words are joined
(expand.py) or kept of a long text (long_query.py), which conversations are copies (search/ranking/copies.py), and from
which share of the budget nothing is scored (search/deadline.py).

bench/results lists the gain of each weight on labelled queries. Some weights gain nothing there, because no labelled
query needs them. Each of these has the reason for its value here, and for most tests/search/test_weight_reasons.py has
a small history in which it decides what comes first.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from recall_rank.model.record_classes import field, frozen


class KindWeights(NamedTuple):
    """Factors of the evidence of a document, by its kind; see search.retrieval.prefilter.FACTOR_OF_KIND."""

    person: float = 1.8  # a person's words to an agent: few, and what is searched for later; the first passage of
    # them, and orders, because what follows is mostly pasted
    agent: float = 1.4  # the agent's prose and summaries, which explain what tools print. With .8 questions about work
    # lose .06 nDCG@10, with 1.2 .007 of the MRR of their sessions
    answer: float = 1.6  # the last prose of a turn: 72 % of the labelled answers to questions about work, and 24 % of
    # all prose; with the factor of other prose, they lose .027 MRR@10
    subagent: float = 0.8  # once more for the documents of a subagent, which repeat at length what others hold
    title: float = 2.0  # of a session: few words that somebody chose; with 1, six of 55 titles find another session
    aside: float = 0.6  # it answers nothing: a question among people, which holds the words of the query, and text that
    # the agent's program puts in; .3 to .7 rank equally well


class ChanceWeights(NamedTuple):
    """Coefficients of the logistic regression for the chance that a result is relevant, from its raw score."""

    always: float = -0.027  # the intercept
    rarity: float = 1.683  # of ln(the ceiling per word of the query): common words prove little
    documents: float = -0.18  # of ln(passages searched): more of them resemble the relevant one by chance
    evidence: float = 2.552  # of ln(e / (e + plenty)); e is the raw score: evidence over the ceiling, boosts included


class SureWeights(NamedTuple):
    """Coefficients of the logistic regression for the chance that the session of a result is the relevant session."""

    always: float = 0.982  # the first four are as in ChanceWeights
    rarity: float = 1.405
    documents: float = -0.378
    evidence: float = 2.179
    # of (1 - r / e) times the share of the query that the passage holds; r is the highest raw score in another session
    lead: float = 3.637
    share: float = 2.081  # of the share of its session in the scores of all reranked candidates
    work: float = 1.158  # where an agent uses tools: its sessions differ more in their words than chats do


@frozen
class Weights:
    """The numbers that rank. Immutable: to try other numbers, pass a changed copy to a search; other searches keep
    theirs.
    """

    # --- evidence: BM25 over passages (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009) ---

    k1: float = 1.2  # saturation of term frequency; .6 to 2 hardly differ on dialogue, long answers want 1.2 or more
    b: float = 0.9  # share of length normalisation
    b_talk: float = 0.35  # that share for talk between people: turns are short, and the long ones say more
    length_floor: int = 20  # words added to a passage and to the average: a two-word reply is not ten times better
    present: float = 0.5  # added to every IDF: common words found together outweigh one rare word alone
    stop_word_share: float = 0.5  # inside phrases a stop word weighs as a word in this share of the documents

    # --- term forms: the similarity of a matching term to the word of the query ---

    stem: float = 0.9  # another form of the word, or what the user's vocabulary names for it: ranks as well on labelled
    # queries, but of two equals the word is first
    repair: float = 0.75  # a word that no document holds, one or two edits away from one that some do
    partial: float = 0.5  # a part says less than the whole: a term that an unknown word begins or half of which it is;
    # a piece of a compound whose joined form is known, and lower-case words with hyphens in a sentence, in place of
    # `joined`, since high-speed is seldom a name (.2 and 1.6 lose on Cranfield); one character of a run of several in
    # scripts without blanks, whose pairs are the words (1 loses in Thai); the marks of a name (--no-cache) beside its
    # joined form, which weighs already, and in a passage the word without its marks
    joined: float = 1.6  # a compound as one word, beside its pieces, and a name with its marks (_x), beside its word
    neighbour_join: float = 0.9  # two words of the query that a document holds as one, and, in a sentence, each half of
    # an unknown word: a blank too many or too few
    prose_join: float = (
        0.2  # `neighbour_join` in a sentence, where neighbours are seldom a name, and there a word behind
    )
    # @, which mentions what is often written without it, and a name with marks beside its joined form
    prose_words: int = 5  # a query with more words that carry meaning is taken for a sentence: names are shorter
    author: float = 1.5  # the author of a message
    metadata: float = 0.3  # the name of the tool or the directory of the session: a thousand parts share it
    framing: float = 0.3  # a word about the conversation itself (discussed, mentioned) beside words about its subject
    light: float = 0.5  # go, thing or really in a sentence with words about a subject: they are in no name of it. No
    # labelled set needs it (.3 to 1 differ by .003): in a small history go is as rare as JWT
    date: float = 1.0  # a date in the query, against a word in as many documents as were written then
    day_after: float = 0.7  # share of that for the next day: evenings are retold in the morning, and days are UTC

    # --- kinds of document ---

    kind: KindWeights = field(default_factory=KindWeights)
    kind_of_asker: KindWeights = KindWeights(person=1.5, agent=0.8, answer=0.8)  # where the query says I or my: it asks
    # for what a person said; with the factors above BEAM loses .07 nDCG@10
    order: float = 2.0  # factor of Kind.ORDER (always ..., I prefer ...) where a query asks what to do: the answer
    # has to follow them, and they share few words with the question
    scheduled: float = 0.5  # factor of the score of a session that says a schedule began it, in session_search: it says
    # its words every night. hit@1 with 1, .5, .25, .1 (`bench run systems`): PraisonAI's recorded queries .941, .971,
    # .971, .971; generated queries for conversations .933, .947, .947, .947, and for runs of schedules .057, .013,
    # .002, 0. So it gains where fewer than one query in four is for a run; of the 34 recorded ones none is. Of the
    # three values .5 takes the least from runs and gives conversations as much

    # --- context: evidence that a message takes from its neighbours, except where an agent works, and its session ---

    message_before: float = 0.3  # share of the message before, among people: they answer, so the words are there; its
    # square is the share of the other messages within two
    message_after: float = 0.35  # share of the message after, in a chat with an agent: a question gains from its
    # answer; an answer takes nothing from its question, or it would rank above it wherever the question is what was
    # searched for
    echo: float = 0.5  # share of its evidence that a person's message passes on to the agent's prose that answers it:
    # who asks names the subject, and who solves it need not. From .6 on, answers rank above the message that was
    # searched for; with .4, question_answer and followup_backref lose .04 MRR
    echo_floor: float = 0.4  # share of the most evidence of the query: where an agent only talks, a message passes on
    # what exceeds it. There people tell what is asked for later, and only what nearly repeats the query asks for it
    echo_work: float = 0.05  # that share for what else the agent did in answer, reasoning and tool calls: error lines
    # gain .009 MRR; .1 gains nothing more
    session_log: float = 0.2  # share of the L3 norm of the evidence of a session's messages, in sessions with an agent
    session_talk: float = 0.4  # that share for people, who stay with a subject for a while, in many short turns
    best_log: float = 0.3  # share of the evidence of the session's best message, in sessions with an agent: of two
    # sessions with many messages about a subject, that with the better one; without it recall@10 loses .017
    title_log: float = 0.2  # share of the evidence of the session's title, in sessions with an agent; a title of
    # people's talk names them, and every message would get it

    # --- ranking: boosts, added to the normalised evidence of a candidate ---

    survivors: int = 30  # parts whose passages are read again; twice as many change no figure of any labelled set
    looked_at: int = 60  # further parts that are read again where they hold the query as it was written
    window_words: int = 24  # width of the densest window
    window: float = 0.3  # words close together are about one thing; with .15, MRR of sessions loses .006
    phrase: float = 0.1  # the longest unbroken run of the query's words
    whole_query: float = 1.4  # the whole query as it was written: error lines and paths are pasted to find one place
    quoted: float = 0.5  # words that the caller put in quotes stand together; without quotes they may be anywhere
    near: float = 0.4  # neighbours in the query, in order and within six words, by one over their distance
    scorer: float = 2.5  # a name in a passage that stands for one of the query, by rapidfuzz: one place that has the
    # name comes before many that have its words; 2 to 3.5 rank equally well, 1.4 loses .004 on names of histories
    cue: float = 0.3  # a question for a time is answered by a passage that names one
    missing: float = 0.5  # subtracted as far as a passage lacks the words of the query, by their weights: a short turn
    # with one word of four is no answer; without it .027 of the first sessions are wrong
    scattered: float = 0.2  # subtracted from an agent's long part as far as its densest window lacks them: in a long
    # message words stand together by chance; without it nDCG@10 of questions about work loses .011
    long_part: int = 12_000  # bytes from which a part is long
    repeated: float = (
        0.8  # added to a person's words as far as they are words of the query: a request that is repeated;
    )
    # without it first messages lose .015 MRR
    extra: float = 0.15  # the caller's own signal, 0 to 1, such as a cosine; a weaker ranker shall reorder little
    meaning: float = 0.2  # nearness in meaning, 0 to 1, where the user gives an embedder. nDCG@10 with 0, .1, .2, .3
    # and all-MiniLM-L6-v2: LoCoMo .606, .615, .623, .625, BEAM 100K .427, .445, .444, .444

    # --- calibration: logistic regressions fitted by bench.benchmarks.calibration ---

    chance: ChanceWeights = field(default_factory=ChanceWeights)  # gives the score; the raw score gives the order
    sure: SureWeights = field(default_factory=SureWeights)  # gives `answerable` and `confidence`
    plenty: float = 2.0  # evidence from which more proves little: text that holds the whole query may be common
    fewest: int = 100  # passages below which their number is not seen to matter
    most: int = 100_000  # passages above which their number is not seen to matter
    high: float = 0.52  # chance from which a result is of high confidence: fitted without a set, it is right in 91 to
    # 100 % of its first results there, and given to a third of the honest questions; .5 is right in 86 % of BEAM 100K
    medium: float = 0.085  # chance from which a result is worth reading: below it less than a third are right

    # --- grouping ---

    again: float = 0.3  # share that a talk's second message adds to its session, the third by its square: people come
    # back to a subject, while an agent's long session holds a bit of everything
    per_session: int = 2  # parts of a session that keep their places: the best one and one beside it
    diversity: float = (
        1.0  # factor of each part after those, once more each time; .97 shows more sessions on a page, and
    )
    # loses .014 of recall@10 where one session holds all answers


DEFAULT: Final = Weights()
