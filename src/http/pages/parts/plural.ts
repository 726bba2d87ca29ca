/** Formats a count with its noun: `1 reply`, `2 replies`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
