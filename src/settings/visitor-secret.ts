import { existsSync, readFileSync } from 'node:fs';
import { settingText } from './setting-types.ts';

const SECRET_BYTES = 32;

/** The current secret, and the previous one while rotating. */
const MAX_SECRETS = 2;

/** One or two, newest first, each in base64 or as the path of a file. Messages never repeat a value. */
export const visitorSecrets = settingText.transform((text, context): readonly Buffer[] => {
  const secrets = split(text).flatMap(readEntry);
  const error = secrets.some((secret) => secret?.length !== SECRET_BYTES)
    ? 'must be 32 bytes in base64, such as openssl rand -base64 32 prints, or the path of a file with them'
    : secrets.length > MAX_SECRETS
      ? 'must be at most two values, the newest first'
      : undefined;
  if (error !== undefined) context.addIssue({ code: 'custom', message: error });
  return secrets.filter((secret) => secret !== undefined);
});

const split = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);

/** @returns undefined for a file that cannot be read or is empty */
function readEntry(entry: string): (Buffer | undefined)[] {
  if (!existsSync(entry)) return [Buffer.from(entry, 'base64')];
  try {
    const secrets = split(readFileSync(entry, 'utf8'));
    return secrets.length === 0 ? [undefined] : secrets.map((secret) => Buffer.from(secret, 'base64'));
  } catch {
    return [undefined];
  }
}
