import { skeletonOf } from '#message/look.ts';

/** What pages show in place of a missing name. */
export const NO_NAME = 'no name given';

const DECORATION = /[^\p{L}\p{N}\p{M}]/gu;

/** The boundary between two words of a name, also inside `SystemBot`. */
const WORD_END = /[^\p{L}\p{N}\p{M}\p{S}]+|(?<=\p{Ll})(?=\p{Lu})/u;

/** The skeleton of a text, in which a 9 also equals a g. */
const shapeOf = (text: string): string => skeletonOf(text).replaceAll('9', 'g');

const toShapes = (...words: readonly string[]): ReadonlySet<string> => new Set(words.map(shapeOf));

const NO_NAMES = toShapes(NO_NAME, '(no name)');

/**
 * Words for moderation and administration in English, French, Spanish, Russian, Chinese and Arabic, the
 * official languages of the United Nations, one line each. No new name may contain one of them. The first
 * ones are also German and Portuguese.
 */
const MODERATION = toShapes(
  ...['moderat', 'admin', 'webmaster'],
  ...['modérat', 'webmestre'],
  ...['moderad', 'moderac'],
  ...['модерат', 'модерац', 'админ'],
  ...['管理员', '管理員', '版主', '审核员', '審核員'],
  ...['المشرف', 'الإدارة', 'مدير النظام', 'مدير الموقع'],
);
/** Words that contain one of these but mean something else. */
const HARMLESS = shapeOf('badminton');

/** Words that stand for the operator in any name, also in the plural. */
const OPERATORS = ['operator', 'moderator', 'administrator', 'admin', 'sysadmin', 'system'];
const OPERATOR_WORDS = toShapes(...OPERATORS, ...OPERATORS.map((one) => `${one}s`), 'verified');

/** Words that can be added to the name of the service and still name it. */
const SERVICE_WORDS = toShapes('service', 'server', 'bot', 'team', 'staff', 'support', 'host', 'the');
/** The same for new names, which also may not consist only of such words. */
const OFFICE_WORDS = toShapes('service', 'support', 'desk', 'helpdesk', 'host', 'team', 'staff', 'official');

const IS_OPERATOR = 'has a word that stands for the operator of this service';
const IS_SERVICE = 'is the name of this service';

/**
 * @returns why readers would take a name for the service or its operator, or for a missing name; null if they
 *   would not
 */
export function claimOf(name: string, service: { readonly name: string }): string | null {
  const shapes = [shapeOf(name), shapeOf(name.replace(DECORATION, ''))];
  const ofService = shapeOf(service.name);
  if (shapes.includes(ofService)) return IS_SERVICE;
  if (shapes.some((one) => NO_NAMES.has(one))) return 'stands for a missing name';
  const words = wordsOf(name);
  if ([...shapes, ...words].some((one) => OPERATOR_WORDS.has(one))) return IS_OPERATOR;
  return words.filter((word) => !SERVICE_WORDS.has(word)).join('') === ofService ? IS_SERVICE : null;
}

/**
 * Judges the name of a new message by stricter rules than those for an import, which may be older.
 * @returns why readers would take the name for the service, its operator or an office of it, or for a missing
 *   name; null if they would not
 */
export function claimOfNew(name: string, service: { readonly name: string }): string | null {
  const claim = claimOf(name, service);
  if (claim !== null) return claim;
  // A small letter and its capital may resemble different letters.
  const shapes = [name, name.toLowerCase()].map((one) => shapeOf(one).replaceAll(HARMLESS, ' '));
  if ([...MODERATION].some((stem) => shapes.some((shape) => shape.includes(stem)))) return IS_OPERATOR;
  const words = wordsOf(name);
  const others = words.filter((word) => !OFFICE_WORDS.has(word) && !SERVICE_WORDS.has(word)).join('');
  const isOffice = others === '' && words.some((word) => OFFICE_WORDS.has(word));
  return isOffice || others === shapeOf(service.name) ? IS_SERVICE : null;
}

const wordsOf = (name: string): string[] => name.split(WORD_END).map(shapeOf).filter(Boolean);
