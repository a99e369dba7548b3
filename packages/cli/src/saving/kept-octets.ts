import { statSync } from 'node:fs'
import type { Resolution } from '@retriever/core'
import { findPart, type KeptPart, resumePointOf } from '@retriever/fetchers/internal'
import type { Config } from '../config.ts'
import { formatSize } from '../terminal/output.ts'
import type { Reporter } from '../terminal/report.ts'
import type { SavePlan } from './save-plan.ts'

/** Reports what a failed retrieval left of its file, and how to continue it. */
export class KeptOctets {
  readonly #report: Reporter
  readonly #config: Pick<Config, 'continueAt' | 'continueUnverified' | 'journal'>
  #file: { readonly plan: SavePlan; readonly resolved: () => Resolution } | null = null
  #before: readonly string[] = []
  #goOn = ''

  constructor(report: Reporter, config: Pick<Config, 'continueAt' | 'continueUnverified' | 'journal'>) {
    this.#report = report
    this.#config = config
  }

  /**
   * Begins the file of a URL. `byServer` means that -J named it, so a command that continues it must state its name.
   */
  begin(plan: SavePlan, resolved: () => Resolution, byServer = false): void {
    this.#file = { plan, resolved }
    this.#before = filesOf(plan).map(stateOf)
    if (byServer) this.#goOn = `the same command with -C - -o ${plan.path} in place of -OJ continues from there`
    else {
      const goesOn = this.#config.continueAt !== null || this.#config.journal !== null
      this.#goOn = `the same command${goesOn ? '' : ' with -C -'} continues from there`
    }
  }

  /** Marks the file as complete. */
  end(): void {
    this.#file = null
  }

  async tell(operand: string): Promise<void> {
    const file = this.#file
    this.#file = null
    if (file === null) return
    const { plan, resolved } = file
    const changed = filesOf(plan).filter((path, index) => stateOf(path) !== this.#before[index])
    const part = changed.includes(`${plan.path}.part`) ? await partOf(plan.path) : null
    if (part !== null) this.#keeps(operand, part.path, part.length, this.#howToGoOn(part, resolved()))
    else if (changed.includes(plan.path)) this.#keeps(operand, plan.path, statSync(plan.path).size, this.#goOn)
  }

  #howToGoOn(part: KeptPart, resolved: Resolution): string {
    const canAppend = part.unproven !== null
    if (resumePointOf(part, resolved) !== null || (canAppend && this.#config.continueUnverified)) return this.#goOn
    const anew = 'nothing could prove which octets follow, so the next try starts over'
    return canAppend ? `${anew}; -C - --continue-unverified appends anyway` : anew
  }

  #keeps(operand: string, path: string, length: number, goOn: string): void {
    this.#report.notice({ operand, message: `${path} keeps the ${formatSize(length)} that came; ${goOn}.` })
  }
}

/** The files that may hold octets: the part, and the file to which the rest is appended. */
function filesOf({ path, behind }: SavePlan): readonly string[] {
  return behind === null ? [`${path}.part`] : [`${path}.part`, path]
}

/**
 * The state of a file. It changes when the file is replaced or grows. A file that may not be looked at counts as none,
 * such as /dev/null.part with --jail.
 */
function stateOf(path: string): string {
  try {
    const { ino, size, mtimeMs } = statSync(path)
    return `${ino} ${size} ${mtimeMs}`
  } catch {
    return ''
  }
}

/** The part of an unfinished file. Null if there is none, or if another running retrieval uses it. */
function partOf(path: string): Promise<KeptPart | null> {
  return findPart(path).catch(() => null)
}
