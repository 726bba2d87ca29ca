import assert from 'node:assert/strict';
import test from 'node:test';
import { HOLD_PREFIX } from '#store/port/records.ts';
import { callTool } from '#tool/call-tool.ts';
import { keyFor, signerFor } from '../../support/author-key.ts';
import { NO_LIMITS, setUp, type TestApp } from '../../support/http/test-app.ts';
import { hide, unhide } from '../../support/store/writes.ts';
import { firstOf } from '../../support/thorough.ts';
import { SeededRandom } from '../../torture/support/random.ts';

const MINUTE_MS = 60_000;
const HELD = `${HOLD_PREFIX} 2026-12-24T10:00Z: several networks reported it`;
const LISTS = ['ideas', 'working', 'overdue', 'toReview', 'partlyConfirmed', 'disputed', 'confirmed'];
const KEYS = ['opener', 'member', 'other', 'late'];
const MESSAGES = 12;

/** A message, and the words that no other message has. */
interface Sent {
  readonly id: string;
  readonly prefix: string;
  readonly words: readonly string[];
}

/** Posts a thread whose messages each have a name, a title and a text of their own, many about each other. */
async function postThread(app: TestApp, random: SeededRandom): Promise<Sent[]> {
  const pick = <Item>(items: readonly Item[]): Item => items[random.below(items.length)]!;
  const post = app.tools.find(({ name }) => name === 'post_message')!;
  const sent: Sent[] = [];
  for (let n = 0; n < MESSAGES; n++) {
    const [first] = sent;
    const newest = (prefix: string): string | undefined => sent.findLast((one) => one.prefix === prefix)?.id;
    const prefix =
      n === 0 ? 'IDEA' : pick(['WORK', 'RESULT', 'RESULT', 'REVIEW', 'REVIEW', 'REVIEW', 'CHANGE']);
    const result = newest('RESULT');
    const words = ['name', 'title', 'text'].map((kind) => `zq${kind}x${n}y`);
    const [name = '', title = '', text = ''] = words;
    const key = n === 0 ? 'opener' : pick([...KEYS, undefined]);
    const part = n > 0 && key === 'opener' ? `zqpartx${n}y` : '';
    const about = prefix === 'REVIEW' && result !== undefined ? `Result being checked: ${result}` : '';
    const lines = [
      `${prefix}: ${title}`,
      about,
      prefix === 'REVIEW' ? `Outcome: ${pick(['confirmed', 'confirmed', 'not confirmed', 'withdrawn'])}` : '',
      n === 0 ? 'Parts: one; two; three' : '',
      part === '' ? '' : `Parts: ${part}`,
      prefix === 'WORK' || prefix === 'RESULT' ? `Part: ${pick(['one', 'two', 'three'])}` : '',
      prefix === 'RESULT' && result !== undefined && random.below(3) === 0 ? `Corrects: ${result}` : '',
      first !== undefined && key === 'opener' && random.below(2) === 0
        ? `${pick(['Trust', 'Distrust'])}: ${signerFor(pick(KEYS.slice(1)), first.id)}`
        : '',
      `Evidence: ${text}`,
    ];
    const { id } = await callTool(
      post,
      {
        message: lines.filter(Boolean).join('\n'),
        name,
        ...(key !== undefined && { authorKey: keyFor(key) }),
        ...(first !== undefined && { replyTo: random.below(3) === 0 ? pick(sent).id : first.id }),
      },
      { workspace: app.workspace, caller: { clientKey: `writer ${n}` } },
    );
    sent.push({ id: String(id), prefix, words: part === '' ? words : [...words, part] });
    app.clock.advance(MINUTE_MS);
  }
  return sent;
}

