/** Counts responses by route and status. */
export class Tally {
  readonly #counts = new Map<string, Map<string, number>>();
  total = 0;

  add(route: string, status: string | number): void {
    const counts = this.#counts.get(route) ?? new Map<string, number>();
    this.#counts.set(route, counts.set(String(status), (counts.get(String(status)) ?? 0) + 1));
    this.total += 1;
  }

  toString(): string {
    const routes = [...this.#counts].sort(([a], [b]) => a.localeCompare(b));
    const lines = routes.map(([route, counts]) => {
      const statuses = [...counts]
        .sort(([a], [b]) => a.localeCompare(b))
        .map(([status, count]) => `${status}: ${count}`);
      return `${route.padEnd(40)} ${statuses.join('  ')}`;
    });
    return lines.join('\n');
  }
}
