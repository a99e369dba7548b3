import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The arguments and variables of one run of a fake program. */
export interface Recorded {
  /** Octet by octet, one character an octet. */
  readonly args: readonly string[]
  readonly env: ReadonlyMap<string, string>
}

/** Programs in a folder of their own, each of which records its arguments and its environment, and does no more. */
export class FakePrograms {
  readonly folder: string

  constructor(folder: string) {
    this.folder = folder
    mkdirSync(folder, { recursive: true })
  }

  /** Adds a program that says something on standard error, and ends with that status. */
  add(name: string, { status = 0, says = '' }: { status?: number; says?: string } = {}): string {
    const path = join(this.folder, name)
    const lines = [
      '#!/bin/sh',
      `: > '${path}.running'`,
      `for arg in "$@"; do printf '%s\\0' "$arg" >> '${path}.running'; done`,
      `/usr/bin/env -0 > '${path}.env'`,
      `/bin/mv '${path}.running' '${path}.args'`,
      `printf '%s' '${says}' >&2`,
      `exit ${status}`,
    ]
    writeFileSync(path, `${lines.join('\n')}\n`)
    chmodSync(path, 0o755)
    return path
  }

  /** The last run of a program; null: it was not run. The next one must be another run. */
  take(name: string): Recorded | null {
    const path = join(this.folder, name)
    if (!existsSync(`${path}.args`)) return null
    const args = readFileSync(`${path}.args`, 'latin1').split('\0').slice(0, -1)
    const variables = readFileSync(`${path}.env`, 'utf8').split('\0').slice(0, -1)
    rmSync(`${path}.args`)
    return { args, env: new Map(variables.map((each) => [each.replace(/=.*/s, ''), each.replace(/^[^=]*=/, '')])) }
  }
}
