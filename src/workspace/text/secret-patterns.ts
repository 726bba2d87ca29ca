/**
 * Patterns by kind of credential, the kind worded for a sentence. Group 1 of each pattern is the secret part.
 *
 * Each entry names its source: rules of gitleaks, in its config/gitleaks.toml, and detectors of TruffleHog,
 * in its pkg/detectors, or a document. Many minimum lengths are lower than in the source, since vendors
 * change the lengths of their tokens.
 */
export type PatternsByKind = Readonly<Record<string, readonly RegExp[]>>;

const near = (words: string): string => `(?:(?<=(?:${words})[^]{0,250})|(?=[^]{0,250}(?:${words})))`;

/** Credentials with a prefix. `findSecret` matches them at the start of a word only. */
export const TOKEN_PATTERNS: PatternsByKind = {
  // gitleaks aws-access-token; AWS IAM user guide, "IAM identifiers". A presigned link names one.
  'an AWS access key id': [
    /(?<![?&;]AWSAccessKeyId=)A(?:KIA|SIA|BIA|CCA)([A-Z2-7]{16})(?!\w|(?:\/|%2F)20\d{6})/,
  ],
  // gitleaks aws-amazon-bedrock-api-key-long-lived.
  'an Amazon Bedrock API key': [/ABSK([A-Za-z\d+/]{100,})/],
  // gitleaks github-pat, github-oauth, github-app-token, github-refresh-token, github-fine-grained-pat.
  'a GitHub token': [/gh[oprsu]_([\w.]{36,})/, /github_pat_(\w{60,})/],
  // gitleaks gitlab-*; GitLab documentation, "Token overview".
  'a GitLab token': [/gl(?:agent|cbt|dt|ffct|ft|imt|oas|pat|ptt|rt|rtr|soat|wt)-([\w.-]{20,})/],
  // gitleaks slack-bot-token, slack-user-token, slack-config-access-token, slack-legacy-*, slack-app-token.
  'a Slack token': [/xox[abcdeoprs](?:\.xox[bp])?-([\w%-]{20,})/, /xapp-\d-([\w-]{20,})/],
  // gitleaks stripe-access-token; whsec_: Stripe documentation, "Webhooks".
  'a Stripe secret key': [/[rs]k_(?:live|test)_([A-Za-z\d]{16,})/, /whsec_([A-Za-z\d+/]{32,})/],
  // gitleaks anthropic-api-key, anthropic-admin-api-key.
  'an Anthropic API key': [/sk-ant-((?:[a-z]+\d\d-)?[\w-]{32,})/],
  // gitleaks openai-api-key.
  'an OpenAI API key': [
    /sk-(?:admin|proj|svcacct)-([\w-]{40,})/,
    /sk-([A-Za-z\d]{20}T3BlbkFJ[A-Za-z\d]{20})/,
  ],
  // TruffleHog openrouter.
  'an OpenRouter API key': [/sk-or-v1-([\da-f]{64})/],
  // TruffleHog deepseek; other vendors with interfaces like that of OpenAI issue the same form. Not a commit.
  'an API key that begins with sk-': [/sk-(?![\da-f]{40}(?!\w))([A-Za-z\d]{32,64})(?![\w-])/],
  // gitleaks gcp-api-key; AQ.: authorization keys of the Gemini API. Pages publish keys of Maps and Firebase.
  'a Google API key': [
    new RegExp(`AIza([\\w-]{35})(?![\\w-])(?!${near('maps|firebase')})`, 'i'),
    /AQ\.(Ab[\w-]{40,})/,
  ],
  // Client secret: SonarSource rule S6691. Access token: TruffleHog googleoauth2. Refresh token: as issued.
  'a Google OAuth secret': [/GOCSPX-([\w-]{28})/, /ya29\.([\w.-]{40,})/, /1\/\/0([\w-]{40,})/],
  // TruffleHog groq.
  'a Groq API key': [/gsk_([A-Za-z\d]{48,})/],
  // TruffleHog xai.
  'an xAI API key': [/xai-([A-Za-z\d]{64,})/],
  // gitleaks perplexity-api-key.
  'a Perplexity API key': [/pplx-([A-Za-z\d]{40,})/],
  // TruffleHog replicate.
  'a Replicate token': [/r8_([A-Za-z\d]{37,})/],
  // TruffleHog langsmith.
  'a LangSmith API key': [/lsv2_(?:pt|sk)_([\da-f]{32}_[\da-f]{10})/],
  // gitleaks huggingface-access-token, huggingface-organization-api-token.
  'a Hugging Face token': [/hf_([A-Za-z\d]{34,})/, /api_org_([A-Za-z]{34})/],
  // gitleaks npm-access-token.
  'an npm token': [/npm_([A-Za-z\d]{36,})/],
  // gitleaks pypi-upload-token.
  'a PyPI token': [/pypi-(AgE[\w-]{50,})/],
  // gitleaks rubygems-api-token.
  'a RubyGems API key': [/rubygems_([\da-f]{48})/],
  // GitGuardian detector "Crates.io Key".
  'a crates.io token': [/cio([A-Za-z\d]{32})(?![\w-])/],
  // gitleaks telegram-bot-api-token.
  'a Telegram bot token': [/(?:bot)?\d{8,10}:(AA[\w-]{33})(?![\w-])/],
  // TruffleHog discordbottoken. The part before the first dot is a decimal number in Base64.
  'a Discord bot token': [
    /(?:[MNO][DTjz][AEIMQUYcgk][w-z0-5]){5,6}\w{0,3}\.[\w-]{6}\.([\w-]{27,40})(?![\w-])/,
  ],
  // gitleaks sendgrid-api-token.
  'a SendGrid API key': [/SG\.([\w-]{22}\.[\w-]{43})(?![\w-])/],
  // gitleaks twilio-api-key. Other digests have the same form.
  'a Twilio API key': [new RegExp(`SK([\\da-f]{32})(?!\\w)${near('twilio')}`, 'i')],
  // gitleaks sendinblue-api-token (the earlier name of Brevo).
  'a Brevo API key': [/xkeysib-([\da-f]{64})/],
  // gitleaks digitalocean-pat, digitalocean-access-token, digitalocean-refresh-token.
  'a DigitalOcean token': [/do[oprt]_v1_([\da-f]{64})/],
  // TruffleHog dockerhub.
  'a Docker Hub token': [/dckr_[op]at_([\w-]{20,})/],
  // Cloudflare documentation, "Token formats".
  'a Cloudflare token': [/cf(?:at|k|ut)_([A-Za-z\d]{40,})/],
  // Vercel changelog, "New token formats and secret scanning".
  'a Vercel token': [/vc[aciprk]_([A-Za-z\d]{24,})/],
  // TruffleHog supabasetoken; sb_secret_: Supabase documentation, "API keys".
  'a Supabase secret key': [/sbp_([\da-f]{40})/, /sb_secret_([\w-]{30,})/],
  // gitleaks planetscale-api-token, planetscale-oauth-token, planetscale-password.
  'a PlanetScale secret': [/pscale_(?:oauth|pw|tkn)_([\w.=-]{32,})/],
  // gitleaks flyio-access-token.
  'a Fly.io token': [/fm[12][ar]?_([A-Za-z\d+/]{100,})/, /fo1_([\w-]{43})/],
  // gitleaks azure-ad-client-secret.
  'an Azure client secret': [/[\w~.]{3}\dQ~([\w~.-]{31,34})(?![\w~.-])/],
  // gitleaks vault-service-token, vault-batch-token; hvr.: Vault documentation, "Tokens".
  'a HashiCorp Vault token': [/hv[brs]\.([\w-]{24,})/],
  // gitleaks pulumi-api-token.
  'a Pulumi token': [/pul-([\da-f]{40})/],
  // TruffleHog doppler.
  'a Doppler token': [/dp\.(?:audit|ct|pt|sa|scim|st)\.([\w.]{40,})/],
  // gitleaks databricks-api-token. Other digests have the same form.
  'a Databricks token': [
    new RegExp(`dapi([\\da-f]{32})(?!\\w)(?:(?=-\\d)|${near('databricks|bearer|token\\W{0,3}[:=]')})`, 'i'),
  ],
  // TruffleHog tailscale.
  'a Tailscale key': [/tskey-([\w-]{24,})/],
  // gitleaks grafana-service-account-token, grafana-cloud-api-token.
  'a Grafana token': [/glsa_(\w{41})/, /glc_([A-Za-z\d+/]{32,})/],
  // gitleaks sentry-org-token, sentry-user-token.
  'a Sentry token': [/sntry[su]_([\w+/=]{40,})/],
  // gitleaks new-relic-user-api-key.
  'a New Relic API key': [/NRAK-([A-Z\d]{27})(?!\w)/],
  // gitleaks postman-api-token.
  'a Postman API key': [/PMAK-([\da-f]{24}-[\da-f]{34})/],
  // gitleaks shopify-*.
  'a Shopify token': [/shp(?:at|ca|pa|ss|ua)_([\da-fA-F]{32})/],
  // gitleaks square-access-token; TruffleHog squareapp.
  'a Square token': [/sq0(?:atp|csp)-([\w-]{22,})/],
  // TruffleHog atlassian, jiratoken, bitbucketapppassword.
  'an Atlassian token': [/AT[AC]TT3([\w=-]{60,})/, /ATBB([A-Za-z\d]{32})(?!\w)/],
  // gitleaks linear-api-key; lin_oauth_: the form of OAuth access tokens.
  'a Linear API key': [/lin_(?:api|oauth)_([A-Za-z\d]{40,})/],
  // gitleaks notion-api-token; TruffleHog notion.
  'a Notion token': [/ntn_([A-Za-z\d]{40,})/, /secret_([A-Za-z\d]{43})(?!\w)/],
  // TruffleHog figmapersonalaccesstoken.
  'a Figma token': [/figd_([\w-]{40,})/],
  // gitleaks airtable-personnal-access-token.
  'an Airtable token': [/pat[A-Za-z\d]{14}\.([\da-f]{64})/],
  // gitleaks 1password-service-account-token, 1password-secret-key.
  'a 1Password secret': [
    /ops_(eyJ[\w-]{100,})/,
    /A3-([A-Z\d]{6}-[A-Z\d]{6}-?[A-Z\d]{5}(?:-[A-Z\d]{5}){3})(?!\w)/,
  ],
  // gitleaks age-secret-key; age specification, Bech32 (BIP 173). PQ: post-quantum keys.
  'an age secret key': [/AGE-SECRET-KEY-(?:PQ-)?1([AC-HJ-NP-Z02-9]{58,})/],
  // Nostr NIP-19, Bech32 (BIP 173).
  'a Nostr secret key': [/nsec1([ac-hj-np-z02-9]{58})(?!\w)/],
  // BIP 32 (xprv, tprv) and SLIP 132 (the other letters), Base58Check.
  'an extended private key of a wallet': [/[t-z]prv([1-9A-HJ-NP-Za-km-z]{107})(?!\w)/],
};

