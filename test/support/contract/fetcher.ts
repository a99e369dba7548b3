import { createClient } from '@retriever/fetchers'
import { lookingFirst } from '@retriever/fetchers/internal'
import { testFetcher as contract, type Subject } from '@retriever/servers/contract'
import { describe, expect, test } from 'vitest'

/** The contract suite of `@retriever/servers/contract`, by vitest, for a built-in mechanism. */
export function testFetcher(subject: Omit<Subject, 'createClient'>): void {
  contract({ createClient, ...subject }, { describe, test })

  test('a signal that is over by a clock lets no request be written', async ({ skip }) => {
    const { server, recipient, object, [Symbol.asyncDispose]: dispose } = await subject.start()
    const { received } = server ?? recipient ?? skip('the mechanism connects to nothing')
    const abort = new AbortController()
    let isOver = false
    const signal = lookingFirst(abort.signal, () => isOver && abort.abort())
    await using client = createClient({
      onEvent: ({ type }) => {
        if (type === 'connected') isOver = true
      },
    })
    await expect(client.retrieve(object, { signal })).rejects.toMatchObject({ code: 'aborted' })
    expect([isOver, received]).toEqual([true, []])
    await dispose?.()
    await server?.close()
  })
}
