/** The bars of several bodies, on the screen of a terminal. */

import type { ServerResponse } from 'node:http'
import { beforeAll, describe, expect, test } from 'vitest'
import { listServer } from '../../support/cli/list-server.ts'
import { temporaryFolder, useBundle } from '../../support/cli/run.ts'
import { hasTmux } from '../../support/cli/tmux.ts'
import { onScreen } from '../../support/cli/tmux-session.ts'

useBundle()
const folder = temporaryFolder()

/** The responses that have sent half of their bodies. */
let halves: ServerResponse[] = []
const server = listServer(({ url = '', headers }, response) => {
  if (url.includes('missing')) {
    response.statusCode = 404
    response.end()
  } else if (url.includes('secret') && headers.authorization === undefined) {
    response.writeHead(401, { 'WWW-Authenticate': `Basic realm="${url}"` }).end()
  } else if (url.includes('whole') || url.includes('secret')) response.end('whole')
  else {
    response.setHeader('Content-Length', 2_000_000)
    response.write(Buffer.alloc(1_000_000))
    halves.push(response)
  }
})
let base = ''
beforeAll(() => {
  base = server()
})

const names = ['the-first-of-many.iso', 'second.iso', 'missing', 'third.iso']
const urls = (suffix: string): string => names.map((name) => `${base}/${suffix}-${name}`).join(' ')

/** The lines of bars, and the one on all URLs. */
const barsOf = (screen: string): string[] => screen.split('\n').filter((line) => /%|^\[/.test(line))

describe.skipIf(!hasTmux)('within tmux', () => {
  test.each([
    [
      80,
      [/^a80-second\.iso +50% /, /^a80-the-first-of-many\.iso +50% .*977 KiB of 1\.9 MiB, /, /^a80-third\.iso +50% /],
    ],
    [50, [/^a50-second\.iso +50% /, /^a50-the\.\.ny\.iso +50% /, /^a50-third\.iso +50% /]],
    [25, [/^a25\.\.iso +50%/, /^a25\.\.iso +50%/, /^a25\.\.iso +50%/]],
  ])('a bar for each body, and a line on all, in %i columns', async (columns, bars) => {
    halves = []
    using screen = onScreen(folder(), `-Z --remote-name-all ${urls(`a${columns}`)}`, columns)
    const shown = await screen.shows(/(?:.*50%.*\n){3}\[1\/4\] 1 failed/)
    const [last, ...lines] = barsOf(shown).reverse()
    expect(last).toMatch(/^\[1\/4\] /)
    expect(shown).toMatch(/^failed: 1 at 127\.0\.0/m)
    expect(lines.toSorted()).toEqual(bars.map((bar) => expect.stringMatching(bar)))
    for (const line of shown.split('\n')) expect(line.length).toBeLessThanOrEqual(columns)
    for (const response of halves) response.end(Buffer.alloc(1_000_000))
    const ended = await screen.shows(/ended with 22/)
    expect(ended.replace(/\n */g, ' ')).toContain('3 of 4, 1 failed; 5.7 MiB in ')
    expect(barsOf(ended)).toEqual([])
  })

  test('Ctrl-C takes the bars away, and says what is left', async () => {
    using screen = onScreen(folder(), `-Z --remote-name-all ${urls('b')}`, 80)
    await screen.shows(/(?:.*50%.*\n){3}\[1\/4\] /)
    screen.type('C-c')
    const ended = await screen.shows(/ended with 130/)
    expect(barsOf(ended)).toEqual([])
    expect(ended.replaceAll('\n', '')).toContain('0 of 4, 1 failed, 3 broken off')
    expect(ended.match(/\.part keeps/g)).toHaveLength(3)
  })

  test('after a resize, the lines have the new width', async () => {
    using screen = onScreen(folder(), `-Z --remote-name-all ${urls('c')}`, 80)
    await screen.shows(/(?:.*50%.*\n){3}\[1\/4\] /)
    screen.resize(25)
    await screen.shows(/(?:^.{8} +50%.{0,12}\n){3}\[1\/4\] .{0,16}\s*$/m)
    screen.resize(80)
    await screen.shows(/(?:of 1\.9 MiB, .*\n.*){3}\[1\/4\] 1 failed/)
  })

  test('passwords are asked for one after the other, and nothing else comes on the terminal meanwhile', async () => {
    const other = base.replace('127.0.0.1', 'localhost')
    const typed = `-Z --remote-name-all ${base}/secret-1 ${base}/secret-2 ${other}/secret-3 ${base}/c-whole ${base}/c-missing`
    using screen = onScreen(folder(), `-u alice ${typed}`, 80)
    const first = await screen.shows(/Password of alice at [\w.]+:\d+.*:/)
    expect(first.match(/Password/g)).toHaveLength(1)
    expect(first).not.toContain('[')
    screen.type('one', 'Enter')
    const second = await screen.shows(/Password of alice at [\w.]+:\s*(?:.*\n)*Password of alice at [\w.]+:/)
    expect(second.match(/Password/g)).toHaveLength(2)
    screen.type('two', 'Enter')
    const ended = await screen.shows(/ended with 22/)
    expect(ended).toContain('4 of 5, 1 failed')
    expect(ended).not.toMatch(/one|two/)
  })
})
