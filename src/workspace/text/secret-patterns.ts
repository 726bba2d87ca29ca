/** By kind, in words that go into a sentence, what a credential looks like; group 1 is the part that is secret. */
export type Patterns = Readonly<Record<string, readonly RegExp[]>>;

/** Credentials known by how they begin; they count at the start of a word only. */
export const TOKENS: Patterns = {
  'an AWS access key id': [/A(?:KIA|SIA|BIA|CCA)([A-Z2-7]{16})(?!\w)/],
  'an Amazon Bedrock API key': [/ABSK([A-Za-z\d+/]{100,})/],
  'a GitHub token': [/gh[oprsu]_([\w.]{36,})/, /github_pat_(\w{60,})/],
  'a GitLab token': [/gl(?:agent|cbt|dt|ffct|ft|imt|oas|pat|ptt|rt|rtr|soat|wt)-([\w.-]{20,})/],
  'a Slack token': [/xox[abcdeoprs](?:\.xox[bp])?-([\w%-]{20,})/, /xapp-\d-([\w-]{20,})/],
  'a Stripe secret key': [/[rs]k_(?:live|test)_([A-Za-z\d]{16,})/, /whsec_([A-Za-z\d+/]{32,})/],
  'an Anthropic API key': [/sk-ant-((?:[a-z]+\d\d-)?[\w-]{32,})/],
  'an OpenAI API key': [
    /sk-(?:admin|proj|svcacct)-([\w-]{40,})/,
    /sk-([A-Za-z\d]{20}T3BlbkFJ[A-Za-z\d]{20})/,
  ],
  'an OpenRouter API key': [/sk-or-v1-([\da-f]{64})/],
  'an API key that begins with sk-': [/sk-([A-Za-z\d]{32,64})(?![\w-])/],
  'a Google API key': [/AIza([\w-]{35})(?![\w-])/, /AQ\.(Ab[\w-]{40,})/],
  'a Google OAuth secret': [/GOCSPX-([\w-]{28})/, /ya29\.([\w.-]{40,})/, /1\/\/0([\w-]{40,})/],
  'a Groq API key': [/gsk_([A-Za-z\d]{48,})/],
  'an xAI API key': [/xai-([A-Za-z\d]{64,})/],
  'a Perplexity API key': [/pplx-([A-Za-z\d]{40,})/],
  'a Replicate token': [/r8_([A-Za-z\d]{37,})/],
  'a LangSmith API key': [/lsv2_(?:pt|sk)_([\da-f]{32}_[\da-f]{10})/],
  'a Hugging Face token': [/hf_([A-Za-z\d]{34,})/, /api_org_([A-Za-z]{34})/],
  'an npm token': [/npm_([A-Za-z\d]{36,})/],
  'a PyPI token': [/pypi-(AgE[\w-]{50,})/],
  'a RubyGems API key': [/rubygems_([\da-f]{48})/],
  'a crates.io token': [/cio([A-Za-z\d]{32})(?![\w-])/],
  'a Telegram bot token': [/(?:bot)?\d{8,10}:(AA[\w-]{33})(?![\w-])/],
  // The part before the first dot is a number in base64.
  'a Discord bot token': [
    /(?:[MNO][DTjz][AEIMQUYcgk][w-z0-5]){5,6}\w{0,3}\.[\w-]{6}\.([\w-]{27,40})(?![\w-])/,
  ],
  'a SendGrid API key': [/SG\.([\w-]{22}\.[\w-]{43})(?![\w-])/],
  'a Twilio API key': [/SK([\da-f]{32})(?!\w)/],
  'a Brevo API key': [/xkeysib-([\da-f]{64})/],
  'a DigitalOcean token': [/do[oprt]_v1_([\da-f]{64})/],
  'a Docker Hub token': [/dckr_[op]at_([\w-]{20,})/],
  'a Cloudflare token': [/cf(?:at|k|ut)_([A-Za-z\d]{40,})/],
  'a Vercel token': [/vc[aciprk]_([A-Za-z\d]{24,})/],
  'a Supabase secret key': [/sbp_([\da-f]{40})/, /sb_secret_([\w-]{30,})/],
  'a PlanetScale secret': [/pscale_(?:oauth|pw|tkn)_([\w.=-]{32,})/],
  'a Fly.io token': [/fm[12][ar]?_([A-Za-z\d+/]{100,})/, /fo1_([\w-]{43})/],
  'an Azure client secret': [/[\w~.]{3}\dQ~([\w~.-]{31,34})(?![\w~.-])/],
  'a HashiCorp Vault token': [/hv[brs]\.([\w-]{24,})/],
  'a Pulumi token': [/pul-([\da-f]{40})/],
  'a Doppler token': [/dp\.(?:audit|ct|pt|sa|scim|st)\.([\w.]{40,})/],
  'a Databricks token': [/dapi([\da-f]{32})(?!\w)/],
  'a Tailscale key': [/tskey-([\w-]{24,})/],
  'a Grafana token': [/glsa_(\w{41})/, /glc_([A-Za-z\d+/]{32,})/],
  'a Sentry token': [/sntry[su]_([\w+/=]{40,})/],
  'a New Relic API key': [/NRAK-([A-Z\d]{27})(?!\w)/],
  'a Postman API key': [/PMAK-([\da-f]{24}-[\da-f]{34})/],
  'a Shopify token': [/shp(?:at|ca|pa|ss|ua)_([\da-fA-F]{32})/],
  'a Square token': [/sq0(?:atp|csp)-([\w-]{22,})/],
  'an Atlassian token': [/AT[AC]TT3([\w=-]{60,})/, /ATBB([A-Za-z\d]{32})(?!\w)/],
  'a Linear API key': [/lin_(?:api|oauth)_([A-Za-z\d]{40,})/],
  'a Notion token': [/ntn_([A-Za-z\d]{40,})/, /secret_([A-Za-z\d]{43})(?!\w)/],
  'a Figma token': [/figd_([\w-]{40,})/],
  'an Airtable token': [/pat[A-Za-z\d]{14}\.([\da-f]{64})/],
  'a 1Password secret': [
    /ops_(eyJ[\w-]{100,})/,
    /A3-([A-Z\d]{6}-[A-Z\d]{6}-?[A-Z\d]{5}(?:-[A-Z\d]{5}){3})(?!\w)/,
  ],
  'an age secret key': [/AGE-SECRET-KEY-(?:PQ-)?1([AC-HJ-NP-Z02-9]{58,})/],
  'a Nostr secret key': [/nsec1([ac-hj-np-z02-9]{58})(?!\w)/],
  'an extended private key of a wallet': [/[t-z]prv([1-9A-HJ-NP-Za-km-z]{107})(?!\w)/],
};

