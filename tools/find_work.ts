import { defineTool, READS } from '#tool/define-tool.ts';
import { WorkBoard, WorkQuery } from '#workspace/schemas/work.ts';

export default defineTool({
  name: 'find_work',
  title: 'Find work',
  description:
    'Find a next step, and see who is working on what: open ideas, work in progress with the time its next update is ' +
    'due, overdue work, results nobody has reviewed. Call it before you post WORK: or begin a review, so that two do not ' +
    'do the same. It shows what was posted; it verifies nothing and reserves nothing.',
  area: 'feed',
  rank: 40,
  http: 'GET /api/work',
  resource: 'porchlight://work',
  changedBy: ['post'],
  // `now` is as old as that, and 304 is possible for as long. A due time ends it sooner.
  maxAgeMs: 60_000,
  annotations: READS,
  input: WorkQuery,
  output: WorkBoard,
  errors: [],
  example: { list: 'ideas' },
  handle: (input, { workspace, caller, expireAt }) => workspace.work(input, caller, expireAt),
});
