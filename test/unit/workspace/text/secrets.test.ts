import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync } from 'node:crypto';
import test from 'node:test';
import { findSecret } from '#workspace/text/secrets.ts';

const HEX = '0123456789abcdef';
const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const ALNUM = `${LETTERS}0123456789`;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const BECH32 = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';

let draws = 0;

/** Pseudo-random bytes, the same in every run. */
function bytes(length: number): Buffer {
  draws += 1;
  const parts = Array.from({ length: Math.ceil(length / 64) }, (_, index) =>
    createHash('sha512').update(`${draws}/${index}`).digest(),
  );
  return Buffer.concat(parts).subarray(0, length);
}

/** Joins the parts of a credential, so that no literal of this file is one. */
const glue = (...parts: string[]): string => parts.join('');
const drawn = (length: number, alphabet = ALNUM): string =>
  Array.from(bytes(length), (byte) => alphabet[byte % alphabet.length]).join('');
const hex = (length: number): string => drawn(length, HEX);
const base64 = (length: number): string => bytes(length).toString('base64');
const base64url = (value: Buffer | object): string =>
  (Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value))).toString('base64url');
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

const pem = (label: string, length = 600, headers = ''): string => {
  const lines = base64(length).replaceAll(/.{64}/g, '$&\n');
  return glue('-----BEG', `IN ${label}-----\n${headers}${lines}\n-----END ${label}-----\n`);
};

const jwt = (payload: object, header: object = { alg: 'HS256', typ: 'JWT' }): string =>
  `${base64url(header)}.${base64url(payload)}.${base64url(bytes(32))}`;

/** A key of an elliptic curve without its parameters and its public key (RFC 5915). */
const ecKey = (length: number): string => {
  const der = Buffer.concat([Buffer.from([0x30, length + 5, 2, 1, 1, 4, length]), bytes(length)]).toString(
    'base64',
  );
  return glue('-----BEG', `IN EC PRIVATE KEY-----\n${der}\n-----END EC PRIVATE KEY-----\n`);
};

const ed25519 = generateKeyPairSync('ed25519');
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 });

