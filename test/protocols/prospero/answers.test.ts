/** Answers of other servers than the one that was recorded, as the protocol allows them. */
import { startProsperoServer } from '@retriever/servers'
import { expect, test } from 'vitest'
import { remarks } from '../../support/events.ts'
import { body, listed } from '../../support/outcome.ts'

const own = "ATTRIBUTE OBJECT INTRINSIC ACCESS-METHOD SEQUENCE PROSPERO-CONTENTS '' '' '' ''\n"
const size = "ATTRIBUTE OBJECT INTRINSIC SIZE SEQUENCE '5 bytes'\n"
const data = 'ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA hello\n'
const info = 'GET-OBJECT-INFO ACCESS-METHOD+BASE-TYPE+SIZE+LAST-MODIFIED ASCII /a 0'
const contents = 'GET-OBJECT-INFO CONTENTS ASCII /a 0'
const links = 'DIRECTORY ASCII /a | LIST ATTRIBUTES COMPONENTS'

async function retrieve(replies: Readonly<Record<string, string>>, fields: string = '') {
  await using server = await startProsperoServer({ faults: { replies } })
  const { got, error, events } = await body(`${server.url}/a${fields}`, { limits: { idleTimeout: 2500 } })
  return { got: got?.toString() ?? null, error, remarks: remarks(events), received: [...server.received] }
}

test.each([
  ['the server refuses it', 'FAILURE NOT-AUTHORIZED you may not\n', 'access-denied', /NOT-AUTHORIZED you may not/],
  ['the server does not know the attribute', 'ERROR unknown CONTENTS\n', 'server-refused', /ERROR unknown CONTENTS/],
  ['the server has none', 'NONE-FOUND\n', 'not-found', /no contents/],
])(
  'property 12: a plain file whose contents do not come, because %s, is an error',
  async (_, answer, code, message) => {
    const { got, error } = await retrieve({ [info]: own + size, [contents]: answer })
    expect({ got, error }).toMatchObject({ got: null, error: { code, message: expect.stringMatching(message) } })
  },
)

test('contents that have moved are followed', async () => {
  const replies = { [info]: own, [contents]: 'FORWARDED INTERNET-D LOCALHOST ASCII /docs/hello.txt 0\n' }
  expect(await retrieve(replies)).toMatchObject({ got: 'hello from prospero\n', error: null })
})

test('contents that come with the attributes are the file, and are not asked for', async () => {
  const { got, received } = await retrieve({ [info]: own + size + data })
  expect(got).toBe('hello')
  expect(received).toEqual([info])
})

test('property 18: contents of another length than the size are told', async () => {
  const { got, remarks } = await retrieve({ [info]: own + size.replace('5', '50'), [contents]: data })
  expect({ got, remarks }).toEqual({ got: 'hello', remarks: ['The file has 5 octets; its size was said to be 50.'] })
})

test('attributes that do not say what they apply to are those of the object', async () => {
  const old = 'ATTRIBUTE FIELD ACCESS-METHOD AFTP INTERNET-D ftp.example.org ASCII /pub/a BINARY\n'
  await using server = await startProsperoServer({
    faults: { replies: { [info]: old, [links]: 'FAILURE NOT-A-DIRECTORY\n' } },
  })
  const { got, events } = await listed(`${server.url}/a`)
  expect(got).toMatchObject([{ name: 'AFTP', url: 'ftp://ftp.example.org/pub/a;type=i' }])
  expect(remarks(events)).toEqual([expect.stringMatching(/^The data are elsewhere; .*followAccess.* gets them/)])
})

test('a filter that a client should apply is told', async () => {
  const filter = 'ATTRIBUTE LINK FIELD FILTER FILTER DIRECTORY CLIENT POST PREDEFINED sort ARGS name\n'
  await using server = await startProsperoServer({
    faults: { replies: { [links]: `LINK  L DIRECTORY sub INTERNET-D LOCALHOST ASCII /docs 0\n${filter}` } },
  })
  const { got, events } = await listed(`${server.url}/a`)
  expect(got).toMatchObject([{ name: 'sub', kind: 'directory' }])
  expect(remarks(events)).toEqual(['The link sub has a filter (sort), which is not applied.'])
})

test('the fields of a URL hold for the place to which the object has moved', async () => {
  const replies = {
    [info.replace(' ASCII', '+COLOUR ASCII')]: 'FORWARDED INTERNET-D LOCALHOST ASCII /docs/hello.txt 0\n',
  }
  const { error, received } = await retrieve(replies, ';COLOUR=red%3B')
  expect(error).toMatchObject({ code: 'not-found', message: expect.stringMatching(/whose COLOUR is red;/) })
  expect(received.at(-1)).toMatch(/COLOUR ASCII \/docs\/hello.txt/)
})
