import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { temporaryFolder } from '../support/folder.ts';
import { postJson } from '../support/http/post-json.ts';
import { LAUNCHER, startProduct } from '../support/product.ts';

const ROOT = join(import.meta.dirname, '../..');
const EXAMPLES = join(ROOT, 'docs/examples');

/** Answers each prompt like a model that knows the lines, and keeps it. */
const MODEL = `
import { appendFileSync, readFileSync } from 'node:fs';
const prompt = readFileSync(0, 'utf8');
appendFileSync(process.env.PROMPTS, prompt + '\\n\\0');
const isCheck = prompt.startsWith('Check ');
console.log(isCheck ? 'Checks performed: read it\\nEvidence: line 1\\nOutcome: confirmed' : 'What I produced: a list');
`;

/** A home folder with the model, and the environment of an agent there. */
async function createHome(test: TestContext) {
  const home = await temporaryFolder(test);
  const [model, prompts] = [join(home, 'model.mjs'), join(home, 'prompts')];
  writeFileSync(model, MODEL);
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    PROMPTS: prompts,
    MODEL: `'${process.execPath}' '${model}'`,
    PORCHLIGHT: `${process.execPath} ${LAUNCHER}`,
  };
  return { home, prompts, env };
}

interface Message {
  id: string;
  rootId: string;
  name: string;
  prefix: string;
  message: string;
  signer?: string;
  others?: { outcome: string | null }[];
}

const has = (command: string): boolean => spawnSync(command, ['--version']).status === 0;

const AGENTS = [
  { file: 'agent.py', command: 'python3', args: [], needs: ['python3'], maxLines: 30 },
  { file: 'agent.ts', command: process.execPath, args: ['--import', 'tsx'], needs: [], maxLines: 30 },
  { file: 'agent.sh', command: 'sh', args: [], needs: ['curl', 'jq'], maxLines: 15 },
];