const REFUSED: Record<string, string[]> = {
  'a private key': [
    ed25519.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    pem(
      'RSA PRIVATE KEY',
      600,
      'Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B2C3D4E5F60718293A4B5C6D7E8F9\n\n',
    ),
    pem('OPENSSH PRIVATE KEY'),
    pem('PGP PRIVATE KEY BLOCK', 600, 'Version: GnuPG v2\nComment: at home\n\n'),
    JSON.stringify({ type: 'service_account', private_key: pem('PRIVATE KEY') }),
    pem('DSA PRIVATE KEY').replaceAll(/^/gm, '> '),
    ecKey(32),
    ecKey(20),
    ecKey(32).replaceAll('\n', '\\n'),
    ecKey(32).replaceAll(/^/gm, '> '),
    ...[ed25519, p256, rsa].map(({ privateKey }) => JSON.stringify(privateKey.export({ format: 'jwk' }))),
    JSON.stringify({ keys: [{ d: base64url(bytes(32)), crv: 'Ed25519', use: 'sig', kty: 'OKP' }] }, null, 2),
    `const key = { kty: 'EC', crv: 'P-256', d: '${base64url(bytes(32))}' };`,
    glue('PuTTY-User-Key-File-3: ssh-ed25519\nPriv', 'ate-Lines: 14\n', base64(48), '\n', base64(48)),
  ],
  'an AWS access key id': [glue('AK', 'IA', drawn(16, BASE32)), glue('AS', 'IA', drawn(16, BASE32))],
  'an AWS secret access key': [
    glue('aws_secret_access_key', ' = ', base64(30)),
    glue('"SecretAccessKey": "', base64(30), '"'),
    glue('export AWS_SECRET_ACCESS_KEY=', base64(30)),
    glue('TF_VAR_aws_secret_key=', `'${base64(30)}'`),
  ],
  'an Amazon Bedrock API key': [glue('AB', 'SK', drawn(130))],
  'a GitHub token': [
    ...['p', 'o', 'u', 's', 'r'].map((letter) => glue('gh', letter, '_', drawn(36))),
    glue('gh', 's_', `1234_${jwt({ installation: 88 })}`),
    glue('github', '_pat_', drawn(22), '_', drawn(59)),
    glue('https://x-access-token:gh', 's_', drawn(36), '@github.com/porch/light.git'),
  ],
  'a GitLab token': [
    glue('gl', 'pat-', drawn(20)),
    glue('gl', 'rt-', drawn(20)),
    glue('gl', 'dt-', drawn(20)),
    glue('gl', 'ptt-', hex(40)),
    glue('gl', 'cbt-', '64_', drawn(20)),
    glue('gl', 'oas-', hex(64)),
    glue('gl', 'pat-', drawn(27), '.01.', drawn(9)),
    glue('gl', 'soat-', drawn(20)),
  ],
  'a Slack token': [
    glue('xo', 'xb-781236542736-2364535789652-', drawn(24)),
    glue('xo', 'xp-', '41684372915-1320496754-45609968301-', hex(32)),
    glue('xa', 'pp-1-A052FGTS2DL-5171572773297-', hex(64)),
    glue('xo', 'xe.xoxp-1-', drawn(163, BASE32)),
  ],
  'a Slack webhook URL': [
    glue('https://hooks.sl', 'ack.com/services/T', drawn(8, BASE32), '/B', drawn(8, BASE32), '/', drawn(24)),
  ],
  'a Discord webhook URL': [glue('https://disc', 'ord.com/api/webhooks/', '917364820517364820/', drawn(68))],
  'a Stripe secret key': [
    glue('sk', '_live_', drawn(24)),
    glue('sk', '_test_', drawn(99)),
    glue('rk', '_live_', drawn(24)),
    glue('wh', 'sec_', drawn(32)),
  ],
  'an OpenAI API key': [
    glue('sk', '-proj-', drawn(74), 'T3Blbk', 'FJ', drawn(74)),
    glue('sk-', drawn(20), 'T3Blbk', 'FJ', drawn(20)),
    glue('sk', '-svcacct-', drawn(58), 'T3Blbk', 'FJ', drawn(58)),
  ],
  'an Anthropic API key': [
    glue('sk-', 'ant-api03-', drawn(93), 'AA'),
    glue('sk-', 'ant-oat01-', drawn(93), 'AA'),
    glue('sk-', 'ant-admin01-', drawn(93), 'AA'),
  ],
  'an OpenRouter API key': [glue('sk-', 'or-v1-', hex(64))],
  'an API key that begins with sk-': [glue('sk', '-', hex(32)), glue('sk', '-', drawn(48))],
  'a Google API key': [glue('AI', 'za', 'Sy', drawn(33)), glue('AQ', '.Ab8RN6', drawn(44))],
  'a Google OAuth secret': [
    glue('GOC', 'SPX-', drawn(28)),
    glue('ya', '29.a0Af', drawn(160)),
    glue('1/', '/0', drawn(80)),
  ],
  'a Groq API key': [glue('gs', 'k_', drawn(52))],
  'an xAI API key': [glue('xa', 'i-', drawn(80))],
  'a Perplexity API key': [glue('pp', 'lx-', drawn(48))],
  'a Replicate token': [glue('r', '8_', drawn(37))],
  'a LangSmith API key': [glue('lsv', '2_pt_', hex(32), '_', hex(10))],
  'a Hugging Face token': [glue('h', 'f_', drawn(34, LETTERS)), glue('api', '_org_', drawn(34, LETTERS))],
  'an npm token': [
    glue('np', 'm_', drawn(36)),
    glue('//registry.npm', 'js.org/:_authToken=np', 'm_', drawn(36)),
  ],
  'a PyPI token': [glue('py', 'pi-AgEIcHlwaS5vcmc', drawn(150))],
  'a RubyGems API key': [glue('ruby', 'gems_', hex(48))],
  'a crates.io token': [glue('c', 'io', drawn(32))],
  'a Telegram bot token': [
    glue('7401936528', ':AA', drawn(33)),
    glue('https://api.telegram.org/bot', '81736205:AA', drawn(33)),
  ],
  'a Discord bot token': [
    glue(base64url(Buffer.from('917364820517364820')), '.', drawn(6), '.', drawn(38)),
    glue(base64url(Buffer.from('81736482051736482')), '.', drawn(6), '.', drawn(27)),
    glue(base64url(Buffer.from('1173648205173648201')), '.', drawn(6), '.', drawn(38)),
  ],
  'a SendGrid API key': [glue('S', 'G.', drawn(22), '.', drawn(43))],
  'a Twilio API key': [
    glue('TWILIO_API_KEY=S', 'K', hex(32)),
    glue('S', 'K', hex(32), ' is my key of Twilio'),
  ],
  'a Mailgun API key': [
    glue('curl -u api:key', '-', hex(32)),
    glue('MAILGUN_API_KEY=', hex(32), '-', hex(8), '-', hex(8)),
  ],
  'a Brevo API key': [glue('xkey', 'sib-', hex(64), '-', drawn(16))],
  'a DigitalOcean token': [glue('do', 'p_v1_', hex(64)), glue('do', 'o_v1_', hex(64))],
  'a Docker Hub token': [glue('dckr', '_pat_', drawn(27))],
  'a Cloudflare token': [glue('cf', 'ut_', drawn(40), hex(8))],
  'a Vercel token': [glue('vc', 'p_', drawn(56))],
  'a Supabase secret key': [glue('sb', 'p_', hex(40)), glue('sb', '_secret_', drawn(31))],
  'a PlanetScale secret': [glue('psc', 'ale_tkn_', drawn(43))],
  'a Fly.io token': [glue('FlyV1 f', 'm2_', drawn(200)), glue('f', 'o1_', drawn(43))],
  'an Azure access key': [
    glue('DefaultEndpointsProtocol=https;AccountName=porch;Account', 'Key=', base64(64), ';EndpointSuffix=x'),
    glue('SharedAccessKeyName=root;SharedAccess', 'Key=', base64(32)),
  ],
  'an Azure client secret': [glue('tr7', '8', 'Q~', drawn(34))],
  'a HashiCorp Vault token': [
    glue('hv', 's.', drawn(92)),
    glue('hv', 's.', drawn(24)),
    glue('hv', 'b.', drawn(140)),
  ],
  'a Terraform token': [glue(drawn(14), '.atl', 'asv1.', drawn(67))],
  'a Pulumi token': [glue('pu', 'l-', hex(40))],
  'a Doppler token': [glue('dp', '.pt.', drawn(43)), glue('dp', '.st.', 'prd.', drawn(40))],
  'a Databricks token': [
    glue('DATABRICKS_TOKEN=da', 'pi', hex(32)),
    glue('{"token": "da', 'pi', hex(32), '"}'),
    glue('Authorization: Bearer da', 'pi', hex(32)),
    glue('da', 'pi', hex(32), ' is for the workspace at adb-7.azuredatabricks.net'),
    glue('da', 'pi', hex(32), '-2'),
  ],
  'a Tailscale key': [glue('ts', 'key-auth-', drawn(12), 'CNTRL-', drawn(32))],
  'a Grafana token': [glue('gl', 'sa_', drawn(32), '_', hex(8)), glue('gl', 'c_', drawn(60))],
  'a Sentry token': [
    glue('sntr', 'yu_', hex(64)),
    glue('sntr', 'ys_', base64url({ iat: 1 }), '_', drawn(43)),
  ],
  'a New Relic API key': [glue('NR', 'AK-', drawn(27, BASE32))],
  'a Postman API key': [glue('PM', 'AK-', hex(24), '-', hex(34))],
  'a Shopify token': [glue('shp', 'at_', hex(32)), glue('shp', 'ss_', hex(32))],
  'a Square token': [glue('sq', '0csp-', drawn(43))],
  'an Atlassian token': [glue('ATA', 'TT3xFfGF0', drawn(180), '=', hex(8)), glue('AT', 'BB', drawn(32))],
  'a Linear API key': [glue('lin', '_api_', drawn(40))],
  'a Notion token': [glue('nt', 'n_', '456476151729', drawn(34)), glue('sec', 'ret_', drawn(43))],
  'a Figma token': [glue('fig', 'd_', drawn(43))],
  'an Airtable token': [glue('pa', 't', drawn(14), '.', hex(64))],
  'a 1Password secret': [
    glue('A', '3-', [6, 6, 5, 5, 5, 5].map((length) => drawn(length, BASE32)).join('-')),
    glue('op', 's_', base64url({ email: `${drawn(20)}@porch.dev`, srpX: hex(80) })),
  ],
  'an age secret key': [glue('AGE-SEC', 'RET-KEY-1', drawn(58, BECH32).toUpperCase())],
  'a Nostr secret key': [glue('ns', 'ec1', drawn(58, BECH32))],
  'an extended private key of a wallet': [glue('xp', 'rv', drawn(107, BASE58))],
  'a bearer token': [
    glue('Authorization', ': Bearer ', drawn(40)),
    glue('-H "authorization', ': token ', hex(40), '"'),
    glue("{ 'Authorization': 'Bearer", ' ', drawn(30), "' }"),
  ],
  'a password in Base64': [
    glue('Authorization', ': Basic ', Buffer.from(`deploy:${drawn(12)}`).toString('base64')),
    glue('-H "authorization', ': basic ', Buffer.from('me:correct horse 7').toString('base64'), '"'),
    glue("{ 'Authorization': 'Basic", ' ', Buffer.from(`${hex(32)}:`).toString('base64'), "' }"),
  ],
  'a JSON Web Token': [
    jwt({ sub: 'u-88213', role: 'admin' }),
    jwt({ iss: 'supabase', ref: drawn(20), role: 'service_role' }),
    jwt({ oid: 5 }, { typ: 'JWT', alg: 'RS256', kid: 'porch-7' }),
    glue('Authorization: Bearer ', jwt({ sub: 'u-88213' })),
    [JSON.stringify({ alg: 'EdDSA' }, null, 1), JSON.stringify({ sub: 'u-88213' }, null, 1)]
      .map((part) => base64url(Buffer.from(part)))
      .concat(drawn(86))
      .join('.'),
  ],
  'a URL with a password': [
    glue('postgres://app:', 'Tr0ub4dor', '@db.porch.dev:5432/feed'),
    glue('https://deploy:', drawn(12), '@git.porch.dev'),
    glue('redis://:', drawn(24), '@10.0.0.7:6379'),
    glue('mongodb+srv://app:', 'correct%40horse', '@c0.mongo.porch.dev/x'),
    glue('amqp://worker:', 'pa$$w0rd!9', '@mq.porch.dev'),
  ],
};

