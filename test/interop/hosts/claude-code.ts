import { FAKE_KEY, mcpAdd, SERVER, type Host } from './host.ts';

/** As root it refuses to skip permissions altogether, so the tools of the server are allowed. */
export const claudeCode: Host = {
  name: 'claude-code',
  package: '@anthropic-ai/claude-code',
  bin: 'claude',
  launch: (target, model, prompt) => ({
    add: mcpAdd(target, '--'),
    args: ['--print', prompt, '--allowedTools', `mcp__${SERVER}`],
    settings: {
      ANTHROPIC_BASE_URL: model,
      ANTHROPIC_API_KEY: FAKE_KEY,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    },
  }),
};
