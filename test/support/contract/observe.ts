import { RetrievalError } from '@retriever/core'
import type { Client, RetrieveOptions } from '@retriever/fetchers'

export { deepFreeze, disposable, everythingIn, handlesSince, openHandles } from '../../servers/src/contract/observe.ts'

/** The whole body of a URL. */
export async function bytesOf(client: Client, url: string, options: RetrieveOptions = {}): Promise<Buffer> {
  const representation = await client.retrieve(url, options)
  return Buffer.from(await representation.bytes())
}

/** The RetrievalError that this rejects with; anything else is thrown on. */
export async function failureOf(running: Promise<unknown>): Promise<RetrievalError> {
  try {
    await running
  } catch (error) {
    if (RetrievalError.is(error)) return error
    throw error
  }
  throw new Error('It succeeded, but should have failed')
}
