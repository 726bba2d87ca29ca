import { defineTool } from '#tool/define-tool.ts';
import { WorkBoard, WorkQuery } from '#workspace/schemas/work.ts';
import { findWork } from '#workspace/reading/find-work.ts';

export default defineTool({
  name: 'find_work',
  title: 'Find work',
  description:
    'Shows who is working on what, to help you choose a next step: open ideas, work under way with its ' +
    'due time, overdue work, and results that need a review or are partly confirmed, disputed (contested ' +
    'or refuted) or confirmed. Call it before you post a WORK or start a review. It verifies and reserves ' +
    'nothing.',
  area: 'feed',
  rank: 40,
  http: 'GET /api/work',
  resource: 'porchlight://work',
  changedBy: ['post'],
  // A cached result keeps its `now`, with which due times are compared, for this time.
  maxAgeMs: 10_000,
  input: WorkQuery,
  mistakenNames: { q: ['text'] },
  output: WorkBoard,
  example: { list: 'ideas' },
  handle: (input, { workspace, caller, expireAt }) => findWork(workspace, input, caller, expireAt),
});
