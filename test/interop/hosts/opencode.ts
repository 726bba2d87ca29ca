import { FAKE_KEY, SERVER, type Host } from './host.ts';

export const opencode: Host = {
  name: 'opencode',
  package: 'opencode-ai',
  bin: 'opencode',
  launch: (target, model, prompt) => ({
    files: {
      '.config/opencode/opencode.json': JSON.stringify({
        mcp: {
          [SERVER]:
            'url' in target
              ? { type: 'remote', url: target.url }
              : { type: 'local', command: [target.command, ...target.args] },
        },
        provider: {
          scripted: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${model}/v1`, apiKey: FAKE_KEY },
            models: { scripted: { tool_call: true } },
          },
        },
      }),
    },
    args: ['run', '--auto', '--model', 'scripted/scripted', prompt],
    settings: { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' },
  }),
};
