/** The files of a scheme of the kind `line`, by path. */
export function filesOf({ name, port, title, spec }) {
  const scheme = { name, port, title, spec }
  return {
    [`packages/core/src/schemes/${name}.ts`]: schemeFile(scheme),
    [`packages/fetchers/src/protocols/${name}/about.ts`]: aboutFile(scheme),
    [`packages/fetchers/src/protocols/${name}/index.ts`]: fetcherFile(scheme),
    [`test/protocols/${name}/contract.test.ts`]: contractTest(scheme),
    [`test/protocols/${name}/urls/${name}.json`]: urlTable(scheme),
    [`docs/schemes/${name}.md`]: page(scheme),
  }
}

function schemeFile({ name, port, title, spec }) {
  return `import type { LinePlan } from '../plan.ts'
import type { Place, Scheme } from '../scheme.ts'
import type { Locator } from '../url/locator.ts'
import { decodeOctets } from '../url/percent.ts'

/** \`${name}://host:port/query\`: the query is the line that is sent. */
export const ${name}: Scheme = {
  name: '${name}',
  title: '${title}',
  spec: '${spec}',
  mechanism: '${name}',
  defaultPort: ${port},
  tls: 'none',
  host: 'required',
  userinfo: 'forbidden',
  query: false,
  lineParts: ['urlPath'],
  sendsFirst: true,
  resolve: ${name}Plan,
}

function ${name}Plan({ urlPath }: Locator, { host, port }: Place): LinePlan<'${name}'> {
  const query = decodeOctets(urlPath ?? '')
  return { mechanism: '${name}', host, port, tls: 'none', query, wire: [\`\${query}\\r\\n\`] }
}
`
}

function aboutFile({ name, title }) {
  return `import { ${name} as ${name}Scheme } from '@retriever/core/internal'
import type { About } from '../../contract/about.ts'

export const ${name}: About<'${name}'> = {
  mechanism: '${name}',
  schemes: [${name}Scheme],
  title: '${title}',
  honours: {},
}
`
}

function fetcherFile({ name, title, spec }) {
  return `import type { Fetcher } from '../../contract/fetcher.ts'
import { lineAnswer } from '../../wire/line-answer.ts'
import { ${name} } from './about.ts'

/** ${title} (${spec}): one line is sent, and the answer lasts to the end of the connection. */
export function ${name}Fetcher(): Fetcher<'${name}'> {
  return {
    ...${name},
    retrieve: async (plan, context) => ({ ...(await lineAnswer(plan, context, ${name}.title)), metadata: {} }),
  }
}
`
}

function contractTest({ name }) {
  return `import { createClient } from '@retriever/fetchers'
import { type ServerOptions, startServer, type TestServer } from '@retriever/servers'
import { expect, test } from 'vitest'
import { testFetcher } from '../../support/contract/fetcher.ts'
import { bytesOf } from '../../support/contract/observe.ts'

/** A server that answers each line by a text. */
function start(options: ServerOptions = {}): Promise<TestServer> {
  return startServer({
    ...options,
    scheme: '${name}',
    async serve(connection) {
      const query = await connection.readLine()
      if (query === undefined || (await connection.sendFault(query))) return
      await connection.sendBody(answerTo(query))
    },
  })
}

function answerTo(query: string): string {
  return \`The answer to "\${query}".\\r\\n\`
}

testFetcher({
  mechanism: '${name}',
  bytes: Buffer.from(answerTo('hello')),
  stalls: [
    ['greeting', 'request'],
    ['response', 'request'],
    ['body', 'body'],
  ],
  unframed: true,
  async start(faults = {}) {
    const server = await start({ faults })
    return { server, object: \`\${server.url}hello\` }
  },
})

test.each([
  ['', ''],
  ['hello', 'hello'],
  ['a%20b/c', 'a b/c'],
])('the path %j sends the line %j', async (path, line) => {
  await using server = await start()
  await using client = createClient()
  const representation = await client.retrieve(server.url + path)
  expect(representation).toMatchObject({ kind: 'object', mediaType: 'text/plain', completeness: 'eof-only' })
  expect(await representation.text()).toBe(answerTo(line))
  expect(server.received).toEqual([line])
})

test('an answer without an octet is an empty text', async () => {
  await using server = await start({ faults: { replies: { nothing: '' } } })
  await using client = createClient()
  expect(await bytesOf(client, \`\${server.url}nothing\`)).toHaveLength(0)
})

test('a second line in the URL is refused', async () => {
  await using client = createClient()
  await expect(client.retrieve('${name}://127.0.0.1:1/a%0D%0Ab')).rejects.toMatchObject({
    code: 'refused',
    phase: 'policy',
  })
})

test('a range is refused', async () => {
  await using client = createClient()
  await expect(client.retrieve('${name}://127.0.0.1/x', { range: [0, 1] })).rejects.toMatchObject({
    code: 'range-refused',
  })
})
`
}

function urlTable({ name, port, spec }) {
  const plan = { mechanism: name, host: 'h', port, tls: 'none', query: 'a', wire: ['a\r\n'] }
  // Another protocol's port, whichever this one's is.
  const foreign = port === 25 ? 23 : 25
  const rows = [
    { url: `${name}://h/a`, rfc: spec, plan, findings: [] },
    { url: `${name}://h`, rfc: spec, plan: { query: '', wire: ['\r\n'] } },
    { url: `${name}://h/a%20b?c`, rfc: spec, plan: { query: 'a b?c', wire: ['a b?c\r\n'] } },
    { url: `${name}://h/a%0D%0Ab`, rfc: 'RFC 1738 6', findings: ['encoded-delimiter'] },
    { url: `${name}://h/%00`, rfc: 'RFC 1738 6', findings: ['encoded-delimiter'] },
    { url: `${name}://h:${foreign}/a`, rfc: 'threats.md case 55', findings: ['foreign-port'] },
    { url: `${name}:///a`, rfc: spec, error: 'malformed-url' },
    { url: `${name}://user@h/a`, rfc: spec, error: 'malformed-url' },
  ]
  // As the formatter writes it: lists in one line, objects in several.
  const json = JSON.stringify([`${spec}.`, ...rows], null, 2)
  return `${json.replace(/\[\n +("[^"]*"|)\n +\]/g, '[$1]')}\n`
}

function page({ name, port, title, spec }) {
  return `# ${name}

## Syntax

\`${name}://host[:port][/query]\`, without user and password.

## Meaning

What the host answers to one line, the query.

## What is sent

One line, the query, over TCP, port ${port}. The URL decides every octet of it, so an encoded CR, LF or NUL is refused,
and so are the ports of other protocols and of databases.

\`\`\`console
$ retrieve explain '${name}://h/a'
${name}://h/a
  is       ${title} (${spec})
  means    query "a"
  goes to  h, TCP port ${port}
  sends    a\\r\\n
\`\`\`

## Result

The answer, a text, to the end of the connection. A cut answer looks like a whole one, so \`completeness\` is
\`eof-only\`. An answer without an octet is an empty text.

## Errors

\`malformed-url\`; \`refused\`; \`range-refused\`, since the protocol sends no parts of an answer.

## Spec

${spec}.
`
}
