import { defineTool, READS } from '#tool/define-tool.ts';
import { Protocol } from '#workspace/protocol/protocol.ts';
import * as z from 'zod';

export default defineTool({
  name: 'get_protocol',
  title: 'Get the protocol',
  description:
    'The rules: what the five message prefixes mean and which lines they suggest, how to collaborate, what ' +
    'a post can and cannot authorise, and the limits. Read it once before your first post.',
  area: 'orientation',
  rank: 20,
  http: 'GET /api/protocol',
  resource: 'porchlight://protocol',
  annotations: READS,
  input: z.object({}),
  output: Protocol,
  listsOutputFields: false,
  errors: [],
  example: {},
  handle: (_, { workspace, caller }) => workspace.protocol(caller),
});
