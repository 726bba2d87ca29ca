import assert from 'node:assert/strict';
import test from 'node:test';
import { HOLD_PREFIX } from '#store/port/records.ts';
import type { Fields } from '#tool/define-tool.ts';
import { WorkspaceError } from '#workspace/service/errors.ts';
import { keyFor, signerFor } from '../support/author-key.ts';
import {
  openWorld,
  Stage,
  startServer,
  type Answer,
  type Server,
  type World,
} from '../support/raced-world.ts';
import { erase, hide, unhide } from '../support/store/writes.ts';

// A request reads the store several times, and another process may change it between any two of these reads.

/** Of all reads of all requests with all changes every so many-th is raced: all of them take five minutes. */
const STRIDE = 53;

const HELD = `${HOLD_PREFIX} 2026-12-24T10:00Z: several networks reported it`;
const START = '2026-03-02T09:00:00.000Z';
const MINUTE_MS = 60_000;
/** After an hour lists over all threads show what is confirmed. */
const LATER_MS = 5 * 60 * MINUTE_MS;

type Ids = Readonly<Record<string, string>>;

/** Who signs a message, what it says, and what it replies to. Braces name earlier messages. */
type Sent = readonly [as: string, by: string | undefined, message: string, replyTo?: string];

const IDEA =
  'IDEA: wells of the valley\nParts: one; two; three\nUseful outcome: a list of wells with their depth';
const SENT: readonly Sent[] = [
  ['idea', 'opener', IDEA],
  ['work', 'worker', 'WORK: the first part\nPart: one\nStep I am taking: {idea}', 'idea'],
  [
    'result',
    'worker',
    'RESULT: part one\nPart: one\nEnds: {work}\nEvidence: a list, see {idea} and {work}',
    'idea',
  ],
  ['other', 'second', 'RESULT: part two\nPart: two\nEvidence: counted in four villages', 'idea'],
  ['review', 'opener', 'REVIEW: of {result}\nOutcome: confirmed\nEvidence: looked at ten rows', 'result'],
  ['dissent', 'third', 'REVIEW: of {result}\nOutcome: not confirmed\nEvidence: see {other}', 'result'],
  ['reply', 'third', 'A word on {result} and {review}: the depth is in metres', 'idea'],
  ['open', 'second', 'WORK: the third part\nPart: three\nStep I am taking: {idea}', 'idea'],
  [
    'edition',
    'worker',
    'RESULT: part one again\nPart: one\nCorrects: {result}\nEvidence: row three is right now',
    'idea',
  ],
  ['late', 'opener', 'REVIEW: of {other}\nOutcome: confirmed\nEvidence: called two villages', 'other'],
  [
    'elsewhere',
    'third',
    'IDEA: pumps of the valley\nUseful outcome: a list of pumps, after {idea} and {result}',
  ],
  ['copy', 'fourth', IDEA],
  ['plain', undefined, 'Hello, I read {idea}'],
  ['answer', undefined, 'Yes, see {result}', 'plain'],
  ['single', 'second', 'RESULT: a count of bridges\nEvidence: walked along the river'],
];

async function prepareWorld(): Promise<{ readonly world: World; readonly ids: Ids }> {
  const world = await openWorld(START);
  const { call } = startServer(world, world.store);
  const ids: Record<string, string> = {};
  for (const [as, by, text, replyTo] of SENT) {
    const message = text.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '');
    const signed = by !== undefined && { authorKey: keyFor(by), name: by };
    const { id } = await call('post_message', {
      message,
      ...signed,
      ...(replyTo && { replyTo: ids[replyTo] }),
    });
    ids[as] = String(id);
    world.clock.advance(MINUTE_MS);
  }
  await call('sign_guestbook', { name: 'Lantern', note: 'Hello' });
  const { id: projectId } = await call('create_project', {
    title: 'Wells',
    summary: 'All wells',
    by: 'Lantern',
  });
  await call('add_note', { projectId, name: 'Lantern', note: 'A note' });
  world.clock.advance(LATER_MS);
  return { world, ids: { ...ids, project: String(projectId) } };
}

interface Change {
  readonly name: string;
  /** What came before the request. */
  readonly earlier?: (world: World) => Promise<unknown>;
  readonly run: (world: World) => Promise<unknown>;
}

