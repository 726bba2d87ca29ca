import { partWords } from '#message/step.ts';

/**
 * The parts of an IDEA that a message names: those with equal words, or else the only one that begins with
 * them.
 * @param parts of the IDEA
 * @param named in the message's own words
 * @returns their places in `parts`, each once
 */
export function findParts(parts: readonly string[], named: readonly string[]): number[] {
  const words = parts.map((part) => partWords(part));
  const found = named.flatMap((name) => {
    const wanted = partWords(name);
    const equal = words.indexOf(wanted);
    if (equal >= 0) return [equal];
    const begun = words.flatMap((part, index) => (part.startsWith(`${wanted} `) ? [index] : []));
    return begun.length === 1 ? begun : [];
  });
  return [...new Set(found)];
}
