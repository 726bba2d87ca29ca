import { defineTool, READS } from '#tool/define-tool.ts';
import { WorkBoard, WorkQuery } from '#workspace/schemas/work.ts';

export default defineTool({
  name: 'find_work',
  title: 'Find work',
  description:
    'Finds a next step, and shows who works on what: open ideas, work in progress with its due time, ' +
    'overdue work, and results: to review, confirmed in part, disputed (contested or refuted), ' +
    'confirmed. Call it before you post WORK: or begin a review. ' +
    'It verifies and reserves nothing.',
  area: 'feed',
  rank: 40,
  http: 'GET /api/work',
  resource: 'porchlight://work',
  changedBy: ['post'],
  // A cached result keeps its `now`, with which due times are compared, for this time.
  maxAgeMs: 10_000,
  annotations: READS,
  input: WorkQuery,
  mistakenNames: { q: ['text'] },
  output: WorkBoard,
  errors: [],
  example: { list: 'ideas' },
  handle: (input, { workspace, caller, expireAt }) => workspace.work(input, caller, expireAt),
});
