import { type Mechanism, type RetrievalError, redact } from '@retriever/core'
import { builtinMechanisms } from '@retriever/fetchers'
import type { Fetcher, RetrievalContext } from '@retriever/fetchers/plugin'
import { readTranscript } from './read-transcript.ts'
import { requestShown } from './request-key.ts'
import { emitAgain, revived } from './revive.ts'
import type { Line } from './transcript.ts'

/** How many URLs an error names. */
const maxNamed = 10

/**
 * Makes fetchers for createClient() that answer from a transcript: one for each built-in mechanism, and one for each
 * further mechanism in the file. A URL that was recorded several times gets its answers in order. Rejects with
 * `file-failed`.
 */
export async function replayFetchers(file: string): Promise<readonly Fetcher[]> {
  const lines = await readTranscript(file)
  const player = new Player(file, lines)
  const mechanisms = new Set<Mechanism>([...builtinMechanisms, ...lines.map(({ mechanism }) => mechanism)])
  return [...mechanisms].map((mechanism) => ({
    mechanism,
    async retrieve(_plan, context) {
      const { events, answer } = player.next(mechanism, context)
      emitAgain(events, context)
      context.deadline.throwIfAborted()
      return revived(answer, context)
    },
  }))
}

/** Gives each line only once. */
class Player {
  readonly #file: string
  readonly #lines: readonly Line[]
  readonly #waiting = new Map<string, Line[]>()

  constructor(file: string, lines: readonly Line[]) {
    this.#file = file
    this.#lines = lines
    for (const line of lines) {
      const key = keyOf(line)
      const waiting = this.#waiting.get(key)
      if (waiting === undefined) this.#waiting.set(key, [line])
      else waiting.push(line)
    }
  }

  next(mechanism: Mechanism, context: RetrievalContext): Line {
    const wanted = { mechanism, url: redact(context.url), request: requestShown(context.request) }
    const waiting = this.#waiting.get(keyOf(wanted))
    const line = waiting?.shift()
    if (line !== undefined) return line
    throw this.#missing(wanted, waiting !== undefined, context)
  }

  #missing({ url, request }: Key, wasServed: boolean, { error }: RetrievalContext): RetrievalError {
    const options = Object.keys(request).length === 0 ? 'without options' : `with ${JSON.stringify(request)}`
    const same = this.#lines.filter((line) => line.url === url)
    const said = wasServed
      ? `was recorded ${same.length === 1 ? 'once' : `${same.length} times`}, and all of that was served`
      : `${options} was not recorded`
    const message = `This URL ${said}. The transcript ${this.#file} has ${shownLines(same.length > 0 ? same : this.#lines)}.`
    return error('refused', message, { phase: 'policy' })
  }
}

type Key = Pick<Line, 'mechanism' | 'url' | 'request'>

function keyOf({ mechanism, url, request }: Key): string {
  return JSON.stringify([mechanism, url, request])
}

function shownLines(lines: readonly Line[]): string {
  const shown = lines.map(({ url, request }) => {
    return Object.keys(request).length === 0 ? url : `${url} with ${JSON.stringify(request)}`
  })
  const distinct = [...new Set(shown)]
  const more = distinct.length > maxNamed ? `, and ${distinct.length - maxNamed} more` : ''
  return distinct.length === 0 ? 'nothing' : `${distinct.slice(0, maxNamed).join(', ')}${more}`
}
