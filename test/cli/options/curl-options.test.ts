import { createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import { accepted, acceptedOptions, notYet, readNames, refused } from '../../../packages/cli/src/curl/index.ts'
import { options } from '../../../packages/cli/src/options/index.ts'
import { parseCommandLine } from '../../../packages/cli/src/parse.ts'
import { curlOptions } from '../../support/cli/curl-options.ts'
import { retrieve, useBundle } from '../../support/cli/run.ts'

useBundle()

const others = [...refused, ...notYet].flatMap((row) => row.options).map(readNames)
const acceptedNames = accepted.flatMap((row) => row.options).map(readNames)

/** Long options of curl with another meaning in ours; their short forms are refused. */
const renamed = ['form', 'json', 'ftp-port']
/** Switches in ours that take a value in curl. */
const asSwitches = [...renamed, 'help']

describe('each option of curl', () => {
  test.each(curlOptions.map((option) => [option.long, option] as const))(
    '--%s is in one table, as in curl',
    (_, option) => {
      const { long, short, takesValue } = option
      const own = options.find((each) => each.long === long)
      const named = [...acceptedNames, ...others].filter((each) => each.long === long)
      expect(named.length + (own === undefined ? 0 : 1)).toBe(1)
      if (renamed.includes(long)) return
      expect(own ?? named[0]).toMatchObject(short === undefined ? {} : { short })
      const ours = own ?? acceptedNames.find((each) => each.long === long)
      if (ours !== undefined && !asSwitches.includes(long)) expect(ours.arg !== undefined).toBe(takesValue)
    },
  )

  test('has a short form that none of ours takes', () => {
    for (const { short, long } of options) {
      const theirs = curlOptions.find((each) => each.short === short)
      if (short !== undefined) expect(theirs?.long, `-${short}`).toBe(long)
    }
  })
})

test('the tables have no other option', () => {
  const known = curlOptions.map(({ long }) => long)
  const listed = [...acceptedNames, ...others].map(({ long }) => long)
  expect(listed.filter((long) => long !== undefined && !known.includes(long))).toEqual([])
})

test.each(acceptedOptions.map((option) => [option.long, option] as const))('--%s is accepted', (long, option) => {
  const values = option.row.values
  const value = ['GET', 'PEM', '5', 'nocwd'].find((each) => values?.test(each) ?? true) ?? ''
  const typed = option.takesValue ? [`--${long}`, value] : [`--${long}`]
  expect(parseCommandLine([...typed, 'u'])).toMatchObject({ operands: ['u'], given: [] })
  if (option.short !== undefined) {
    expect(parseCommandLine([`-s${option.short}`, ...typed.slice(1), 'u'])).toMatchObject({ operands: ['u'] })
  }
})

test('-X HEAD is -I, and the last of --fail and --no-fail counts', () => {
  const given = (...argv: string[]): string[] => parseCommandLine(argv).given.map(({ name }) => name)
  expect(given('-X', 'HEAD', 'u')).toEqual(['head'])
  expect(given('--no-fail', '--fail', 'u')).toEqual([])
  expect(given('--fail', '--no-fail', 'u')).toEqual(['no-fail'])
})

test('what a command line of curl asks for that happens anyway is accepted in silence', async () => {
  const typed = ['-fsSLRgqN#', '-X', 'GET', '--request=GET', '--basic', '--tlsv1.2', '--no-keepalive', '--http2']
  expect(await retrieve([...typed, 'data:,hello'])).toEqual({ status: 0, stdout: 'hello', stderr: '' })
})

test.each([
  [['-X', 'POST'], '-X POST is refused. Only GET is possible, and HEAD by -I: Retriever sends no data.'],
  [['--request=DELETE'], '--request DELETE is refused. Only GET is possible, and HEAD by -I: Retriever sends no data.'],
  [['-X'], '-X needs a value.'],
  [['--location=yes'], '--location is a switch and takes no value.'],
  [['--cert-type', 'DER'], '--cert-type DER is refused. Certificates and keys must be in PEM form.'],
  [['-d', 'a=b'], '--data is refused. Retriever only retrieves: no data is sent. With -G, it makes the query.'],
  [['-sTfile'], '-T is refused. Retriever only retrieves: no data, file or mail is sent.'],
  [['-F', 'a=b'], '-F is refused. HTTP forms cannot be posted; --form NAME=VALUE answers the forms of Gopher servers.'],
  [['-Q', 'DELE x'], '-Q is refused. Only the FTP commands of a retrieval are sent; the server is not changed.'],
  [
    ['--ftp-pret'],
    '--ftp-pret is an option of curl that Retriever does not have yet. PRET is for servers that hold files elsewhere ' +
      '(drftpd); PASV is sent without it.',
  ],
])('%j is exit status 2 and one sentence, and nothing is contacted', async (typed, message) => {
  let contacts = 0
  const server = createServer((socket) => {
    contacts++
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : null
  const { status, stderr } = await retrieve([`http://127.0.0.1:${port}/`, ...typed])
  await new Promise((resolve) => server.close(resolve))
  expect({ status, stderr, contacts }).toEqual({ status: 2, stderr: `retrieve: ${message}\n`, contacts: 0 })
})