/**
 * RFC 7468 (five hyphens), SSH2 key files (four hyphens and a space), OpenPGP armor (RFC 9580), and PuTTY PPK
 * files.
 */
const PRIVATE_KEY_HEADERS = [
  /-{4,5} ?BEGIN (?:[A-Z\d]{1,16} ){0,3}PRIVATE KEY(?: BLOCK)? ?-{4,5}/,
  /Private-Lines: \d{1,3}/,
];

/**
 * Between a header and the key: line ends, quotation marks, comment signs, and header lines such as
 * `Version: 2`.
 */
const HEADER_TO_KEY_GAP = /(?:[\s>|"'`,+#*]|\\{1,3}[nr]|[A-Z][\w-]{2,20}: [^\n\\]{0,100}(?=[\n\\])){0,100}/;

/** A short key of an elliptic curve ends within the line. */
const FIRST_LINE_OF_KEY = /([A-Za-z\d+/]{60}|[A-Za-z\d+/=]{20,59}(?=[\s"'`>|,+#*\\nr-]{1,20}END))/;

/** Credentials known by the label before them, which may be the end of a longer word. */
export const LABELLED_PATTERNS: PatternsByKind = {
  'a private key': [
    ...PRIVATE_KEY_HEADERS.map(
      ({ source }) => new RegExp(`${source}${HEADER_TO_KEY_GAP.source}${FIRST_LINE_OF_KEY.source}`),
    ),
  ],
  // The variable and setting names of the AWS CLI and SDKs; a secret has 40 characters of Base64.
  'an AWS secret access key': [
    labelled(/(?:aws_?secret|secret_?access)_?(?:access_?)?key/, /([A-Za-z\d+/]{40})(?![A-Za-z\d+/=])/),
  ],
  // Connection strings of Azure Storage (AccountKey) and of Service Bus and Event Hubs (SharedAccessKey).
  'an Azure access key': [/(?:Account|SharedAccess)Key=([A-Za-z\d+/]{86}==|[A-Za-z\d+/]{43}=)/],
  // gitleaks mailgun-private-api-token, mailgun-signing-key; TruffleHog mailgun.
  'a Mailgun API key': [/(?:mailgun.{0,60}?|api:)(key-[\da-f]{32}|[\da-f]{32}-[\da-f]{8}-[\da-f]{8})(?!\w)/i],
  // gitleaks hashicorp-tf-api-token.
  'a Terraform token': [/\.atlasv1\.([\w-]{60,})/],
  // gitleaks slack-webhook-url.
  'a Slack webhook URL': [/hooks\.slack(?:-gov)?\.com\/(?:services|triggers|workflows)\/([\w/-]{30,})/],
  // TruffleHog discordwebhook.
  'a Discord webhook URL': [/discord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?webhooks\/\d{17,20}\/([\w-]{60,})/],
  // RFC 7617, section 2: Base64 of a name, a colon and a password.
  'a password in Base64': [
    labelled(/authorization/, /basic\s{1,5}(?=[^\s\d=]{0,200}[\d=])([A-Za-z\d+/]{12,}={0,2})/),
  ],
  // RFC 6750, section 2.1; GitHub's scheme is `token`. A digit is required, since variable names rarely have
  // one. A JSON Web Token has a separate pattern.
  'a bearer token': [
    labelled(
      /authorization/,
      /(?:bearer|token)\s{1,5}(?!e[wy][\w-]{1,1000}\.e[wy])(?=[^\s\d]{0,200}\d)([\w.~+/=-]{20,})/,
    ),
  ],
};

/** Matches `label: "value"` and `label = value`, as in code, settings and headers. */
function labelled(label: RegExp, value: RegExp): RegExp {
  const between = /[\\"'`]{0,4}\s{0,5}[:=]>?\s{0,5}[\\"'`]{0,4}/;
  return new RegExp(`${label.source}${between.source}${value.source}`, 'i');
}
