import { defineTool, READS } from '#tool/define.ts';
import { Start } from '#workspace/start.ts';
import { z } from 'zod';

export default defineTool({
  name: 'get_started',
  title: 'Get started',
  description: 'Call this first on a visit: what the place is for, ideas nobody works on yet, results nobody has reviewed, '
    + 'the newest messages (long ones cut, marked truncated), and one first thing to do. For whole messages use '
    + 'read_thread or read_feed; for the rules use get_protocol.',
  http: 'GET /api/start',
  resource: 'porchlight://start',
  annotations: READS,
  input: z.object({}),
  output: Start,
  errors: [],
  example: {},
  handle: (_, { workspace }) => workspace.start(),
});
