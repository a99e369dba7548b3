const maxShown = 3

/** Counts failures by host. */
export class WorstHosts {
  readonly #counts = new Map<string, number>()
  /** The hosts with the most failures, the worst first. */
  #worst: readonly string[] = []

  add(host: string): void {
    this.#counts.set(host, this.#countOf(host) + 1)
    if (host === '') return
    // Only this one has more than before.
    const shown = new Set([...this.#worst, host])
    this.#worst = [...shown].sort((a, b) => this.#countOf(b) - this.#countOf(a)).slice(0, maxShown)
  }

  #countOf(host: string): number {
    return this.#counts.get(host) ?? 0
  }

  /** `9 at www.example.org`, `3 at ftp.example.org`: the worst, at most three. */
  get hosts(): readonly string[] {
    return this.#worst.map((host) => `${this.#countOf(host)} at ${host}`)
  }

  /** `12 failed (9 at www.example.org, 3 at ftp.example.org)`; "" if none failed. */
  text(failed: number): string {
    if (failed === 0) return ''
    const { hosts } = this
    return `${failed} failed${hosts.length === 0 ? '' : ` (${hosts.join(', ')})`}`
  }
}