for (const [kind, texts] of Object.entries(REFUSED)) {
  test(`refused: ${kind}`, () => {
    for (const text of texts) {
      assert.equal(findSecret(text), kind, text);
      assert.equal(findSecret(`RESULT: it works with ${text}, I think.`), kind, text);
      assert.equal(findSecret(JSON.stringify({ before: 'line\n', text: `\n${text}\n` })), kind, text);
      assert.equal(findSecret(`${'All is well. '.repeat(600)}\n\`${text}\``), kind, text);
      assert.equal(findSecret(`\u8BF7\u770B${text}\uFF0C\u8C22\u8C22`), kind, text);
    }
  });
}

const rsaKey = (d: string): string => JSON.stringify({ kty: 'RSA', d });
const token = (): string => glue('gh', 'p_', drawn(36));
const toWide = (text: string): string =>
  Array.from(text, (letter) => String.fromCodePoint(letter.charCodeAt(0) + 0xfee0)).join('');
const login = (password: string, host = 'porch.dev'): string => `https://app:${password}@${host}/`;

/** By a rule: texts, and what is found in them. */
const RULES: Readonly<Record<string, readonly (readonly [kind: string | null, ...texts: string[]])[]>> = {
  'four letters that stand in a long key by chance make no placeholder of it': [
    ['a private key', rsaKey(`${drawn(80)}YOUR${drawn(80)}`)],
    [null, rsaKey(`${drawn(12)}YOUR${drawn(12)}`), rsaKey(`${drawn(80)}placeholder${drawn(80)}`)],
  ],
  'a token after a percent-encoded character or a string escape is found': [
    ['a GitHub token', `https://porch.dev/?next=%2Flogin%3Ftoken%3D${token()}%26x=1`],
    ['a GitHub token', `'one\\n${token()}\\ntwo'`, `x%5F${token()}`],
    ['a JSON Web Token', `https://porch.dev/?redirect=x%3D${jwt({ sub: 'u-88213' })}`],
  ],
  'invisible characters and full-width letters do not hide a credential': [
    ['a GitHub token', token().split('').join('\u200B'), token().replace('_', '_\u00AD\u2060')],
    ['a GitHub token', toWide(token()), `e\u0301${'\u0301'.repeat(20)} ${token()}`],
  ],
  'a placeholder beside a credential does not hide it': [
    [null, glue('gh', 'p_', 'x'.repeat(36))],
    ['a GitHub token', `${glue('gh', 'p_', 'x'.repeat(36))} ${token()}`],
  ],
  'a token that contains a placeholder word, or no random characters, is accepted': [
    ...[
      ...['changeme', 'dummy', 'Example', 'Fake', 'PLACEHOLDER', 'redacted', 'sample', 'Secret', 'your'],
      ...['xxxx', '12345678', 'abcdefgh'],
    ].map((word) => [null, glue('gh', 'p_', drawn(9), word, drawn(36))] as const),
    [null, 'ghp_the_token_of_yore_which_is_here_no_more', 'ghp_THIS_IS_WHERE_THE_TOKEN_OF_MINE_BELONGS'],
    [null, `ghp_${'aAbBcC'.repeat(6)}`],
  ],
  'an address with a placeholder for a password or with a reserved host is accepted': [
    ...[
      ...['porch.invalid', 'db.localhost', 'porch.test', '127.0.0.1', 'db.example.org', 'example.com'],
      ...['localhost', 'db'],
    ].map((host) => [null, login(drawn(12), host)] as const),
    [null, ...['%PASSWORD%', '~~~~~~', 'changeme1', '$DB_PASSWORD'].map((word) => login(word))],
    [null, ...['my-db-password', 'app', 'hf_token'].map((word) => login(word))],
    ['a URL with a password', login(drawn(12), 'test.porch.dev')],
  ],
  'a token prefix within a word starts no credential': [
    [null, glue('x', 'AK', 'IA', drawn(16, BASE32)), glue('ta', 'sk', '_live_', drawn(24))],
    [null, glue(drawn(9), '-h', 'f_', drawn(34, LETTERS))],
  ],
};

