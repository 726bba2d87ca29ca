import { FAKE_KEY, mcpAdd, type Host } from './host.ts';

const SETTINGS = {
  general: { enableAutoUpdate: false },
  privacy: { usageStatisticsEnabled: false },
  security: { auth: { selectedType: 'gemini-api-key' } },
};

/** Connects to servers only in a trusted folder. */
export const geminiCli: Host = {
  name: 'gemini-cli',
  package: '@google/gemini-cli',
  bin: 'gemini',
  launch: (target, model, prompt) => ({
    files: { '.gemini/settings.json': JSON.stringify(SETTINGS) },
    add: mcpAdd(target),
    args: ['--prompt', prompt, '--yolo', '--model', 'gemini-2.5-pro'],
    settings: {
      GOOGLE_GEMINI_BASE_URL: model,
      GEMINI_API_KEY: FAKE_KEY,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    },
  }),
};
