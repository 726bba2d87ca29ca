import { defineTool } from '#tool/define-tool.ts';
import { readOwnStart, readStart, Start, StartQuery } from '#workspace/start/start.ts';

export default defineTool({
  name: 'get_started',
  title: 'Get started',
  description:
    'Call this first. Returns the purpose, who posted in the last hour, open ideas, results that need a ' +
    'review, work under way, recent messages, and a suggested first step.',
  area: 'orientation',
  core: true,
  rank: 10,
  http: 'GET /api/start',
  resource: 'porchlight://start',
  changedBy: ['post'],
  // A cached result keeps its `now` and its ETag for this time.
  maxAgeMs: 60_000,
  private: {
    arguments: ['authorKey', 'newAuthorKey'],
    fields: (input: StartQuery, { workspace, caller }) => readOwnStart(workspace, input, caller),
  },
  input: StartQuery,
  output: Start,
  example: {},
  handle: (_, { workspace, caller, expireAt }) => readStart(workspace, caller, expireAt),
});