for (const [rule, rows] of Object.entries(RULES))
  test(rule, () => {
    for (const [kind, ...texts] of rows) for (const text of texts) assert.equal(findSecret(text), kind, text);
  });

test('a kind is an article and a few plain words that no credential contains', () => {
  for (const [kind, texts] of Object.entries(REFUSED)) {
    assert.match(kind, /^an? [A-Za-z0-9 .-]{3,40}$/);
    for (const text of texts) assert.ok(!text.includes(findSecret(text) ?? text));
  }
});

test('a token whose underscores, hyphens or letters are percent-encoded is found', () => {
  const tokens = {
    'a GitHub token': [token(), glue('github', '_pat_', drawn(22), '_', drawn(59))],
    'a Stripe secret key': [glue('sk', '_live_', drawn(24))],
    'an Anthropic API key': [glue('sk-', 'ant-api03-', drawn(93), 'AA')],
    'a Supabase secret key': [glue('sb', '_secret_', drawn(31))],
  };
  for (const [kind, texts] of Object.entries(tokens))
    for (const one of texts)
      for (const encoded of [
        one.replaceAll('_', '%5F').replaceAll('-', '%2D'),
        one.replaceAll('_', '%5f').replaceAll('-', '%2d').replace('s', '%73').replace('g', '%67'),
      ])
        assert.equal(findSecret(`https://porch.dev/?a=1&token=${encoded}&b=2`), kind, encoded);
});

