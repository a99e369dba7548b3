import { seedTime } from '../files/tree.ts'
import { timeDigits } from '../text.ts'
import { type Article, head, overview } from './articles.ts'
import type { Group } from './groups.ts'
import { knows } from './kinds.ts'
import { listCommand } from './list.ts'
import { loginCapabilities, loginCommands } from './login.ts'
import { LOGIN_FIRST, type NntpSession } from './session.ts'

export type NntpCommand = (session: NntpSession, words: readonly string[]) => Promise<void>

/**
 * Makes ARTICLE, HEAD, BODY or STAT: all four find the article in the same way, and each shows another part (RFC 3977,
 * 6.2).
 */
function showing(code: number, text: ((article: Article) => string) | undefined): NntpCommand {
  return async (session, [which]) => {
    const found = which?.startsWith('<') ? byMessageId(session, which) : byNumber(session, which)
    if (typeof found === 'string') return session.reply(found)
    if (session.closed(found.group)) return session.reply(LOGIN_FIRST)
    // A message-id does not change the current article (RFC 3977, 6.2.1.2), and the reply has 0 for its number.
    if (!which?.startsWith('<')) session.current = found
    const line = `${code} ${which?.startsWith('<') ? 0 : found.number} ${found.messageId}`
    await (text ? session.block(line, text(found)) : session.reply(line))
  }
}

function byMessageId({ settings }: NntpSession, id: string): Article | string {
  for (const group of settings.groups) {
    const article = group.find(id)
    if (article) return article
  }
  return '430 No article with that message-id'
}

function byNumber(session: NntpSession, number: string | undefined): Article | string {
  if (!session.group) return '412 No newsgroup selected'
  if (number === undefined) return session.current ?? '420 Current article number is invalid'
  if (!/^\d{1,16}$/.test(number)) return '501 Syntax error'
  const none = `${session.settings.kind === 'rfc977' ? 430 : 423} No article with that number`
  return session.group.article(Number(number)) ?? none
}

/** The articles of `12`, `12-` or `12-34`; without a range, the current article (RFC 3977, 8.3). */
function inRange(session: NntpSession, range: string | undefined): readonly Article[] | string {
  if (!session.group) return '412 No newsgroup selected'
  if (range === undefined) return session.current ? [session.current] : '420 Current article number is invalid'
  const [, from = '', dash, to = ''] = /^(\d+)(?:(-)(\d*))?$/.exec(range) ?? []
  if (from === '') return '501 Syntax error'
  const last = dash ? (to === '' ? Number.POSITIVE_INFINITY : Number(to)) : Number(from)
  return [...articlesOf(session.group, Number(from), last)]
}

function* articlesOf(group: Group, from: number, to: number): Iterable<Article> {
  for (let number = Math.max(from, group.low); number <= Math.min(to, group.high); number++) {
    const article = group.article(number)
    if (article) yield article
  }
}

const OVER: NntpCommand = async (session, [which]) => {
  const byId = which?.startsWith('<') ? byMessageId(session, which) : undefined
  const found =
    byId === undefined ? inRange(session, which) : typeof byId === 'string' ? byId : [{ ...byId, number: 0 }]
  if (typeof found === 'string') return session.reply(found)
  if (found.some(({ group }) => session.closed(group))) return session.reply(LOGIN_FIRST)
  // RFC 3977, 8.3.1 uses 423; the older RFC 2980, 2.8 used 420.
  const none = session.settings.kind === 'rfc977' ? 420 : 423
  if (found.length === 0) return session.reply(`${none} No articles in that range`)
  await session.block('224 Overview information follows', found.map((article) => `${overview(article)}\n`).join(''))
}

/** Makes XHDR (RFC 2980, 2.6), or HDR, which answers with 225 (RFC 3977, 8.5). */
function headers(code: number): NntpCommand {
  return async (session, [field = '', which]) => {
    const byId = which?.startsWith('<') ? byMessageId(session, which) : undefined
    const articles = byId === undefined ? inRange(session, which) : typeof byId === 'string' ? byId : [byId]
    if (typeof articles === 'string') return session.reply(articles)
    if (articles.some(({ group }) => session.closed(group))) return session.reply(LOGIN_FIRST)
    const lines = articles.map(({ number, headers: fields }) => {
      const value = fields.find(([name]) => name.toLowerCase() === field.toLowerCase())?.[1] ?? ''
      return `${byId === undefined ? number : 0} ${value}\n`
    })
    await session.block(`${code} Header follows`, lines.join(''))
  }
}

