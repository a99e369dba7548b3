/** Case 44 of docs/internals/threats.md: no regular expression takes more than linear time on the octets of a peer. */
import { checkSync } from 'recheck'
import { expect, test } from 'vitest'
import { type Expression, expressionsIn, madeByImporting } from './support/regexps.ts'

// In this process: not by a thread or a Java program.
process.env.RECHECK_SYNC_BACKEND = 'pure'

const shipped = [
  ...['core', 'fetchers', 'cli', 'gateway', 'queue'].map((name) => `packages/${name}/src`),
  'test/servers/src',
]
const { literals, constructing } = expressionsIn(...shipped)

/** What the checker cannot decide or takes for slow, by the beginning of its source, and why it is not. */
const undecided: ReadonlyMap<string, string> = new Map([
  [
    String.raw`([?&;#]|%(?:25)*(?:3F|26|3B|23))[=+]?([^\s?&;#=]{1,100}?)(?:=|%(?:25)*3D)`,
    'A name has at most 100 characters, so 100 times the length of the text is the most.',
  ],
  [
    String.raw`(%(?:25)*2F%(?:25)*2F(?:[\w.~+-]|%(?!(?:25)*(?:2F|3A|40))){0,256}(?::|%(?:25)*3A))(?!`,
    'A user and a password have at most 256 characters each.',
  ],
  [
    String.raw`^(?:[\w.[\]-]*(?:token|`,
    'It is too large for the checker: a list of words behind one class of characters and an anchor.',
  ],
])

/** The files that make expressions at another time than their import: the checker does not see these. */
const madeLater: Readonly<Record<string, string>> = {
  'packages/core/src/secrets/redact.ts': 'Classes of one character.',
  'packages/core/src/url/host.ts': 'It looks for a run of the eight groups of an IPv6 address.',
  'packages/cli/src/options/connection/network.ts': 'It reads the value of --connect-to: parts that colons end.',
  'test/servers/src/rtsp/server.ts': 'Names of the server itself before a quoted string.',
}

const atImport = constructing.filter((file) => !Object.hasOwn(madeLater, file))
const made = await madeByImporting(atImport)

const beginning = (source: string): string | undefined => [...undecided.keys()].find((each) => source.startsWith(each))

// It computes the same each time, for minutes.
test('no expression takes more than linear time', { timeout: 900_000, retry: 0 }, () => {
  expect(made.length).toBeGreaterThanOrEqual(atImport.length)
  const distinct = new Map([...literals, ...made].map((each) => [`/${each.source}/${each.flags}`, each]))
  expect(distinct.size).toBeGreaterThan(900)
  const slow = [...distinct.values()].filter(({ source }) => beginning(source) === undefined).flatMap(slowness)
  expect(slow).toEqual([])
})

test('an exemption that nothing needs any more is taken out', () => {
  const needed = new Set([...literals, ...made].map(({ source }) => beginning(source)))
  expect([...undecided.keys()].filter((source) => !needed.has(source))).toEqual([])
  expect(Object.keys(madeLater).filter((file) => !constructing.includes(file))).toEqual([])
})

test.each([
  ['exponential', /(a+)+$/],
  ['exponential behind an anchor', /^(\w+\s?)*$/],
  ['quadratic: the end is looked for from each place', /\s+$/],
  ['quadratic: the part before the @ may hold an @', /^[^<> ]+@[^<> ]+$/],
  ['quadratic behind a lookahead, which only the fuzzer reads', /(?=a)a*b/],
])('the checker sees %s time', (_, { source, flags }) => {
  expect(slowness({ file: '', source, flags })).toHaveLength(1)
})

/**
 * An attack on an expression; none if there is none. The checker's automaton proves its verdict, and does not know
 * lookaround; long counted repetitions take it too much time. For these, its fuzzer looks for an attack.
 */
function slowness({ file, source, flags: given }: Expression): readonly object[] {
  // The checker does not know the flag that asks for the places of groups, which changes no match.
  const flags = given.replace('d', '')
  const proved = provedVerdict(source, flags)
  const isDecided = proved !== undefined && proved.status !== 'unknown'
  const verdict = isDecided ? proved : checkSync(source, flags, { checker: 'fuzz', timeout: 60_000, ...steady })
  if (verdict.status === 'safe') return []
  const attack = verdict.status === 'vulnerable' ? verdict.attack.pattern : verdict.error.kind
  return [{ file, expression: `/${source}/${flags}`, status: verdict.status, attack }]
}

/** The same attacks on any machine. */
const steady = { randomSeed: 1, attackTimeout: null, incubationTimeout: null }

function provedVerdict(source: string, flags: string): ReturnType<typeof checkSync> | undefined {
  try {
    return checkSync(source, flags, { checker: 'automaton', timeout: 2000 })
  } catch (error) {
    // The automaton of a{1,900} is too deep for its stack.
    if (error instanceof RangeError) return undefined
    throw error
  }
}
