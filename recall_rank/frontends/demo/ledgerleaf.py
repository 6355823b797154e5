"""The invented project ledgerleaf: sessions about bookkeeping for small clubs, in Python."""

from __future__ import annotations

from typing import Final

from recall_rank.frontends.demo.story import Story, edit, read, run, say, think, user

STORIES: Final = (
    Story(
        "ledgerleaf",
        "claude-code",
        "Migration 0042: split member names",
        1.4,
        (
            user("Write the migration that splits members.full_name into given_name and family_name."),
            run(
                "alembic upgrade head",
                "sqlalchemy.exc.IntegrityError: (psycopg.errors.NotNullViolation) null value in column "
                '"family_name" of relation "members" violates not-null constraint\n'
                "DETAIL:  Failing row contains (118, Plato, null)",
                error=True,
            ),
            think("People with one name exist. Making family_name NOT NULL was wrong, not the data."),
            edit(
                "migrations/versions/0042_split_member_names.py",
                'sa.Column("family_name", sa.Text(), nullable=False)',
                'sa.Column("family_name", sa.Text(), nullable=True)',
            ),
            run("alembic upgrade head", "INFO  [alembic.runtime.migration] Running upgrade 0041 -> 0042"),
            say(
                "Migration 0042 ran. family_name is nullable because some members have a single name. full_name stays "
                "as a generated column until every report has moved, then 0043 drops it."
            ),
        ),
    ),
    Story(
        "ledgerleaf",
        "codex",
        "Rounding of shared fees",
        12.8,
        (
            user("Splitting 100.00 between three members gives 33.33 each and one cent is gone. Fix split_evenly."),
            read(
                "ledgerleaf/money.py",
                "def split_evenly(total: Decimal, shares: int) -> list[Decimal]:\n"
                "    return [round(total / shares, 2)] * shares\n",
            ),
            edit(
                "ledgerleaf/money.py",
                "return [round(total / shares, 2)] * shares",
                "cents, rest = divmod(int(total * 100), shares)\n"
                "    return [Decimal(cents + (i < rest)) / 100 for i in range(shares)]",
            ),
            run("pytest tests/test_money.py -q", "14 passed in 0.21s"),
            say(
                "split_evenly now hands the remaining cents to the first members, so the parts always add up to the "
                "total. We decided against banker's rounding: it is fair on average but the sum can still be off."
            ),
        ),
    ),
    Story(
        "ledgerleaf",
        "claude-code",
        "Bank import stops at umlauts",
        31.0,
        (
            user("The CSV import dies on the file from the savings bank."),
            run(
                "python -m ledgerleaf.import_bank statement.csv",
                "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xfc in position 1042: invalid start byte",
                error=True,
            ),
            say(
                "0xfc is ü in Windows-1252, which this bank still uses. detect_encoding() now tries UTF-8 first and "
                "falls back to cp1252; a file that fits neither is refused with the line and the byte."
            ),
            user("Does Müller show up correctly now?"),
            say("Yes: Müller, Großmann and Ærø all appear unchanged in the preview."),
        ),
    ),
)
