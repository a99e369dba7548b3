import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { createClient, type Fetcher } from '@retriever/fetchers'
import { ftpFetcher } from '@retriever/fetchers/ftp'
import { describe, expect, test } from 'vitest'
import { bytesOf, failureOf } from './support/contract/observe.ts'
import { Player } from './support/transcript/player.ts'
import { type Mode, parseScript, type Script } from './support/transcript/script.ts'

const folder = new URL('./protocols/', import.meta.url)
/** Transcripts that name no URL belong to a mechanism's own test, which replays them its own way. */
const scripts = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\/transcripts\/.*\.txt$/.test(name))
  .map((name) => [name, readFileSync(new URL(name, folder), 'latin1')] as const)
  .filter(([, text]) => text.startsWith('# url: '))
  .sort()

test.each(['ftp', 'gopher', 'nntp'])('%s has transcripts, of servers and of attackers', (protocol) => {
  expect(scripts.filter(([name]) => name.startsWith(`${protocol}/transcripts/`)).length).toBeGreaterThanOrEqual(6)
})

describe.each(scripts)('%s', (_, text) => {
  const script = parseScript(text)

  test.each(script.modes)('%s', async (mode) => {
    await using player = await Player.start(script, mode)
    // A transcript has one command after the other's reply.
    const fetchers = [ftpFetcher({ pipelining: false }) as Fetcher]
    await using client = createClient({ fetchers, limits: { maxRetries: 0 } })
    try {
      await check(script, client, player.url)
    } catch (error) {
      await client.close()
      throw new Error([await player.mismatches(), String(error)].join('\n'), { cause: error })
    }
    await client.close()
    expect(await player.mismatches()).toBe('')
  })
})

async function check({ expect: wanted }: Script, client: ReturnType<typeof createClient>, url: string): Promise<void> {
  if (wanted.kind === 'error') {
    expect((await failureOf(bytesOf(client, url))).code).toBe(wanted.code)
  } else if (wanted.kind === 'bytes') {
    expect((await bytesOf(client, url)).toString('latin1')).toBe(wanted.octets)
  } else {
    const names: string[] = []
    for await (const { name } of (await client.retrieve(url)).entries()) names.push(name)
    expect(names).toEqual(wanted.names)
  }
}

describe('the player', () => {
  const script = parseScript('# url: x://{HOST}/\n# expect: error x\nS: hi\nC: RIGHT\nS| a\\r\\nb\\x00')

  function send(url: string, octets: string): Promise<string[]> {
    const socket = connect(Number(url.split(':').at(-1)?.slice(0, -1)), '127.0.0.1', () => socket.write(octets))
    const segments: string[] = []
    socket.setEncoding('latin1')
    socket.on('data', (piece: string) => void segments.push(piece))
    socket.on('error', () => {})
    return new Promise((resolve) => socket.once('close', () => resolve(segments)))
  }

  test.each<[Mode, number]>([
    ['whole', 2],
    ['bytes', 9],
    ['split-crlf', 4],
  ])('%s: real segments', async (mode, count) => {
    await using player = await Player.start(script, mode)
    const segments = await send(player.url, 'RIGHT\r\n')
    expect(segments.join('')).toBe('hi\r\na\r\nb\0')
    expect(segments).toHaveLength(count)
    expect(await player.mismatches()).toBe('')
  })

  test('says on which line the client went wrong', async () => {
    await using player = await Player.start(script, 'whole')
    await send(player.url, 'WRONG\r\n')
    expect(await player.mismatches()).toBe('line 4: expected "RIGHT\\r\\n"\n          but got  "WRONG\\r\\n"')
  })

  test('notices what was sent beyond the script', async () => {
    await using player = await Player.start(script, 'whole')
    await send(player.url, 'RIGHT\r\nMORE\r\n')
    expect(await player.mismatches()).toMatch(/after the script the client sent "MORE/)
  })

  test.each(['nonsense', 'X: dance', 'S| \\q'])('refuses the line %s', (line) => {
    expect(() => parseScript(`# url: x\n# expect: error x\n${line}`)).toThrow()
  })
})
