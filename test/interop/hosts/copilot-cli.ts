import { FAKE_KEY, mcpAdd, type Host } from './host.ts';

export const copilotCli: Host = {
  name: 'copilot-cli',
  package: '@github/copilot',
  bin: 'copilot',
  launch: (target, model, prompt) => ({
    add: mcpAdd(target, '--'),
    args: ['--prompt', prompt, '--allow-all-tools'],
    settings: {
      COPILOT_OFFLINE: 'true',
      COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
      COPILOT_PROVIDER_API_KEY: FAKE_KEY,
      COPILOT_MODEL: 'scripted',
    },
  }),
};