/** @returns a function that publishes in a world by another process */
const postAs =
  (other: Server, stage: Stage) =>
  (world: World, by: string, message: string, replyTo?: string): Promise<unknown> => {
    stage.play(world);
    const signed = { name: by, authorKey: keyFor(by) };
    return other.call('post_message', { message, ...signed, ...(replyTo && { replyTo }) });
  };

function changesOf(ids: Ids, post: ReturnType<typeof postAs>) {
  const { idea = '', result = '' } = ids;
  return [
    ...['idea', 'reply', 'result', 'review', 'single'].flatMap((name): Change[] => {
      const id = ids[name] ?? '';
      return [
        { name: `a hide of ${name}`, run: ({ store }) => hide(store, id) },
        { name: `a hold of ${name}`, run: ({ store }) => hide(store, id, HELD) },
        { name: `an erase of ${name}`, run: ({ store }) => erase(store, id) },
        {
          name: `an unhide of ${name}`,
          earlier: ({ store }) => hide(store, id),
          run: ({ store }) => unhide(store, id),
        },
      ];
    }),
    { name: 'a message', run: (world) => post(world, 'fifth', `A word on ${result}`, idea) },
    {
      name: 'a WORK',
      run: (world) => post(world, 'worker', `WORK: two\nPart: two\nStep I am taking: ${idea}`, idea),
    },
    {
      name: 'a REVIEW that changes a standing',
      run: (world) =>
        post(world, 'opener', `REVIEW: of ${result}\nOutcome: not confirmed\nEvidence: looked again`, result),
    },
    {
      name: 'the end of the IDEA',
      run: (world) => post(world, 'opener', `CHANGE: done\nEnds: ${idea}`, idea),
    },
  ] satisfies Change[];
}

interface Request {
  readonly name: string;
  readonly ask: (server: Server) => Promise<Answer>;
}

function requestsOf(ids: Ids): Request[] {
  const { idea = '', result = '', work = '', reply = '', project = '' } = ids;
  const news = `/api/updates?after=${START}&wait=0`;
  const keys = ['opener', 'worker', 'second'];
  const posts = ['result', 'review', 'reply', 'single', 'elsewhere', 'plain', 'copy'].map(
    (name) => ids[name] ?? '',
  );
  const lists = ['ideas', 'working', 'overdue', 'toReview', 'partlyConfirmed', 'disputed', 'confirmed'];
  const addresses = [
    ...['/api/start', '/api/moderation', '/api/log?limit=3', '/api/guestbook', '/api/projects'],
    ...['', '?threads=true', '?view=preview&limit=3', '?q=wells&limit=2', '?prefix=RESULT'].map(
      (query) => `/api/feed${query}`,
    ),
    '/api/feed?name=worker',
    ...['', '&limit=2', '&view=threads', '&view=threads&prefix=RESULT&limit=1', `&posts=${idea}`].map(
      (query) => news + query,
    ),
    ...[`&posts=${result}&view=threads`, `&except=${idea}&limit=1`, '&any=wells%20pumps&view=preview'].map(
      (query) => news + query,
    ),
    `/api/updates?after=${work}&wait=0&prefix=REVIEW`,
    ...['', '?q=wells', ...lists.map((list) => `?list=${list}&limit=1`)].map((query) => `/api/work${query}`),
    ...['?limit=1', '?whole=true&limit=2', '?whole=true&view=preview', '?view=preview'].map(
      (query) => `/api/posts/${idea}${query}`,
    ),
    ...[idea, ...posts].flatMap((id) =>
      ['', '?whole=true', '?view=state'].map((query) => `/api/posts/${id}${query}`),
    ),
    ...[idea, ...posts].flatMap((id) =>
      ['', '.md', '.txt', '/feed.atom', '/preview.png'].map((end) => `/posts/${id}${end}`),
    ),
    ...keys.map((key) => `/api/posts/${idea}?view=state&viewer=${signerFor(key, idea)}`),
    ...keys.map((key) => `/posts/${idea}?viewer=${signerFor(key, idea)}`),
    `/posts/${idea}?after=2026-03-02T09:03:00Z`,
    ...['/feed.xml', '/feed.json', '/feed.atom?q=wells', '/results.atom', '/results.json'],
    ...['/feed.atom?standing=confirmed', '/feed.atom?standing=refuted'],
    ...['/feed.json?standing=confirmed&q=part', '/feed?since=2026-03-01', '/feed?q=libraries'],
    ...['/', '/index.md', '/feed', '/feed.md', '/feed?q=wells', '/feed?q=part&standing=confirmed'],
    ...['/work', '/work.md', '/work?list=confirmed', '/results', '/results.md', '/moderation', '/projects'],
    ...['/archive', '/archive/2026-03-02', '/archive/2026-03-02.md'],
    ...[`/projects/${project}`, `/api/projects/${project}`, '/guestbook', '/about', `/report?id=${reply}`],
    ...['/llms.txt', '/healthz', '/openapi.json', '/.well-known/porchlight.json'],
  ];
  const tools: readonly [name: string, args: object][] = [
    ['get_started', {}],
    ['find_work', {}],
    ['read_feed', {}],
    ['read_thread', { postId: idea, whole: true }],
    ['read_thread', { postId: reply, view: 'state' }],
    ['wait_for_messages', { after: START, waitSeconds: 0 }],
  ];
  return [
    ...addresses.map((name): Request => ({ name, ask: ({ get }) => get(name) })),
    ...keys.flatMap((key) =>
      ['/api/start', news, `${news}&view=threads`, `${news}&limit=1`].map(
        (name): Request => ({ name: `${name} of ${key}`, ask: ({ get }) => get(name, keyFor(key)) }),
      ),
    ),
    ...tools.map(
      ([name, args]): Request => ({
        name: `${name} ${JSON.stringify(args)}`,
        ask: ({ rpc }) => rpc('tools/call', { name, arguments: args }),
      }),
    ),
    ...[`porchlight://posts/${idea}`, `porchlight://posts/${reply}`, 'porchlight://feed'].map(
      (uri): Request => ({ name: uri, ask: ({ rpc }) => rpc('resources/read', { uri }) }),
    ),
  ];
}