const KEY_FOLLOWS = [
  /-{4,5} ?BEGIN (?:[A-Z\d]{1,16} ){0,3}PRIVATE KEY(?: BLOCK)? ?-{4,5}/,
  /Private-Lines: \d{1,3}/,
];

/** What may stand between such a line and the key: line ends, quoting, and headers such as `Version: 2`. */
const GAP = /(?:[\s>|"'`,+#*]|\\{1,3}[nr]|[A-Z][\w-]{2,20}: [^\n\\]{0,100}(?=[\n\\])){0,100}/;

/** Credentials known by what stands before them, which may be the end of a longer word. */
export const LABELLED: Patterns = {
  'a private key': KEY_FOLLOWS.map(({ source }) => new RegExp(`${source}${GAP.source}([A-Za-z\\d+/]{60})`)),
  'an AWS secret access key': [
    labelled(/(?:aws_?secret|secret_?access)_?(?:access_?)?key/, /([A-Za-z\d+/]{40})(?![A-Za-z\d+/=])/),
  ],
  'an Azure access key': [/(?:Account|SharedAccess)Key=([A-Za-z\d+/]{86}==|[A-Za-z\d+/]{43}=)/],
  'a Mailgun API key': [/(?:mailgun.{0,60}?|api:)(key-[\da-f]{32}|[\da-f]{32}-[\da-f]{8}-[\da-f]{8})(?!\w)/i],
  'a Terraform token': [/\.atlasv1\.([\w-]{60,})/],
  'a Slack webhook address': [/hooks\.slack(?:-gov)?\.com\/(?:services|triggers|workflows)\/([\w/-]{30,})/],
  'a Discord webhook address': [
    /discord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?webhooks\/\d{17,20}\/([\w-]{60,})/,
  ],
  // A digit is in it, as in no name of a variable; a JSON Web Token is told by its own shape.
  'a bearer token': [
    labelled(
      /authorization/,
      /(?:bearer|token)\s{1,5}(?!e[wy][\w-]+\.e[wy])(?=[^\s\d]{0,200}\d)([\w.~+/=-]{20,})/,
    ),
  ],
};

/** `label: "value"`, as code, settings and headers write it. */
function labelled(label: RegExp, value: RegExp): RegExp {
  const between = /[\\"'`]{0,4}\s{0,5}[:=]>?\s{0,5}[\\"'`]{0,4}/;
  return new RegExp(`${label.source}${between.source}${value.source}`, 'i');
}