/** @returns the addresses of everything that has words of a thread */
function addressesOf(sent: readonly Sent[], word: string): string[] {
  const root = sent[0]!.id;
  const signers = KEYS.map((key) => signerFor(key, root));
  return [
    '/api/start',
    '/api/feed',
    '/api/feed?threads=true',
    '/api/feed?view=preview',
    `/api/feed?q=${word}`,
    `/api/updates?after=2026-03-01T00:00:00Z&wait=0`,
    `/api/updates?after=2026-03-01T00:00:00Z&wait=0&view=threads`,
    '/api/work',
    ...LISTS.map((list) => `/api/work?list=${list}`),
    '/api/moderation',
    '/api/log',
    ...['', '?whole=true', '?view=state', '?view=preview'].map((query) => `/api/posts/${root}${query}`),
    ...signers.map((signer) => `/api/posts/${root}?view=state&viewer=${signer}`),
    ...signers.map((signer) => `/posts/${root}?viewer=${signer}`),
    ...['', '.md', '.txt', '/feed.atom', '/preview.svg', '?view=whole', '?view=confirmed'].map(
      (end) => `/posts/${root}${end}`,
    ),
    ...sent.slice(1, 5).flatMap(({ id }) => [`/api/posts/${id}`, `/posts/${id}.txt`]),
    ...['/feed.xml', '/feed.atom', '/feed.json', '/results.atom', '/results.json'],
    ...[
      '/feed.atom?standing=confirmed',
      '/',
      '/feed',
      '/work',
      '/results',
      '/archive',
      '/archive/2026-03-02',
    ],
    ...['/moderation', '/about', '/agents', '/index.md', '/feed.md', '/work.md', '/results.md'],
    '/archive/2026-03-02.md',
    `/feed?q=${word}`,
    '/llms.txt',
    '/sitemap.xml',
  ];
}

/** @returns what every surface says, by address */
async function readAll(app: TestApp, sent: readonly Sent[], word: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  // A search says what was searched for.
  for (const address of addressesOf(sent, word)) {
    const { text } = await app.request(`GET ${address}`);
    found.set(address, address.includes('?q=') ? text.replaceAll(word, '') : text);
  }
  const root = sent[0]!.id;
  for (const uri of [`porchlight://posts/${root}`, 'porchlight://feed'])
    found.set(uri, (await app.rpc('resources/read', { uri })).text);
  for (const key of KEYS)
    for (const address of ['/api/start', '/api/updates?after=2026-03-01T00:00:00Z&wait=0']) {
      const headers = { Authorization: `Bearer ${keyFor(key)}` };
      found.set(`${address} of ${key}`, (await app.request(`GET ${address}`, { headers })).text);
    }
  const tools: [string, object][] = [
    ['get_started', {}],
    ['find_work', {}],
    ['read_thread', { postId: root, whole: true }],
    ['read_thread', { postId: root, view: 'state' }],
  ];
  for (const [name, args] of tools)
    found.set(
      `${name} ${JSON.stringify(args)}`,
      (await app.rpc('tools/call', { name, arguments: args })).text,
    );
  return found;
}

for (const seed of firstOf([1, 2, 3, 4, 5, 6]))
  test(`no surface has the name, the title, the text or the parts of a held message of thread ${seed}`, async (t) => {
    const app = await setUp(t, { empty: true, limits: NO_LIMITS });
    const sent = await postThread(app, new SeededRandom(seed));
    const shown = [...(await readAll(app, sent, 'nothing')).values()].join('\n');
    for (const { words } of sent)
      for (const word of words) assert.ok(shown.includes(word), `${word} is shown while nothing is held`);
    const left: string[] = [];
    let receipts = 0;
    /** What the receipts of a WORK and a RESULT say of other messages. */
    const readReceipts = async (held: string): Promise<[string, string][]> => {
      const replyTo = sent.find(({ id }) => id !== held)!.id;
      const found: [string, string][] = [];
      for (const prefix of ['WORK', 'RESULT']) {
        const message = `${prefix}: number ${++receipts}\nPart: one\nStep I am taking: ${replyTo}`;
        const body = { message, replyTo, authorKey: keyFor('late'), readUpTo: '2026-03-01T00:00:00Z' };
        const receipt = await app.request('POST /api/feed', { body });
        assert.equal(receipt.status, 201, receipt.text);
        found.push([`receipt of a ${prefix}`, receipt.text]);
      }
      return found;
    };
    for (const { id, prefix, words } of sent) {
      await hide(app.store, id, HELD);
      for (const [address, text] of [...(await readAll(app, sent, words[2]!)), ...(await readReceipts(id))])
        for (const word of words) if (text.includes(word)) left.push(`${word} of a ${prefix}: ${address}`);
      await unhide(app.store, id);
    }
    assert.deepEqual(left, []);
  });
