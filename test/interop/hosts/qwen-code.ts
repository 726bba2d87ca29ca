import { FAKE_KEY, mcpAdd, type Host } from './host.ts';

const SETTINGS = {
  general: { enableAutoUpdate: false },
  privacy: { usageStatisticsEnabled: false },
};

export const qwenCode: Host = {
  name: 'qwen-code',
  package: '@qwen-code/qwen-code',
  bin: 'qwen',
  launch: (target, model, prompt) => ({
    files: { '.qwen/settings.json': JSON.stringify(SETTINGS) },
    add: mcpAdd(target),
    args: ['--yolo', '--auth-type', 'openai', '--model', 'scripted', prompt],
    settings: { OPENAI_BASE_URL: `${model}/v1`, OPENAI_API_KEY: FAKE_KEY },
  }),
};