const idsIn = ({ text }: Answer): string[] =>
  text.match(/(?:post|guest|project|note)_[\da-f]{8}-[\da-f-]{27}/g) ?? [];

async function visibleIds({ store: { read } }: World): Promise<string[]> {
  const pages = await Promise.all(
    (['post', 'guest', 'project', 'note'] as const).map((kind) =>
      read.page(kind, { order: 'oldest', limit: 100 }),
    ),
  );
  return pages.flat().map(({ record }) => record.id);
}

test('a change between any two reads of a request leaves an answer of before, of after or of both, and nothing in a cache', async () => {
  const { world: base, ids } = await prepareWorld();
  const [stage, freshStage, otherStage] = [new Stage(base), new Stage(base), new Stage(base)];
  const [server, fresh] = [startServer(base, stage.store), startServer(base, freshStage.store)];
  const other = startServer(base, otherStage.store, '999999999999');
  const changes = changesOf(ids, postAs(other, otherStage));
  const faults: string[] = [];
  /** The answers where nothing came before the request, and the number of their reads. */
  const usual = new Map<string, { readonly answer: Answer; readonly reads: number }>();
  let turn = 0;
  let raced = 0;
  for (const { name, earlier, run } of changes) {
    const before = await base.copy();
    await earlier?.(before);
    const after = await before.copy();
    await run(after);
    const visible = new Set([...(await visibleIds(before)), ...(await visibleIds(after))]);
    for (const request of requestsOf(ids)) {
      let first = earlier === undefined ? usual.get(request.name) : undefined;
      if (first === undefined) {
        stage.play(before);
        first = { answer: await request.ask(server), reads: stage.reads.length };
        if (earlier === undefined) usual.set(request.name, first);
      }
      const { answer: answerBefore, reads } = first;
      let answerAfter: Answer | undefined;
      for (let at = 1; at <= reads; at++) {
        turn += 1;
        if (turn % STRIDE !== 0) continue;
        raced += 1;
        if (answerAfter === undefined) {
          freshStage.play(after);
          answerAfter = await request.ask(fresh);
        }
        const answers = [answerBefore, answerAfter];
        const world = await before.copy();
        const isAfter = raced % 2 === 0;
        const change = async (method: string): Promise<void> => {
          await run(world);
          // Another request may have brought the lists of work up to date. It would wait for a read of steps.
          if (isAfter && method !== 'steps') await server.workspace.boards.overview(world.clock.now());
        };
        stage.play(world, { at, isAfter, change });
        const answer = await request.ask(server);
        const where = `${name} ${isAfter ? 'after' : 'before'} read ${at} of ${request.name}`;
        const expect = (isRight: boolean, what: string): void => {
          if (!isRight) faults.push(`${what}: ${where}`);
        };
        expect(server.faults.splice(0).length === 0 && answer.status < 500, 'a fault');
        expect(
          answers.some(({ status }) => status === answer.status),
          `a status ${answer.status}`,
        );
        const known = new Set([...visible, ...answers.flatMap(idsIn)]);
        expect(
          idsIn(answer).every((id) => known.has(id)),
          'an id of what was never visible',
        );
        const anchors = [...answer.text.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id ?? '');
        expect(
          anchors.every((id) => answer.text.includes(` id="${id}"`)),
          'a link to a place that is not there',
        );
        const { status, location, text } = await request.ask(server);
        const isFresh = status === answerAfter.status && location === answerAfter.location;
        expect(
          isFresh && text === answerAfter.text,
          'a second answer that differs from that of a new server',
        );
        await world.store.close();
      }
    }
    await Promise.all([before.store.close(), after.store.close()]);
  }
  await base.store.close();
  assert.ok(raced > 500, `${raced} of ${turn}`);
  assert.deepEqual(faults, []);
});

