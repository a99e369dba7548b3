import { createClient } from '@retriever/fetchers'
import { lookingFirst } from '@retriever/fetchers/internal'
import { testFetcher as contract, type Subject } from '@retriever/servers/contract'
import { describe, expect, test } from 'vitest'
import { disposable } from './observe.ts'

/** The contract suite of `@retriever/servers/contract`, by vitest, for a built-in mechanism. */
export function testFetcher(subject: Omit<Subject, 'createClient'>): void {
  contract({ createClient, ...subject }, { describe, test })

  test('a signal that is over by a clock lets no request be written', async ({ skip }) => {
    await using place = disposable(await subject.start())
    const { received } = place.server ?? place.recipient ?? skip('the mechanism connects to nothing')
    const abort = new AbortController()
    let isOver = false
    const signal = lookingFirst(abort.signal, () => isOver && abort.abort())
    await using client = createClient({
      onEvent: ({ type }) => {
        if (type === 'connected') isOver = true
      },
    })
    await expect(client.retrieve(place.object, { signal })).rejects.toMatchObject({ code: 'aborted' })
    expect([isOver, received]).toEqual([true, []])
  })
}
