import fc from 'fast-check';
import { NUMBERS, POST_IDS, PROJECT_IDS, UNKNOWN_IDS } from './corpus.ts';
import { hostileText } from './texts.ts';
import type { Members } from './values.ts';

export type Params = fc.Arbitrary<Members>;

export const none: Params = fc.constant([]);
const paramsOf = (fields: Record<string, fc.Arbitrary<unknown>>): Params =>
  fc.record(fields, { noNullPrototype: true }).map((record): Members => Object.entries(record));

export const URIS = [
  'porchlight://feed',
  'porchlight://start',
  'porchlight://protocol',
  'porchlight://guestbook',
  'porchlight://projects',
  'porchlight://',
  'porchlight://posts/',
  'PORCHLIGHT://feed',
  'file:///etc/passwd',
  'porchlight://feed?limit=1',
  'porchlight://feed/',
  '__proto__',
  '',
  ...POST_IDS.map((id) => `porchlight://posts/${id}`),
  ...PROJECT_IDS.map((id) => `porchlight://projects/${id}`),
  ...UNKNOWN_IDS.flatMap((id) => [`porchlight://posts/${id}`, `porchlight://projects/${id}`]),
];

const uri = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...URIS) },
  { weight: 1, arbitrary: hostileText },
);

const VERSIONS = ['2025-11-25', '2025-06-18', '2024-11-05', '2026-07-28', '1999-01-01', ''];

/** The methods of the protocol with their parameters. */
export const METHODS: Readonly<Record<string, Params>> = {
  initialize: paramsOf({
    protocolVersion: fc.constantFrom(...VERSIONS),
    capabilities: fc.constantFrom({}, { roots: {} }, { sampling: {}, tasks: {} }),
    clientInfo: fc.constantFrom({ name: 'fuzz', version: '1' }, {}),
  }),
  ping: none,
  'tools/list': none,
  'resources/list': none,
  'resources/templates/list': none,
  'prompts/list': none,
  'resources/read': paramsOf({ uri }),
  'resources/subscribe': paramsOf({ uri }),
  'prompts/get': paramsOf({
    name: fc.constantFrom('idea', 'work', 'result', 'review', 'change', 'IDEA', '__proto__', 'constructor'),
  }),
  'completion/complete': paramsOf({
    ref: fc.constantFrom(
      { type: 'ref/resource', uri: 'porchlight://posts/{postId}' },
      { type: 'ref/prompt', name: 'idea' },
      { type: 'x' },
      null,
    ),
    argument: fc.record({
      name: fc.constantFrom('postId', 'projectId', '__proto__', 'constructor'),
      value: fc.constantFrom('', 'post_', 'x', 'project_'),
    }),
  }),
  'logging/setLevel': paramsOf({ level: fc.constantFrom('debug', 'x') }),
  'server/discover': none,
  'subscriptions/listen': paramsOf({ notifications: fc.constant({}) }),
  'tasks/get': paramsOf({ taskId: fc.constantFrom('x', '__proto__') }),
  'tasks/list': none,
  'tasks/result': paramsOf({ taskId: fc.constant('x') }),
  'tasks/cancel': paramsOf({ taskId: fc.constant('x') }),
  'sampling/createMessage': none,
  'elicitation/create': none,
  'roots/list': none,
  'notifications/initialized': none,
  'notifications/cancelled': paramsOf({ requestId: fc.constantFrom(1, 'a', null), reason: hostileText }),
  'notifications/progress': paramsOf({
    progressToken: fc.constantFrom(1, 'a'),
    progress: fc.constantFrom(...NUMBERS),
  }),
  'notifications/roots/list_changed': none,
};

export const isProtocolMethod = (method: unknown): boolean =>
  method === 'tools/call' || Object.hasOwn(METHODS, String(method));
