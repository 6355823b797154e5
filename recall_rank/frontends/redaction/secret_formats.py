"""Tables of secret formats: the prefixes, alphabets and lengths of keys, and the names before secrets.

The formats are public facts, most of them from the default rules of gitleaks 8 (MIT), the others as the providers
document or issue them. The modules key_patterns and named_secrets read the tables.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Secret(NamedTuple):
    """A secret in a text: its characters [start, end), and its family, that is, its type, such as "github"."""

    start: int
    end: int
    family: str


# The alphabets of keys, by the letters that the tables use.
ALPHABETS: Final = {
    "A": "A-Za-z0-9",
    "B": "A-Za-z0-9+/=_-",
    "D": "0-9",
    "H": "0-9a-fA-F",
    "P": "A-Za-z0-9_.=-",
    "U": "A-Z0-9",
    "W": "A-Za-z0-9_=-",
}

# family | prefixes | alphabet and least length of what follows. A key is a prefix and all characters of its alphabet
# after it. "?" marks a prefix that ordinary words have too: such a key must be a word of its own and look random.
# "<" marks an infix: the key also takes the letters and digits before it.
PREFIXED: Final = """
anthropic | sk-ant- | W30
openai | sk-proj- sk-svcacct- sk-admin- sk-None- sk-service- | W40
openrouter | sk-or- | W40
langfuse | sk-lf- | W32
openai-style | ?sk- | A32
elevenlabs | ?sk_ | H40
google-api | AIza | W35
google-oauth | GOCSPX- ya29. | P20
google-refresh | ?1//0 | W40
xai | xai- | A64
huggingface | hf_ api_org_ | A30
groq | gsk_ | A40
replicate | ?r8_ | A36
perplexity | pplx- | A40
nvidia | nvapi- | W50
cerebras | ?csk- | A40
fireworks | ?fw_ | A22
together | tgp_v1_ | W40
tavily | tvly- | W24
firecrawl | ?fc- | H32
voyage | ?pa- | W43
jina | ?jina_ | W50
pinecone | pcsk_ | W50
e2b | ?e2b_ | H40
langsmith | lsv2_pt_ lsv2_sk_ | W40
cursor | ?crsr_ ?key_ | H60
figma | figd_ | W38
supabase | sbp_ sb_secret_ | W28
vercel | ?vcp_ ?vci_ ?vca_ ?vcr_ ?vck_ | W24
neon | ?napi_ | A60
resend | ?re_ | W30
render | ?rnd_ | A28
docker | dckr_pat_ dckr_oat_ | W26
github | ghp_ gho_ ghu_ ghs_ ghr_ | A36
github-fine-grained | github_pat_ | W60
gitlab | glpat- gldt- glft- glrt- glsoat- glffct- glagent- gloas- glptt- glimt- | P20
gitlab-job | glcbt- | W22
gitlab-runner | GR1348941 | W20
gitlab-session | _gitlab_session= | A32
npm | npm_ | A36
pypi | pypi-AgE | W50
rubygems | rubygems_ | H48
crates | ?cio | A32
nuget | ?oy2 | A43
clojars | CLOJARS_ clojars_ | A60
aws-key-id | AKIA ASIA ABIA ACCA A3T | U16
aws-bedrock | ABSKQmVkcm9ja0FQSUtleS | B80
alibaba | ?LTAI | A17
digitalocean | dop_v1_ doo_v1_ dor_v1_ | H64
databricks | ?dapi | H32
azure-storage | AccountKey= SharedAccessKey= | B40
stripe | sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_ | A16
stripe-webhook | whsec_ | B24
square | sq0atp- sq0csp- ?EAAA | W22
shopify | shpat_ shpca_ shppa_ shpss_ | H32
shippo | shippo_live_ shippo_test_ | H40
easypost | ?EZAK ?EZTK | A54
duffel | duffel_test_ duffel_live_ | W43
flutterwave | FLWSECK_TEST- FLWSECK- | W12
slack | xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxe- xoxe.xoxb- xoxe.xoxp- xoxd- xoxc- | W20
slack-app | xapp- | W30
slack-webhook | hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/ | B40
discord-webhook | discord.com/api/webhooks/ discordapp.com/api/webhooks/ | B70
teams-webhook | webhook.office.com/webhookb2/ | B60
telegram | <:AA | W33
twilio | ?SK | H32
sendgrid | SG. | P60
sendinblue | xkeysib- xsmtpsib- | W60
mailgun | ?key- | H32
mailgun-public | pubkey- | H32
postman | PMAK- | W50
linear | lin_api_ lin_oauth_ | A40
notion | ntn_ ?secret_ | A43
airtable | ?pat | P79
atlassian | ATATT3 ATCTT3 ATBB | W24
hubspot | pat-na1- pat-eu1- | W36
sentry | sntrys_ sntryu_ | B60
grafana | glc_ glsa_ eyJrIjoi | B32
newrelic | NRAK- NRII- NRJS- NRAA- | W19
datadog | ?ddp_ | A34
dynatrace | dt0c01. | P80
doppler | dp.pt. dp.st. dp.ct. dp.sa. dp.scim. | P40
vault | hvs. hvb. hvr. | W80
terraform | <.atlasv1. | W60
onepassword | ops_eyJ | B200
onepassword-key | ?A3- | W32
age | AGE-SECRET-KEY-1 | U58
tailscale | tskey- | W24
flyio | fo1_ fm1a_ fm1r_ fm2_ | B43
planetscale | pscale_tkn_ pscale_oauth_ pscale_pw_ | P32
prefect | ?pnu_ ?pnb_ | A36
pulumi | ?pul- | H40
readme | ?rdme_ | A70
scalingo | tk-us- | W48
settlemint | sm_aat_ sm_pat_ sm_sat_ | A16
infracost | ?ico- | A32
frameio | fio-u- | W64
contentful | CFPAT- | W43
cloudflare-ca | v1.0- | W160
clickhouse | ?4b1d | A38
heroku | HRKU-AA | W58
harness | ?pat. ?sat. | P66
octopus | ?API- | U26
openshift | sha256~ | W43
artifactory | ?AKCp ?cmVmd | A59
adobe | ?p8e- | A32
intra42 | s-s4t2ud- s-s4t2af- | H64
facebook | EAAM EAAC | A100
typeform | tfp_ | P50
maxmind | <_mmk | A0
azure-ad | <Q~ | P31
sourcegraph | sgp_ sgd_ | W40
defined-networking | dnkey- | W70
yandex | AQVN t1. | W35
jwt-encoded | ?ZXlK | B60
jwt | eyJ | P0
"""

# family | words in the name of the value | shapes of the value: an alphabet and a length, or uuid.
# The name must also contain key, token, secret or a similar word.
NAMED: Final = """
adafruit | adafruit | W32
airtable | airtable | A17
algolia | algolia | A32
alibaba | alibaba | A30
asana | asana | A32
atlassian | atlassian confluence jira | A24
aws-secret | aws secretaccesskey secret_access_key | B40
beamer | beamer | W46
bitbucket | bitbucket | A32 W64
bittrex | bittrex | A32
meraki | meraki | H40
cloudflare | cloudflare | W40 H37
codecov | codecov | A32
cohere | cohere co_api_key | A40
coinbase | coinbase | W64
confluent | confluent | A16 A64
contentful | contentful | W43
datadog | datadog dd_api_key dd_app_key | A32 A40
discord | discord | H64 W32
droneci | droneci | A32
dropbox | dropbox | A15 W64 P138
etsy | etsy | A24
facebook | facebook | H32
fastly | fastly | W32
finicity | finicity | H32 A20
finnhub | finnhub | A20
flickr | flickr | A32
freshbooks | freshbooks | A64
gitter | gitter | W40
gocardless | gocardless | W45
heroku | heroku | uuid
hubspot | hubspot | uuid
intercom | intercom | W60
jfrog | jfrog artifactory bintray xray | A73 A64
kraken | kraken | B80-90
kucoin | kucoin | H24 uuid
launchdarkly | launchdarkly | W40
linear | linear | H32
linkedin | linkedin linked_in linked-in | A16
lob | lob_ | W40
mailchimp | mailchimp | W36-37
mailgun | mailgun | W50
mattermost | mattermost | A26
messagebird | messagebird message_bird message-bird | A25
mistral | mistral | A32
netlify | netlify | W40-46
newrelic | newrelic new_relic new-relic | A64
nytimes | nytimes | W32
okta | okta | W42
plaid | plaid | A30
privateai | privateai private_ai private-ai | A32
rapidapi | rapidapi | W50
sendbird | sendbird | H40
sentry | sentry | H64
snyk | snyk | uuid
sonar | sonar | W40
squarespace | squarespace | uuid
sumologic | sumo | A64
together | together | H64
travis | travis | A22
twitch | twitch | A30
twitter | twitter | A25 A45 A50 W40-66
vercel | vercel | A24
wandb | wandb | H40
zendesk | zendesk | A40
"""