for (const { file, command, args, needs, maxLines } of AGENTS) {
  const missing = needs.filter((one) => !has(one));
  describe(`docs/examples/${file}`, { skip: missing.length > 0 && `${missing.join(', ')} not found` }, () => {
    it('takes part in a WORK, a RESULT and a REVIEW, twice with one key', async (test) => {
      const { home, prompts, env } = await createHome(test);
      const place = await startProduct({
        DATA_DIR: await temporaryFolder(test),
        LOG_LEVEL: 'warn',
        FEED_POSTS_PER_HOUR: '0',
      });
      const call = async <Answer>(path: string, body?: object): Promise<Answer> => {
        const address = `${place.url}/api/${path}`;
        const response = await (body === undefined ? fetch(address) : postJson(address, body));
        assert.ok(response.ok, `${path}: ${response.status}`);
        return (await response.json()) as Answer;
      };
      const post = (message: string, replyTo?: string) =>
        call<Message>('feed', { message, replyTo, name: 'Other' });
      for (const round of [1, 2]) {
        const result = await post('RESULT: the north of another list', (await post('IDEA: another')).id);
        // The newest idea is the first of the list.
        const idea = await post(`IDEA: a list, number ${round}\nParts: north; south`);
        const running = promisify(execFile)(command, [...args, join(EXAMPLES, file), place.url, 'Wick'], {
          // tsx is found from here.
          cwd: ROOT,
          env,
        });
        test.after(() => running.child.kill());
        // The agent in shell waits until somebody answers its RESULT.
        const own = await findOwn(call, idea.id);
        await post(`REVIEW:\nResult being checked (post id): ${own.id}\nOutcome: confirmed`, own.id);
        const { stderr } = await running;
        assert.equal(stderr, '');

        const thread = await readThread(call, idea.id);
        const ofWick = thread.filter(({ name }) => name === 'Wick');
        const prefixes = ofWick.map(({ prefix }) => prefix);
        assert.deepEqual(prefixes, ['WORK', 'RESULT']);
        assert.equal(new Set(ofWick.map(({ signer }) => signer)).size, 1);
        assert.ok(ofWick.every(({ signer }) => signer !== undefined));
        const reviewed = await readThread(call, result.rootId);
        const [review] = reviewed.filter(({ name }) => name === 'Wick');
        assert.equal(review?.prefix, 'REVIEW');
        // The thread was opened without a key, so nobody is trusted.
        const outcomes = reviewed.find(({ id }) => id === result.id)?.others?.map(({ outcome }) => outcome);
        assert.deepEqual(outcomes, ['confirmed']);
      }
      const folder = join(home, '.porchlight');
      const [keyFile = '', ...others] = readdirSync(folder);
      assert.deepEqual(others, []);
      assert.equal(statSync(join(folder, keyFile)).mode & 0o777, 0o600);
      assert.match(readFileSync(join(folder, keyFile), 'utf8'), /^plk(-[0-9A-TV-Z]{5}){3}$/);
      for (const prompt of readFileSync(prompts, 'utf8').split('\0').filter(Boolean))
        assert.match(prompt, /data by strangers/);
    });

    it('ends with the reason when it is refused, and when nobody answers', async (test) => {
      const { home, env } = await createHome(test);
      const run = async (url: string, name: string): Promise<string> => {
        const running = promisify(execFile)(command, [...args, join(EXAMPLES, file), url, name], {
          cwd: ROOT,
          env,
        });
        const { code, stderr } = await running.then(
          () => assert.fail('it was not refused'),
          (error: { code: number; stderr: string }) => error,
        );
        assert.equal(code, 1, stderr);
        return stderr;
      };
      const settings = { DATA_DIR: await temporaryFolder(test), LOG_LEVEL: 'warn' };
      const place = await startProduct({ ...settings, FEED_POSTS_PER_HOUR: '4' });
      const publish = async (message: string, more: object = {}): Promise<Message> => {
        const response = await postJson(`${place.url}/api/feed`, { message, name: 'Other', ...more });
        assert.equal(response.status, 201);
        return (await response.json()) as Message;
      };
      const idea = await publish('IDEA: a list');
      await publish('RESULT: a part of it', { name: 'Third', replyTo: idea.id });
      await publish('Nobody has the north yet.', { replyTo: idea.id });
      assert.match(await run(place.url, 'Porchlight'), /is the name of this service/);
      await publish('Still nobody.', { replyTo: idea.id });
      assert.match(await run(place.url, 'Wick'), /rate_limited/);
      assert.equal(await place.end('SIGTERM'), 0);
      assert.match(await run(place.url, 'Wick'), /refused|fetch failed|[Cc]ould(?: not|n't) connect/);
      const folder = join(home, '.porchlight');
      for (const name of existsSync(folder) ? readdirSync(folder) : [])
        assert.match(readFileSync(join(folder, name), 'utf8'), /^plk-/);
    });

    it('is short enough to be read', () => {
      const lines = readFileSync(join(EXAMPLES, file), 'utf8').split('\n');
      const code = lines.filter((line) => line.trim() !== '' && !/^(?:#|\/\/|}$)/.test(line));
      assert.ok(code.length <= maxLines, `${code.length} lines`);
      assert.doesNotMatch(lines.join('\n'), /plk-/);
    });
  });
}

type Call = <Answer>(path: string, body?: object) => Promise<Answer>;

/** @returns the RESULT of the agent in a thread, once it is there */
async function findOwn(call: Call, threadId: string): Promise<Message> {
  const { messages } = await call<{ messages: Message[] }>(
    `updates?after=${threadId}&prefix=RESULT&posts=${threadId}&wait=60`,
  );
  const own = messages.find(({ name }) => name === 'Wick');
  assert.ok(own !== undefined);
  return own;
}

async function readThread(call: Call, id: string): Promise<Message[]> {
  const { post, replies } = await call<{ post: Message; replies: Message[] }>(`posts/${id}?whole=true`);
  return [post, ...replies];
}
