import { statSync } from 'node:fs'
import { findPart, type KeptPart } from '@retriever/fetchers'
import { formatSize } from './numbers.ts'
import type { Reporter } from './report.ts'
import type { SavePlan } from './save-plan.ts'

/** Tells what a retrieval that failed has left of its file, and how to go on: nobody should have to look for it. */
export class KeptOctets {
  readonly #report: Reporter
  readonly #isContinued: boolean
  #plan: SavePlan | null = null
  #before = 0
  #goOn = ''

  constructor(report: Reporter, isContinued: boolean) {
    this.#report = report
    this.#isContinued = isContinued
  }

  /** From now on it is this file. `byServer`: -J has named it, and could not find it again. */
  async begin(plan: SavePlan, byServer = false): Promise<void> {
    this.#plan = plan
    this.#before = plan.behind ?? (await lengthOf(plan.path)) ?? 0
    if (byServer) this.#goOn = `the same command with -C - -o ${plan.path} in place of -OJ goes on from there`
    else this.#goOn = `the same command${this.#isContinued ? '' : ' with -C -'} goes on from there`
  }

  /** It has come whole. */
  end(): void {
    this.#plan = null
  }

  async tell(operand: string): Promise<void> {
    const plan = this.#plan
    this.#plan = null
    if (plan === null) return
    const part = await partOf(plan.path)
    const isInFile = plan.behind !== null && part === null
    const length = isInFile ? (statSync(plan.path, { throwIfNoEntry: false })?.size ?? 0) : (part?.length ?? 0)
    if (length <= this.#before) return
    const path = isInFile ? plan.path : (part?.path ?? '')
    const goOn =
      isInFile || part?.point ? this.#goOn : 'nothing could prove what goes behind it, so the next try begins anew'
    this.#report.notice({ operand, message: `${path} keeps the ${formatSize(length)} that came; ${goOn}.` })
  }
}

async function lengthOf(path: string): Promise<number | null> {
  return (await partOf(path))?.length ?? null
}

/** Another retrieval's is none to tell of. */
function partOf(path: string): Promise<KeptPart | null> {
  return findPart(path).catch(() => null)
}
