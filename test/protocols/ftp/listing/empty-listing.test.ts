/** Some servers answer 226 at once for an empty folder, and send nothing over the data connection. */
import { createClient } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import { failure } from '../../../support/failure.ts'
import { type FtpPeer, type Script, scriptedFtp } from '../support/scripted-ftp.ts'

const done = '226 Transfer complete.\r\n'

/** Lists the folder of a server that follows this script. */
async function listed(script: Script, path = 'empty/'): Promise<string> {
  await using server = await scriptedFtp(script)
  await using client = createClient({ limits: { maxRetries: 0 } })
  const listing = await client.retrieve(`${server.url}${path}`)
  const names: string[] = []
  for await (const { name } of listing.entries()) names.push(name)
  // Another retrieval gets its own answers.
  expect(await (await client.retrieve(`${server.url}file`)).text()).toBe('Hello, world.\n')
  return names.join()
}

const closing = async (peer: FtpPeer): Promise<void> => {
  ;(await peer.data()).destroy()
  peer.say(done)
}
const unheard = (peer: FtpPeer): void => {
  peer.say(`229 passive (|||${peer.dataPort}|)\r\n`)
}

test.each<[string, Script]>([
  ['by MLSD, and closes the data connection', { MLSD: closing }],
  ['by LIST, where it knows no MLSD', { LIST: closing }],
  ['and accepts a data connection that stays silent', { MLSD: done, EPSV: unheard }],
  ['and listens at no port', { MLSD: done, EPSV: '229 passive (|||1025|)\r\n' }],
  ['one command at a time', { MLSD: closing, greeting: '220 one at a time\r\n' }],
])('a server answers so %s: the listing is empty', async (_, script) => expect(await listed(script)).toBe(''))

test.each<[string, Script, string]>([
  [
    'octets came all the same',
    {
      MLSD: async (peer) => {
        ;(await peer.data()).end('type=file;size=1; a\r\n')
        peer.say(done)
      },
    },
    'protocol-violation',
  ],
  ['MLSD was refused before, which says that it may not be read', { MLSD: '550 no\r\n', LIST: closing }, 'not-found'],
  [
    'its words say that it could not be read',
    { MLSD: '226 Transfer done (but failed to open directory).\r\n' },
    'not-found',
  ],
])('not if %s', async (_, script, code) => {
  await using server = await scriptedFtp(script)
  await using client = createClient({ limits: { maxRetries: 0 } })
  expect(await failure(client.retrieve(`${server.url}empty/`))).toMatchObject({ code })
})
