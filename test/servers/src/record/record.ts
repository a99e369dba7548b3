import { type FileHandle, open } from 'node:fs/promises'
import { type AccessPlans, type Mechanism, RetrievalError } from '@retriever/core'
import type { Client } from '@retriever/fetchers'
import { systemReason } from '@retriever/fetchers/internal'
import {
  checkOptions,
  count,
  type Fetcher,
  type OptionKind,
  type RetrievalContext,
  wrapFetchers,
} from '@retriever/fetchers/plugin'
import { RecordedRetrieval } from './recorded-retrieval.ts'
import { Secrets } from './secrets.ts'
import { type Header, name, version } from './transcript.ts'

export interface RecordOptions {
  /** How many octets of each body are kept; a longer body is cut. Default 1 MiB, at most 128 MiB. */
  readonly maxBody?: number
}

/** A larger body would make a line that does not fit into a string, and a file that replay() refuses. */
const mostBody = 128 * 1024 * 1024
const upToMost: OptionKind = [
  `a whole number from 1 to ${mostBody}`,
  (value) => count[1](value) && Number(value) <= mostBody,
]
const optionKinds: Readonly<Record<keyof RecordOptions, OptionKind>> = { maxBody: upToMost }
const defaultMaxBody = 1024 * 1024

/** A recording under way. */
export interface Recording extends AsyncDisposable {
  /**
   * Ends the recording. It cuts bodies that are still being read; the client goes on. Rejects with `write-failed` if
   * the file could not be written.
   */
  finish(): Promise<void>
}

/**
 * Records all that a client's fetchers bring from now on in a new file, which only its owner can read. The client works
 * as before. Rejects with `write-failed` if the file cannot be made, and with `invalid-option`.
 */
export async function record(client: Client, file: string, options: RecordOptions = {}): Promise<Recording> {
  checkOptions(options, optionKinds, 'record.')
  // Throws for what is no client, before there is a file.
  wrapFetchers(client, (fetcher) => fetcher)()
  const writer = await Writer.create(file)
  const underWay = new Set<RecordedRetrieval>()
  const secrets = new Secrets()
  let begun = 0
  const unwrap = wrapFetchers(client, <M extends Mechanism>(fetcher: Fetcher<M>) => ({
    ...fetcher,
    mechanism: fetcher.mechanism,
    async retrieve(plan: AccessPlans[M], context: RetrievalContext) {
      const retrieval = new RecordedRetrieval(++begun, fetcher.mechanism, plan, context, {
        maxBody: options.maxBody ?? defaultMaxBody,
        secrets,
        write: (line) => writer.write(line),
        over: () => underWay.delete(retrieval),
      })
      underWay.add(retrieval)
      try {
        return retrieval.answered(await fetcher.retrieve(plan, retrieval.context))
      } catch (error) {
        retrieval.failed(error)
        throw error
      }
    },
  }))
  const finish = async (): Promise<void> => {
    unwrap()
    await Promise.all([...underWay].map((retrieval) => retrieval.finish()))
    await writer.close()
  }
  return { finish, [Symbol.asyncDispose]: finish }
}

/** Writes the lines of one transcript, one after the other. */
class Writer {
  readonly #file: string
  readonly #handle: FileHandle
  #written: Promise<void> = Promise.resolve()
  #failure: RetrievalError | undefined
  #isClosed = false

  private constructor(file: string, handle: FileHandle) {
    this.#file = file
    this.#handle = handle
  }

  static async create(file: string): Promise<Writer> {
    try {
      const handle = await open(file, 'w', 0o600)
      // An existing file would keep its mode, so it is set here. The mode of a device is not ours to change.
      if ((await handle.stat()).isFile()) await handle.chmod(0o600)
      const writer = new Writer(file, handle)
      const header: Header = {
        transcript: name,
        version,
        recorded: new Date().toISOString(),
      }
      writer.write(header)
      await writer.#written
      if (writer.#failure !== undefined) await writer.close()
      return writer
    } catch (cause) {
      if (RetrievalError.is(cause)) throw cause
      throw writeError(file, cause)
    }
  }

  write(line: object): void {
    if (this.#isClosed) return
    this.#written = this.#written.then(async () => {
      try {
        if (this.#failure === undefined) await this.#handle.appendFile(`${JSON.stringify(line)}\n`)
      } catch (cause) {
        this.#failure = writeError(this.#file, cause)
      }
    })
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#written
    await this.#handle.close()
    if (this.#failure !== undefined) throw this.#failure
  }
}

function writeError(file: string, cause: unknown): RetrievalError {
  const why = systemReason(cause) ?? String(cause)
  return new RetrievalError('write-failed', `The transcript ${file} could not be written: ${why}.`, {
    phase: 'save',
    cause,
  })
}
