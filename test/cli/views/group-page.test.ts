import { startServers } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { hasTerminal, onPty } from '../../support/cli/pty.ts'
import { retrieve, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()

/** The page of a group with this overview on a terminal of 40 columns. */
async function screenOf(overview: readonly string[], group: string, args = ''): Promise<string> {
  const lines = overview.map((line) => `${line}\r\n`).join('')
  const replies = { GROUP: `211 ${group} g\r\n`, OVER: `224 here\r\n${lines}.\r\n` }
  await using servers = await startServers({ nntp: { faults: { replies } } })
  const { status, screen } = await onPty(folder(), `${args} '${servers.nntp.url}g'`, {}, { columns: 40 })
  expect(status).toBe(0)
  return screen.replaceAll('\r\n', '\n').replace(/:\d+\//g, ':119/')
}

describe.skipIf(!hasTerminal)('a newsgroup on a terminal (script of util-linux)', () => {
  test('number, day, subject and author of each article, the newest first, and how to go on', async () => {
    const overview = [
      '8\tOne\tAnn Author <ann@example.net>\tSat, 03 Feb 2001 04:05:06 +0000\t<1@x>\t\t10\t1',
      '9\tA subject that is long\t"Bo" <bo@example.net>\tno date\t<2@x>\t\t10\t1',
      '10\t=?utf-8?q?Gr=C3=BC=C3=9Fe?=\tann@example.net\t\t<3@x>\t\t10\t1',
      '11\tNobody\t\t\t<4@x>',
    ]
    expect(await screenOf(overview, '4 8 11')).toBe(
      [
        '     11              Nobody',
        '     10              Grüße',
        '                     (ann@example.net)',
        '      9              A subject that is',
        '                     long (Bo)',
        '      8  2001-02-03  One (Ann Author)',
        '',
        'To read one: retrieve open N, or',
        'retrieve nntp://127.0.0.1:119/g/11',
        '',
      ].join('\n'),
    )
  })

  test('answers stand below what they answer, and threads come by their newest article', async () => {
    const overview = [
      '1\tOld\tAnn\t\t<1@x>\t\t10\t1',
      '2\tLone\tBo\t\t<2@x>\t<gone@x>\t10\t1',
      '3\tRe: Old\tBo\t\t<3@x>\t<1@x>\t10\t1',
      '4\tRe: Old\tCy\t\t<4@x>\t<1@x> <3@x> <lost@x>\t10\t1',
      '5\tNew\tDi\t\t<5@x>\t<6@x>\t10\t1',
      '6\tAlso Old\tEd\t\t<6@x>\t<1@x> <5@x>\t10\t1',
    ]
    const screen = await screenOf(overview, '6 1 6')
    expect(screen.split('\n').slice(0, 6)).toEqual([
      '      5              New (Di)',
      '      6                Also Old (Ed)',
      '      1              Old (Ann)',
      '      3                Re: Old (Bo)',
      '      4                  Re: Old (Cy)',
      '      2              Lone (Bo)',
    ])
  })

  test('an empty group, and one of which there is more', async () => {
    expect(await screenOf([], '0 1 0')).toBe('There are no articles.\n')
    expect(await screenOf(['9\tOne\tA\t\t<1@x>'], '7 3 9', '--limit 1')).toContain(
      '\nThese are 1 of about 7 articles; --limit\nN is for more.\n',
    )
  })

  test('malformed overviews and control characters are shown harmless', async () => {
    const screen = await screenOf(['\x1b[2J', '9\ta\x1b]52;c;x\x07\t\x9b2J <a@b>\t\t<1@x>'], '2 8 9')
    expect(screen).toContain('\\e]52;c;x')
    expect(screen).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/)
  })
})

test('ls of groups says what they are about, and drives no terminal', async () => {
  const replies = { 'LIST NEWSGROUPS': '215 x\r\nretriever.test\tWords\x1b[2J\r\n.\r\n' }
  await using servers = await startServers({ nntp: { faults: { replies } } })
  const { stdout } = await retrieve(['ls', servers.nntp.url])
  expect(stdout).toMatch(/^ +\d+ {2}group +- +- +retriever\.test {2}Words\\e\[2J +nntp:/m)
  const json = (await retrieve(['ls', '--json', servers.nntp.url])).stdout.trim().split('\n')
  expect(json.map((line) => JSON.parse(line).details.description)).toEqual([undefined, undefined, 'Words\x1b[2J'])
})

test('-I of an article is its header', async () => {
  await using servers = await startServers({ nntp: true })
  const { status, stdout } = await retrieve(['-I', `${servers.nntp.url}retriever.test/2`])
  expect(status).toBe(0)
  expect(stdout).toMatch(/^(?:[\w-]+: [^\r\n]*\r\n)+\r\n$/)
  expect(stdout).toContain('\r\nsubject: Re: A first test\r\n')
  expect(servers.nntp.received).not.toContain('ARTICLE 2')
  expect((await retrieve(['-I', `${servers.nntp.url}retriever.test/4`])).stdout).toContain(
    '\r\nsubject: Grüße und ein €\r\n',
  )
})

test('without a server, what a person can type is told', async () => {
  const { stderr } = await retrieve(['news:x'], { env: { NNTPSERVER: '' } })
  expect(stderr).toContain('Name one by --news-server HOST, or by $NNTPSERVER.')
})
test.skipIf(hasTerminal)('SKIPPED: terminal tests need script(1) of util-linux', () => {})