function summary({ name, low, high }: Group): string {
  return `211 ${high - low + 1} ${low} ${high} ${name}`
}

/** Selects a group as the current one, or returns why it cannot. */
function select(session: NntpSession, name: string): Group | string {
  const group = session.settings.groups.find((candidate) => candidate.name === name)
  if (!group) return '411 No such newsgroup'
  if (session.closed(name)) return LOGIN_FIRST
  session.group = group
  session.current = group.article(group.low)
  return group
}

/** Makes NEXT or LAST (RFC 3977, 6.1.3 and 6.1.4). */
function stepping(step: 1 | -1, none: string): NntpCommand {
  return async (session) => {
    const { group, current } = session
    if (!group) return session.reply('412 No newsgroup selected')
    if (!current) return session.reply('420 Current article number is invalid')
    const next = group.article(current.number + step)
    if (!next) return session.reply(none)
    session.current = next
    await session.reply(`223 ${next.number} ${next.messageId}`)
  }
}

export const commands: Readonly<Record<string, NntpCommand>> = {
  async CAPABILITIES(session) {
    const reader = `READER\nLIST ACTIVE NEWSGROUPS OVERVIEW.FMT\n${session.settings.overviews ? 'OVER MSGID\n' : ''}`
    // RFC 3977, 5.3: a transit server offers either READER or MODE-READER.
    const mode = session.reader ? `${loginCapabilities(session)}${reader}` : 'MODE-READER\n'
    await session.block('101 Capability list:', `VERSION 2\nIMPLEMENTATION Retriever test server\n${mode}`)
  },

  async MODE(session, [mode]) {
    const reader = mode?.toUpperCase() === 'READER'
    session.reader ||= reader
    await session.reply(reader ? '201 Reader mode, no posting' : '501 MODE READER only')
  },

  async GROUP(session, [name]) {
    if (name === undefined) return session.reply('501 GROUP: a newsgroup is wanted')
    const group = select(session, name)
    await session.reply(typeof group === 'string' ? group : summary(group))
  },

  async LISTGROUP(session, [name, range]) {
    const group = name === undefined ? (session.group ?? '412 No newsgroup selected') : select(session, name)
    if (typeof group === 'string') return session.reply(group)
    session.current = group.article(group.low)
    const found = inRange(session, range ?? `${group.low}-`)
    if (typeof found === 'string') return session.reply(found)
    await session.block(`${summary(group)} list follows`, found.map(({ number }) => `${number}\n`).join(''))
  },

  LIST: listCommand,
  ARTICLE: showing(220, (article) => `${head(article)}\r\n${article.body}`),
  HEAD: showing(221, head),
  BODY: showing(222, (article) => article.body),
  STAT: showing(223, undefined),
  OVER,
  XOVER: OVER,
  HDR: headers(225),
  XHDR: headers(221),
  NEXT: stepping(1, '421 No next article'),
  LAST: stepping(-1, '422 No previous article'),

  /**
   * RFC 3977, 7.3: `NEWGROUPS 20010203 040506 GMT`; the year may have two digits. All groups are as old as the seed.
   */
  async NEWGROUPS(session, [date = '', time = '']) {
    const [, year = '', day = ''] = /^(\d{4}|\d\d)(\d{4})$/.exec(date) ?? []
    if (year === '' || !/^\d{6}$/.test(time)) return session.reply('501 Syntax error')
    const since = `${year.length === 4 ? '' : Number(year) < 70 ? '20' : '19'}${year}${day}${time}`
    const groups = session.settings.groups.filter(({ name }) => !session.closed(name))
    const lines = groups.map(({ name, low, high }) => `${name} ${high} ${low} n\n`)
    await session.block('231 New newsgroups follow', since <= timeDigits(seedTime) ? lines.join('') : '')
  },

  async DATE(session) {
    await session.reply(`111 ${timeDigits(new Date())}`)
  },

  async HELP(session) {
    const names = Object.keys(commands).filter((name) => knows(session, name))
    await session.block('100 Help text follows', `${names.sort().join('\n')}\n`)
  },

  ...loginCommands,

  async POST(session) {
    await session.reply('440 Posting not permitted')
  },

  async QUIT(session) {
    session.quit()
    await session.reply('205 Goodbye')
  },
}