interface Outcome {
  /** The receipt of a message that is stored. */
  readonly receipt?: Fields;
  /** Of a refused one. */
  readonly code?: string;
}

async function publish(server: Server, args: Fields): Promise<Outcome> {
  try {
    return { receipt: await server.call('post_message', args) };
  } catch (error) {
    if (error instanceof WorkspaceError) return { code: error.failure.code };
    throw error;
  }
}

test('a change between any two steps of a write refuses it as a new server would, or stores it once', async () => {
  const { world: base, ids } = await prepareWorld();
  const { idea = '', result = '', reply = '' } = ids;
  const [stage, otherStage] = [new Stage(base), new Stage(base)];
  const server = startServer(base, stage.store, '888888888888');
  const other = startServer(base, otherStage.store, '999999999999');
  const post = postAs(other, otherStage);
  const work = `WORK: two\nPart: two\nStep I am taking: ${idea}`;
  const writes = [
    { message: work, replyTo: idea },
    { message: `REVIEW: of ${result}\nOutcome: confirmed\nEvidence: looked at all rows`, replyTo: result },
    { message: `A word on ${result}`, replyTo: reply },
    { message: `RESULT: as ${result} says` },
  ];
  const changes: Change[] = [
    ...changesOf(ids, post).filter((change) => !/ hold | (?:review|single)$/.test(change.name)),
    { name: 'an equal message', run: (world) => post(world, 'fifth', work, idea) },
    { name: 'an equal message of a trusted agent', run: (world) => post(world, 'opener', work, idea) },
  ];
  const faults: string[] = [];
  for (const { name, earlier, run } of changes)
    for (const write of writes)
      for (let at = 1; ; at++) {
        const world = await base.copy();
        await earlier?.(world);
        const [newest] = await world.store.read.page('post', { order: 'newest', limit: 1 });
        const args = {
          ...write,
          authorKey: keyFor('fifth'),
          name: 'fifth',
          readUpTo: newest!.record.createdAt,
        };
        const after = await world.copy();
        await run(after);
        stage.play(after);
        const { code } = await publish(server, args);
        const isAfter = at % 2 === 0;
        stage.play(world, { at, isAfter, change: () => run(world) });
        const sent = { ...args, idempotencyKey: 'key-00001' };
        const outcome = await publish(server, sent);
        const step = stage.reads[at - 1];
        const where = `${name} ${isAfter ? 'after' : 'before'} step ${at} (${step}) of ${write.message.slice(0, 9)}`;
        if (server.faults.splice(0).length > 0 || outcome.code === 'internal')
          faults.push(`a fault: ${where}`);
        const again = await publish(server, sent);
        const isSame =
          again.receipt?.['duplicate'] === true && again.receipt['id'] === outcome.receipt?.['id'];
        if (outcome.receipt !== undefined && !isSame) faults.push(`not repeated: ${where}`);
        // What comes after the write leaves its outcome as it was before.
        const isLate = step === undefined || (isAfter && step === 'write');
        if (!isLate && outcome.code !== undefined && outcome.code !== code)
          faults.push(`${outcome.code}, not ${code}: ${where}`);
        await Promise.all([world.store.close(), after.store.close()]);
        if (step === undefined) break;
      }
  await base.store.close();
  assert.deepEqual(faults, []);
});
