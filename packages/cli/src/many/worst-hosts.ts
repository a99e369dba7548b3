/** Counts failures by host. */
export class WorstHosts {
  readonly #counts = new Map<string, number>()

  add(host: string): void {
    this.#counts.set(host, (this.#counts.get(host) ?? 0) + 1)
  }

  /** `12 failed (9 at www.example.org, 3 at ftp.example.org)`, with the three worst; "" if none failed. */
  text(failed: number): string {
    if (failed === 0) return ''
    const worst = [...this.#counts].toSorted(([, a], [, b]) => b - a).slice(0, maxShown)
    const hosts = worst.filter(([host]) => host !== '').map(([host, count]) => `${count} at ${host}`)
    return `${failed} failed${hosts.length === 0 ? '' : ` (${hosts.join(', ')})`}`
  }
}

const maxShown = 3
