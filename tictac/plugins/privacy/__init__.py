"""Privacy: data of an account, blocked players, reports (docs/guides/privacy.md)."""

from tictac.plugin import Plugin

PLUGIN = Plugin(
    __name__,
    rank=144,
    add_ons={"privacy": "service:ADD_ON"},
    shells={"privacy": "shell:Commands"},
    keepers={
        "account": "keepers:AccountKeeper",
        "ratings": "keepers:RatingKeeper",
        "matches": "keepers:MatchKeeper",
        "blocks": "tables:PrivacyKeeper",
    },
    admin_commands={"reports": "commands:add_admin_parser"},
)
