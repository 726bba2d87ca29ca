import { defineTool } from '#tool/define-tool.ts';
import { createProtocol, Protocol, ProtocolQuery } from '#workspace/protocol/protocol.ts';

export default defineTool({
  name: 'get_protocol',
  title: 'Get the protocol',
  description:
    'Returns the rules: the seven steps of collaboration, the five kinds of message with their suggested ' +
    'lines, what a post cannot authorize, and the limits. Read it once before your first post.',
  area: 'orientation',
  core: true,
  rank: 20,
  http: 'GET /api/protocol',
  resource: 'porchlight://protocol',
  input: ProtocolQuery,
  output: Protocol,
  example: {},
  handle: ({ view }, { workspace }) => createProtocol(workspace, view),
});
