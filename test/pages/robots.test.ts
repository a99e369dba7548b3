/** robots.txt of servers that want to keep us busy. The rules themselves are tested with Client.mirror. */
import { readRobots } from '@retriever/fetchers/pages'
import { expect, onTestFinished, test, vi } from 'vitest'

test('the longest rule decides, and the one that allows of two equally long ones, in any order', () => {
  const rules = ['disallow: /a', 'allow: /ab', 'disallow: /abc', 'allow: /*bc']
  for (const lines of [rules, rules.toReversed()]) {
    const robots = readRobots(['user-agent: *', ...lines].join('\n'))
    expect(['/', '/a', '/ab', '/abc', '/xbc'].map((path) => robots.allows(path))).toEqual([
      true,
      false,
      true,
      true,
      true,
    ])
  }
  expect(readRobots('').allows('/a')).toBe(true)
})

test.each([
  ['/foo-%24', ['/foo-$', '/foo-%24', '/foo-$1'], ['/foo-', '/foo']],
  ['/foo-%2A.html', ['/foo-*.html', '/foo-%2a.html'], ['/foo-1.html']],
  ['/*.gif$', ['/a.gif'], ['/a.gif?x', '/a.gif$']],
  ['/$a', ['/$a', '/%24ab'], ['/', '/a']],
  ['/a%2Fb', ['/a%2fb'], ['/a/b']],
  ['/a/b%3F', ['/a/b%3Fc'], ['/a/b?c', '/a%2Fb%3F']],
  ['/%7ejoe/%62%C3%A9', ['/~joe/bé', '/%7Ejoe/b%c3%a9'], ['/~joe/b']],
])('an escaped delimiter is another character than the delimiter: %s (RFC 9309 2.2.3)', (rule, forbidden, allowed) => {
  const robots = readRobots(`user-agent: *\ndisallow: ${rule}`)
  expect([...forbidden, ...allowed].filter((path) => !robots.allows(path))).toEqual(forbidden)
})

test('the delay is that of the group that counts', () => {
  const group = (agent: string, delay: string): string => `user-agent: ${agent}\ncrawl-delay: ${delay}\n`
  expect(readRobots(group('*', '1.5')).crawlDelay).toBe(1.5)
  expect(readRobots(group('*', '10') + group('retriever', '2')).crawlDelay).toBe(2)
  expect(readRobots(group('other', '3') + group('*', '-1')).crawlDelay).toBeNull()
})

test('a path is decoded once, not once for each of 60,000 rules', () => {
  const robots = readRobots(`user-agent: *\n${'allow: /\n'.repeat(60_000)}disallow: /%C3%A9`)
  const decode = vi.spyOn(globalThis, 'decodeURIComponent')
  onTestFinished(() => decode.mockRestore())
  expect(robots.allows('/%c3%a9/x')).toBe(false)
  expect(decode).toHaveBeenCalledTimes(1)
})
