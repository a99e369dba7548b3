/** Which links become URLs of a queue. */
import { expect, test } from 'vitest'
import { type QueuedUrl, unpackBlock } from '../../packages/queue/src/frontier/block.ts'
import { Follower, scopeOf } from '../../packages/queue/src/frontier/follow.ts'

const page = 'http://a.example/x/index.html'

test.each([
  ['server', 'http://A.example:80/y', true],
  ['server', 'https://a.example/y', false],
  ['server', 'http://a.example.org/y', false],
  ['server', 'http://a.example/%zz', false],
  ['any', 'https://b.example/y', true],
  [['http://a.example/x/'], 'http://a.example/x/%79', true],
  [['http://a.example/x/'], 'http://a.example/y', false],
  [['http://a.example/x/', 'ftp://b.example'], 'ftp://b.example/y', true],
  [['ftp://b.example'], 'ftp://b.example.org/y', false],
  [['ftp://b.example'], 'ftp://b.example/%zz', false],
] as const)('within %j, a link to %s: %s', (scope, link, isWanted) => {
  expect(scopeOf({ depth: 1, scope })(link, page)).toBe(isWanted)
})

test('as many links lead from an added URL to one that is found as the depth says', () => {
  const follower = new Follower({} as ConstructorParameters<typeof Follower>[0], { depth: 2 })
  const follows = [undefined, 1, 2].map((depth) =>
    follower.follows({ url: page, ...(depth !== undefined && { depth }) }),
  )
  expect(follows).toEqual([true, true, false])
})

test.each<[string, string | undefined, string, boolean]>([
  ['added', undefined, 'http://a.example/x', false],
  ['added, with a redirect to TLS', undefined, 'https://a.example/x', false],
  ['added, with a redirect to another host', undefined, 'http://b.example/x', true],
  ['linked to', 'http://z.example/', 'http://a.example/x', true],
])('a link to the own server of a page that was %s keeps its page: %#', async (_, from, url, isKept) => {
  const added: QueuedUrl[] = []
  const run = async (...args: unknown[]): Promise<[number, number]> => {
    added.push(...unpackBlock(args[6] as Buffer).urls)
    return [1, 1]
  }
  const frontier = { shards: [{ run, keys: { job: () => 'job' }, addTurns: async () => {} }], sums: { kind: 'exact' } }
  const follower = new Follower(frontier as unknown as ConstructorParameters<typeof Follower>[0], { depth: 2 })
  const link = new URL('/y', url).href
  await follower.add({ url: 'http://a.example/x', ...(from && { from }) }, url, [link])
  expect(added).toEqual([{ url: link, depth: 1, ...(isKept && { from: url }) }])
})
