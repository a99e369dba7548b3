import { seedTime } from '../files/tree.ts'
import { type Article, article, type Draft } from './articles.ts'
import { announce, test } from './seed.ts'

/**
 * A newsgroup, numbered from `low` to `high` without holes. In an empty one, `high` is less than `low` (RFC 3977,
 * 6.1.1.2).
 */
export interface Group {
  readonly name: string
  readonly description: string
  readonly low: number
  readonly high: number
  article(number: number): Article | undefined
  /** Finds an article by its message-id with the angle brackets. */
  find(messageId: string): Article | undefined
}

export interface GroupOptions {
  /** How many articles `retriever.many` has; with 0 there is no such group. */
  readonly many: number
  /** Groups that need a login. A group that the seed does not have is made. */
  readonly private: readonly string[]
}

export function allGroups(options: GroupOptions): readonly Group[] {
  const groups = [...seed, ...(options.many > 0 ? [manyGroup(options.many)] : [])]
  const added = options.private.filter((name) => groups.every((group) => group.name !== name))
  return [...groups, ...added.map(privateGroup)].sort((one, other) => (one.name < other.name ? -1 : 1))
}

function seedGroup(name: string, description: string, drafts: readonly Draft[], low: number): Group {
  const articles = drafts.map((draft, index) => article(name, low + index, draft))
  return {
    name,
    description,
    low,
    high: low + articles.length - 1,
    article: (number) => articles[number - low],
    find: (messageId) => articles.find((candidate) => candidate.messageId === messageId),
  }
}

/** The numbers of the announce group do not begin at 1, since a client must not guess them. */
const seed: readonly Group[] = [
  seedGroup('retriever.announce', 'News of the test server.', announce, 41),
  seedGroup('retriever.empty', 'A group without articles.', [], 1),
  seedGroup('retriever.test', 'Tests.', test, 1),
]

function privateGroup(name: string): Group {
  const id = `private@${name}`
  return seedGroup(name, 'For those who have logged in.', [{ id, subject: 'Private', body: 'Not for all.\n' }], 1)
}

/** Makes each article when it is asked for, always the same, so that a million articles cost nothing. */
function manyGroup(count: number): Group {
  const name = 'retriever.many'
  const numbered = (number: number): Article | undefined =>
    Number.isInteger(number) && number >= 1 && number <= count ? article(name, number, manyDraft(number)) : undefined
  return {
    name,
    description: 'A large group.',
    low: 1,
    high: count,
    article: numbered,
    find: (messageId) => numbered(Number(/^<many-([1-9]\d*)@example\.net>$/.exec(messageId)?.[1])),
  }
}

const FILLING = 'Lines of no more than seventy-two characters.\n'

/** Drafts of threads of ten. The body has a few hundred octets, and some lines begin with dots. */
function manyDraft(number: number): Draft {
  const inThread = (number - 1) % 10
  const first = number - inThread
  return {
    id: `many-${number}@example.net`,
    subject: `${inThread === 0 ? '' : 'Re: '}Thread ${first}`,
    date: new Date(seedTime.getTime() + number * 60_000),
    more: inThread === 0 ? [] : [['References', `<many-${first}@example.net>`]],
    body: `This is article ${number}.\n.\n..\n.${number}\n${FILLING.repeat(1 + (number % 8))}`,
  }
}