const uuid = (version: 4 | 7): string => {
  const digits = hex(32);
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${version}${digits.slice(13, 16)}-a${digits.slice(17, 20)}-${digits.slice(20)}`;
};
const digest = (algorithm: string, encoding: 'hex' | 'base64', length: number): string =>
  createHash(algorithm).update(bytes(length)).digest(encoding);
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const picture = (length: number): string => Buffer.concat([PNG, bytes(length)]).toString('base64');

const digits = (length: number): string => drawn(length, '0123456789');

const accessKeyId = (): string => glue('AK', 'IA', drawn(16, BASE32));

/** The samples of RFC 8410, RFC 7517, RFC 7515, RFC 8037, RFC 7617, NIP-19 and BIP 32. */
const PUBLISHED = [
  '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n-----END PRIVATE KEY-----',
  '-----BEGIN PRIVATE KEY-----\nMHICAQEwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\noB8wHQYKKoZIhvcNAQkJFDEPDA1DdXJkbGUgQ2hhaXJzgSEAGb9ECWmEzf6FQbrB\nZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PRIVATE KEY-----',
  '{"kty":"EC","crv":"P-256","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4","d":"870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE"}',
  '{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","d":"jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"}',
  '{"kty":"OKP","crv":"Ed25519","d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}',
  'Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==',
  'Authorization: Basic dXNlcm5hbWU6cGFzc3dvcmQ=',
  'nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5',
  'xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi',
  'xprv9uHRZZhk6KAJC1avXpDAp4MDc3sQKNxDiPvvkX8Br5ngLNv1TxvUxt4cV1rGL5hj6KCesnDYUhd7oWgT11eZG7XnxHrnYeSvkzY7d2bhkJ7',
  'xprv9wTYmMFdV23N2TdNG573QoEsfRrWKQgWeibmLntzniatZvR9BmLnvSxqu53Kw1UmYPxLgboyZQaXwTCg8MSY3H2EU4pWcQDnRnrVA1xe8fs',
  'xprv9z4pot5VBttmtdRTWfWQmoH1taj2axGVzFqSb8C9xaxKymcFzXBDptWmT7FwuEzG3ryjH4ktypQSAewRiNMjANTtpgP4mLTj34bhnZX7UiM',
  'xprvA2JDeKCSNNZky6uBCviVfJSKyQ1mDYahRjijr5idH2WwLsEd4Hsb2Tyh8RfQMuPh7f7RtyzTtdrbdqqsunu5Mm3wDvUAKRHSC34sJ7in334',
  'xprvA41z7zogVVwxVSgdKUHDy1SKmdb533PjDz7J6N6mV6uS3ze1ai8FHa8kmHScGpWmj4WggLyQjgPie1rFSruoUihUZREPSL39UNdE3BBDu76',
];

const ORDINARY: Record<string, string[]> = {
  ids: [
    ...times(6, () => uuid(4)),
    ...times(6, () => uuid(7)),
    ...['post', 'guest', 'project', 'note'].map((kind) => `See ${kind}_${uuid(7)}, which I replied to.`),
    times(100, () => `post_${uuid(7)}`).join('\n'),
    `cus_${drawn(14)} paid pi_${drawn(24)} and in_${drawn(24)}`,
    `arn:aws:iam::${digits(12)}:role/porch and AIDA${drawn(16, BASE32)} and AROA${drawn(16, BASE32)}`,
    `AC${hex(32)} is the account, SM${hex(32)} the message`,
  ],
  git: [
    `git clone git@github.com:porch/light.git && git checkout ${hex(40)}`,
    `since ${hex(12)} the file begins with -----BEGIN PRIVATE KEY----- and I removed it in ${hex(40)}`,
  ],
  hashes: [
    ...times(4, () => digest('sha256', 'hex', 30)),
    ...times(4, () => digest('sha512', 'hex', 30)),
    ...times(3, () => `"integrity": "sha512-${digest('sha512', 'base64', 30)}"`),
    `sha256-${digest('sha256', 'base64', 30)}`,
    `cache key-${hex(32)} was hit`,
    times(80, () => `${hex(128)}  ${drawn(8)}.bin`).join('\n'),
    `$2b$12$${drawn(53)}`,
    `tx 0x${hex(64)} from 0x${hex(40)}`,
    `bc1q${drawn(38, BECH32)} and 1${drawn(33, BASE58)}`,
    `xpub${drawn(107, BASE58)}`,
  ],
  'encoded bytes': [
    ...[30, 300, 3000, 5900].map(picture),
    ...times(6, (index) => base64(500 * (index + 1))),
    ...times(6, (index) => bytes(700 * (index + 1)).toString('base64url')),
    `//# sourceMappingURL=data:application/json;base64,${base64url({ version: 3, mappings: drawn(900) })}`,
    hex(7990),
    drawn(7990, BASE32),
    digits(7990),
    `${base64url({ page: 3 })}.${base64url({ size: 20 })}.${drawn(40)}`,
  ],
  'public keys': [
    ed25519.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    p256.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    rsa.publicKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
    JSON.stringify(rsa.publicKey.export({ format: 'jwk' })),
    JSON.stringify(p256.publicKey.export({ format: 'jwk' })),
    pem('CERTIFICATE'),
    pem('PGP PUBLIC KEY BLOCK', 900, 'Comment: mine\n\n'),
    `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${base64(32).slice(0, 43)} me@porch`,
    `SHA256:${base64(32).slice(0, 43)} me@porch (ED25519)`,
    `age1${drawn(58, BECH32)}`,
    `npub1${drawn(58, BECH32)}`,
    glue('pk', '_live_', drawn(24), ' is the key for browsers'),
    glue('sq', '0idp-', drawn(22), ' is the id of the application'),
  ],
  code: [
    "const token = process.env['GITHUB_TOKEN'];\nif (token === undefined) throw new Error('set GITHUB_TOKEN');",
    'headers: { Authorization: `Bearer ${process.env.API_TOKEN_2}` }',
    'curl -H "Authorization: Bearer $TOKEN" https://porch.dev/api/feed',
    `!function(e,t){"object"==typeof exports?t(exports):t(e.x={})}(this,(function(e){var t=1e3,n=${digits(9)};e.a=t/n}));`,
    '#define SK_BUFFER_LENGTH_FOR_THE_LARGEST_FRAME 4096\nstatic char sk_buffer[SK_BUFFER_LENGTH_FOR_THE_LARGEST_FRAME];',
    'my ($user, $pass) = @ENV{qw(DB_USER DB_PASS)}; print "$1\\n" if m{^(\\w+):(\\w+)@}x;',
    'env:\n  GITHUB_TOKEN: ${{ secrets.GITHUB_TOKEN }}\n  NPM_TOKEN: ${{ secrets.NPM_TOKEN }}',
    'auth:\n  password: ${PORCH_PASSWORD}\n  url: postgres://${PGUSER}:${PGPASSWORD}@${PGHOST}:5432/porch',
    '.sk-fading-circle-with-a-very-long-class-name-2 { animation: sk-bounce 1.2s infinite; } .sk-circle12:before { top: 0 }',
    '/^(?:ghp|gho|ghu)_[A-Za-z0-9]{36}$/',
    'xox[baprs]-[0-9]{10,13}-[0-9a-zA-Z]{24}',
    'const gho_st = 1, ghs_t = gho_st, SG = { a: { b: 1 } }; SG.a.b += dapi.call(ntn_, hvs.x);',
    'MTAw.length + OTk.abcdef.toString().padStart(27)',
    'glide-and-glue-pat-attern: glpat-the-prefix-of-gitlab-tokens',
  ],
  'logs and stacks': [
    'Traceback (most recent call last):\n  File "/srv/a.py", line 3, in <module>\n    os.environ["OPENAI_API_KEY"]\nKeyError: \'OPENAI_API_KEY\'',
    `::add-mask::***\nAuthorization: Bearer ***\ntoken: ghp_****\nkey: sk-...${drawn(4)}`,
    times(
      60,
      (index) =>
        `${index} ${hex(16)} ${digits(13)} ${uuid(4)} GET /a/${drawn(22)}?q=${drawn(30)} ${digits(3)}ms`,
    ).join('\n'),
  ],
  addresses: [
    `https://porch.dev/a/${drawn(60)}/${drawn(60)}?id=${drawn(80)}&sid=${hex(64)}#${drawn(40)}`,
    `https://porch.dev/?utm_source=a&gclid=${drawn(90)}&fbclid=IwAR${drawn(55)}`,
    'postgres://localhost:5432/porch',
    'postgres://app@db.porch.dev/porch',
    'git+ssh://git@github.com/porch/light.git#v1',
    'Write to me@porch.dev, me+feed@sub.porch.dev or mailto:light@porch.dev?subject=hi',
    '\u670D\u52A1\u5728http://porch.dev:8080\uFF0C\u8054\u7CFBme@porch.dev',
  ],
  'people and numbers': [`${digits(9)}:${digits(9)}`, `12:30:45.${digits(9)}`, 'A3-paper, A4-paper, A3-size'],
  notations: [drawn(3000, 'ACGT'), 'AIzawa, AKIApur and SKedaddle'],
  data: [
    JSON.stringify(
      { id: uuid(4), tags: ['a', 'b'], secret: false, token: null, key: hex(8), nested: { password: '***' } },
      null,
      2,
    ),
    `id,name,hash\n${times(50, (index) => `${index},${drawn(8)},${hex(40)}`).join('\n')}`,
    `"node_modules/a": { "resolved": "https://${glue('registry.npm', 'js.org')}/a/-/a-1.0.0.tgz", "integrity": "sha512-${base64(64)}" }`,
  ],
  prose: [
    '\u6211\u4EEC\u5728\u95E8\u5ECA\u4E0A\u8C08\u8BBA\u4EE4\u724C\u548C\u5BC6\u94A5\u3002',
    'z\u0301\u0316\u0301a\u0316l\u0301g\u0316o',
  ],
  'texts with public keys': [
    `https://porch.s3.eu-central-1.amazonaws.com/a.png?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${accessKeyId()}%2F20260105%2Feu-central-1%2Fs3%2Faws4_request&X-Amz-Date=20260105T100000Z&X-Amz-Expires=3600&X-Amz-SignedHeaders=host&X-Amz-Signature=${hex(64)}`,
    `https://porch.s3.amazonaws.com/a.png?AWSAccessKeyId=${accessKeyId()}&Expires=1767607200&Signature=${drawn(27)}%3D`,
    `<a href="https://porch.s3.amazonaws.com/a.png?Expires=1767607200&amp;AWSAccessKeyId=${accessKeyId()}">`,
    `Authorization: AWS4-HMAC-SHA256 Credential=${accessKeyId()}/20260105/us-east-1/s3/aws4_request, SignedHeaders=host`,
    `<script src="https://maps.googleapis.com/maps/api/js?key=${glue('AI', 'za', 'Sy', drawn(33))}&callback=init">`,
    `const firebaseConfig = { apiKey: "${glue('AI', 'za', 'Sy', drawn(33))}", authDomain: "porch.firebaseapp.com" };`,
    `NEXT_PUBLIC_FIREBASE_API_KEY=${glue('AI', 'za', 'Sy', drawn(33))}`,
    jwt({ iss: 'supabase', ref: drawn(20), role: 'anon', iat: 1767607200, exp: 2083183200 }),
    `const supabase = createClient(url, "${jwt({ role: 'anon', iss: 'supabase' })}");`,
    'ftp://anonymous:guest@ftp.porch.dev/pub/',
    'ftp://anonymous:me%40porch.dev@ftp.gnu.org/gnu',
    'https://demo:demo1234@try.porch.dev',
    'https://guest:guest@try.porch.dev or https://test:test123@try.porch.dev',
    ...PUBLISHED,
    `git switch sk-${hex(40)} # a branch named after a commit`,
    `${'A checksum follows the name of the file. '.repeat(8)}dapi${hex(32)} and SK${hex(32)}.png`,
    `${'Each entry is a prefix and an MD5 digest. '.repeat(8)}`,
  ],
  'texts about credentials': [
    'Use a ghp_ token, not a github_pat_ one.',
    'Keys of Anthropic begin with sk-ant-, those of OpenAI with sk-proj-.',
    'Never paste a -----BEGIN PRIVATE KEY----- block here, nor what follows it, whoever may ask you for it in a message.',
    '-----BEGIN OPENSSH PRIVATE KEY-----\n...\n-----END OPENSSH PRIVATE KEY-----',
    '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC...\n-----END PRIVATE KEY-----',
    '-----BEGIN PRIVATE KEY----- <your-key> -----END PRIVATE KEY-----',
    glue('AK', 'IA', 'IOSFODNN7EXAMPLE'),
    glue('aws_secret_access_key = wJalrXUtnFEMI/K7MDENG', '/bPxRfiCYEXAMPLEKEY'),
    `AKIA${'X'.repeat(16)}`,
    `ghp_${'x'.repeat(36)}`,
    'ghp_...',
    glue('gh', 'p_abcdefghij', 'klmnopqrstuvwxyz0123456789'),
    'github_pat_your_token_goes_here_and_it_is_much_longer_than_this_one_is_now',
    'sk-ant-api03-your-key-here-0000000000000000000000000',
    `sk-${'1234567890'.repeat(5)}`,
    `sk-proj-${'0'.repeat(60)}`,
    glue('sk', '_test_', '4eC39HqLyjWDarjtT1zdp7dc', ' is in the documentation of Stripe'),
    glue('xo', 'xb-123456789012-', '1234567890123-4mt0t4l1yf3k3t0k3n'),
    glue('https://hooks.sl', 'ack.com/services/T00000000/B00000000/', 'X'.repeat(24)),
    glue('123456', ':ABC-DEF1234ghIkl', '-zyx57W2v1u123ew11', ' is how the token of a Telegram bot looks'),
    `AIza${'A'.repeat(35)}`,
    glue('//registry.npm', 'js.org/:_authToken=${NPM_TOKEN}'),
    `dapi${'0'.repeat(32)}`,
    'Authorization: Bearer process.env.PORCH_TOKEN since 2026',
    'Authorization: Bearer YOUR_API_TOKEN_GOES_HERE_2',
    jwt({ sub: '1234567890', name: 'John Doe', iat: 1516239022 }),
    jwt({ sub: 'u-88213' }, { alg: 'none' }),
    ...['https://user:password@porch.dev', 'https://user:pass@db.porch.dev'],
    ...['postgres://postgres:postgres@db.porch.dev', 'https://me:hunter2@example.com'],
    ...['redis://:devpassword@localhost:6379', 'postgres://app:t0psecret1@localhost/app'],
    ...['https://<user>:<password>@porch.dev', 'https://user:***@porch.dev'],
    ...['amqp://user:$PASS@mq.porch.dev', 'mysql://root:{password}@db.porch.dev'],
    ...['https://user:xxxxxxxx@porch.dev', 'ftp://anonymous:anonymous@ftp.porch.dev'],
    glue(
      'AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1',
      'OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==',
      " is the emulator's",
    ),
    'A bearer of good news came at 12:00 today.',
  ],
};

for (const [name, texts] of Object.entries(ORDINARY)) {
  test(`accepted: ${name}`, () => {
    for (const text of texts) {
      assert.equal(findSecret(text), null, text);
      assert.equal(findSecret(JSON.stringify({ text })), null, text);
    }
  });
}

test('all ordinary texts are accepted joined into one', () => {
  const texts = Object.values(ORDINARY).flat();
  assert.equal(findSecret(texts.join('\n')), null);
});

test('a text of 256 KB is searched to the end', () => {
  for (const unit of ['a', 'ghp_', 'eyJ', '-----BEGIN ', '://a:bbbb@a.', 'authorization: bearer ']) {
    const text = unit.repeat(Math.ceil((256 * 1024) / unit.length));
    assert.equal(findSecret(text), null, unit);
    assert.equal(findSecret(`${text} ${token()}`), 'a GitHub token', unit);
  }
});
