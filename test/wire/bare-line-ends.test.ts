/** Servers that end all lines with LF alone. The connection stays open after the block, so its end must be seen. */
import { createClient } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import { startScriptedServer } from '../support/scripted-server.ts'

const block = '.. and\na dot\n.\n'

test.each<[scheme: string, path: string, greeting: string, replies: Readonly<Record<string, string>>, text: string]>([
  [
    'dict',
    'd:word:wn',
    '220 x <1@h>\n',
    { DEFINE: `150 1 definitions\n151 "word" wn "WordNet"\n${block}250 ok\n` },
    'From WordNet [wn]:\r\n\r\n. and\na dot\n',
  ],
  ['dict', 'show:server', '220 x <1@h>\n', { SHOW: `114 about\n${block}250 ok\n` }, '. and\na dot\n'],
  ['pop', '1', '+OK\n', { USER: '+OK\n', PASS: '+OK\n', RETR: `+OK\n${block}` }, '. and\na dot\n'],
  ['nntp', 'g/1', '200 x\n', { GROUP: '211 1 1 1 g\n', ARTICLE: `220 1 <1@h>\n${block}` }, '. and\na dot\n'],
])('%s: %s', async (scheme, path, greeting, replies, text) => {
  const answer = (line: string): string => replies[line.split(' ')[0] ?? ''] ?? '500 unknown\n'
  let seen = 0
  await using server = await startScriptedServer((socket, received) => {
    const lines = received.split('\r\n').slice(0, -1)
    socket.write(lines.slice(seen).map(answer).join(''))
    seen = lines.length
  }, greeting)
  await using client = createClient({ credentials: () => ({ user: 'alice', password: 'secret' }) })
  const representation = await client.retrieve(`${scheme}://127.0.0.1:${server.port}/${path}`)
  expect(await representation.text()).toBe(text)
})
