/** A directory that the server does not list is never shown as an empty one. */
import { describe, expect, test } from 'vitest'
import { entriesOf } from '../../../support/entries.ts'
import { failure } from '../../../support/failure.ts'
import { ftpMetadata } from '../../../support/metadata.ts'
import { joined, listed } from '../support/ftp-listed.ts'
import { scriptedTrial } from '../support/ftp-trial.ts'
import { type Script, sending } from '../support/scripted-ftp.ts'

const denied = '550 /pub: Permission denied\r\n'
const notFound = { code: 'not-found', reply: '550 /pub: Permission denied' }
const lines = sending(joined(['-rw-r--r--   1 ann      ann            27 Feb  3  2001 x']))
const empty = sending('')

/** The commands that asked for a listing. */
function asked(received: readonly string[]): readonly string[] {
  return received.filter((line) => /^(?:MLSD|LIST|NLST)/.test(line))
}

describe('a directory that may not be read (mode 711) is an error, not an empty table', () => {
  test.each<[string, Script, string[]]>([
    ['proftpd and pure-ftpd: MLSD 550, LIST without a line', { MLSD: denied, LIST: empty }, ['MLSD', 'LIST']],
    ['MLSD and LIST 550', { MLSD: denied, LIST: '550 no\r\n' }, ['MLSD', 'LIST']],
    ['MLSD 550, and LIST is not known', { MLSD: denied }, ['MLSD', 'LIST']],
    ['MLSD is not known, LIST 550', { LIST: denied, NLST: empty }, ['MLSD', 'LIST']],
  ])('%s', (_, script, commands) =>
    scriptedTrial(script, async ({ retrieve, server }) => {
      expect(await failure(retrieve('pub/').then(entriesOf))).toMatchObject(notFound)
      expect(asked(server.received)).toEqual(commands)
    }),
  )

  test('450 of MLSD and LIST', () =>
    scriptedTrial({ MLSD: '450 not now\r\n', LIST: '450 not now\r\n' }, async ({ failure: failed }) => {
      expect(await failed('pub/')).toMatchObject({ code: 'server-refused', reply: '450 not now' })
    }))

  test('vsftpd: LIST without a line, and words that tell', () => {
    const LIST = sending('', '150 -\r\n', '226 Transfer done (but failed to open directory).\r\n')
    return scriptedTrial({ LIST }, async ({ retrieve }) => {
      const error = await failure(retrieve('pub/').then(entriesOf))
      expect(error).toMatchObject({
        code: 'not-found',
        reply: '226 Transfer done (but failed to open directory).',
      })
    })
  })

  test('the session serves the next retrieval', () =>
    scriptedTrial({ MLSD: denied, LIST: denied }, async ({ failure: failed, get, server }) => {
      expect(await failed('pub/')).toMatchObject(notFound)
      expect((await get('pub/hello.txt')).toString()).toBe('Hello, world.\n')
      expect(server.peers).toHaveLength(1)
    }))
})

test('LIST gives what MLSD refuses', async () => {
  const { entries, representation } = await listed({ MLSD: denied, LIST: lines })
  expect(entries).toMatchObject([{ name: 'x', kind: 'file', size: 27 }])
  expect(ftpMetadata(representation).format).toBe('list')
})

test('a server that refused one MLSD is asked for the next', () =>
  scriptedTrial({ MLSD: denied, LIST: lines }, async ({ retrieve, server }) => {
    for (let times = 0; times < 2; times++) expect(await retrieve('pub/').then(entriesOf)).toHaveLength(1)
    expect(asked(server.received)).toEqual(['MLSD', 'LIST', 'MLSD', 'LIST'])
  }))

test('a login that may not list is told so, and asked for nothing else', () =>
  scriptedTrial({ MLSD: '530 not you\r\n', LIST: lines }, async ({ failure: failed, server }) => {
    expect(await failed('pub/')).toMatchObject({ code: 'auth-failed' })
    expect(asked(server.received)).toEqual(['MLSD'])
  }))
