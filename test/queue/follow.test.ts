/** Which links become URLs of a queue. */
import { expect, test } from 'vitest'
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
