import { parseCaps } from '@retriever/fetchers/gopher'
import { describe, expect, test } from 'vitest'
import { runs } from '../../support/runs.ts'
import { replying, startPair } from './support/gopher-plus-client.ts'

const info = '+INFO: 0x\t/x\th.example\t70\t?\r\n'

// Quadratic time is a minute here, cubic time hours: the test's time limit is the budget.
describe('case 44, lines that are hard to match: linear time', () => {
  const pieces = [' ', '\t', ':', 'a', 'a ', ': ', '<', '>', '1', '.', '+', ';', '[', '%', '\xa0', '3 ', 'URL:', '\r']
  const lines = (start: string, piece: string): string =>
    ['', 'x', '\tx', ':x'].map((end) => ` ${start}${piece.repeat(runs(60_000) / piece.length)}${end}\r\n`).join('')

  test.each(pieces)('%j in attributes', async (piece) => {
    const starts = ['', 'a b', 'text/plain', 'a:<1', 'a:<1.', 'Mod-Date: <', 'Ask: ', 'Select: a:1']
    const all = starts.map((start) => lines(start, piece)).join('')
    const blocks = ['VIEWS', 'ADMIN', 'ASK', 'ABSTRACT', 'OTHER'].map((name) => `+${name}:\r\n${all}`).join('')
    const headings = lines('', piece).replaceAll(/^ /gm, '+INFO: ') + lines('', piece).replaceAll(/^ /gm, '+')
    await using pair = await startPair(replying({ '/x': `+-2\r\n${info}${blocks}${headings}` }))
    const [entry] = await pair.list('0/x%09%09!')
    expect(Object.keys(Object(entry?.details?.attributes))).toEqual(expect.arrayContaining(['VIEWS', 'ADMIN', 'ASK']))
  })

  test.each(pieces)('%j in a menu and in an error', async (piece) => {
    const long = piece.repeat(runs(60_000) / piece.length)
    const menu = ['0', 'h', '8', '3', 'i', '+']
      .flatMap((type) => [`${type}${long}\t\th\t70`, `${type}n\t${long}\th\t70`, `${type}n\tURL:${long}\th\t70`])
      .concat(Array.from({ length: 20 }, () => `0n\t/x\t${long}x\t70\r\n0n\t/x\th\t${long}\r\n0n\t/x\t[${long}\t70`))
    await using pair = await startPair(replying({ '/m': menu.join('\r\n'), '/e': `--2\r\n3 ${long}` }))
    expect((await pair.list('1/m')).length).toBeGreaterThan(50)
    expect(await pair.failure('0/e%09%09+')).toMatchObject({ code: 'server-refused' })
  })

  test.each(pieces)('%j in caps.txt', (piece) => {
    expect(parseCaps(`CAPS\n${lines('', piece)}a${lines('', piece)}`)).toBeTruthy()
  })
})

test('messages tell of some questions and choices, however many there are', async () => {
  const asking = (questions: string) => ({ '/x\t!': `+-1\r\n${info}+ASK:\r\n${questions}.\r\n` })
  const choices = ` Choose: c${'\tred'.repeat(5000)}\r\n Select: s${'\tred'.repeat(5000)}\r\n`
  for (const [questions, form] of [
    [' Ask: q\r\n'.repeat(5000), { none: '' }],
    [choices, { 1: 'none' }],
    [choices, { 2: ['none'] }],
    [choices, undefined],
  ] as const) {
    await using pair = await startPair(replying(asking(questions)))
    const { message } = await pair.failure('0/x%09%09?', form && { form })
    expect(message).toMatch(/, and (?:4970|4968) more/)
    expect(message.length).toBeLessThan(1000)
  }
})
