import { timeDigits } from '../text.ts'
import { type Article, type Group, head, high, low, overview, seedGroups } from './articles.ts'
import { listCommand } from './list.ts'
import type { NntpSession } from './session.ts'

export type NntpCommand = (session: NntpSession, words: readonly string[]) => Promise<void>

/** ARTICLE, HEAD, BODY, STAT: one way to find the article, four to show it (RFC 3977, 6.2). */
function showing(code: number, text: ((article: Article) => string) | undefined): NntpCommand {
  return async (session, [which]) => {
    const found = which?.startsWith('<') ? byMessageId(which) : byNumber(session, which)
    if (typeof found === 'string') return session.reply(found)
    // A message-id does not move the current article (RFC 3977, 6.2.1.2), and 0 stands for its number.
    if (!which?.startsWith('<')) session.current = found
    const line = `${code} ${which?.startsWith('<') ? 0 : found.number} ${found.messageId}`
    await (text ? session.block(line, text(found)) : session.reply(line))
  }
}

function byMessageId(id: string): Article | string {
  for (const group of seedGroups) {
    const article = group.articles.find((candidate) => candidate.messageId === id)
    if (article) return article
  }
  return '430 No article with that message-id'
}

function byNumber(session: NntpSession, number: string | undefined): Article | string {
  if (!session.group) return '412 No newsgroup selected'
  if (number === undefined) return session.current ?? '420 Current article number is invalid'
  if (!/^\d{1,16}$/.test(number)) return '501 Syntax error'
  const article = session.group.articles.find((candidate) => candidate.number === Number(number))
  return article ?? '423 No article with that number'
}

/** `12`, `12-`, `12-34`; none is the current article (RFC 3977, 8.3). */
function inRange(session: NntpSession, range: string | undefined): readonly Article[] | string {
  if (!session.group) return '412 No newsgroup selected'
  if (range === undefined) return session.current ? [session.current] : '420 Current article number is invalid'
  const [, from = '', dash, to = ''] = /^(\d+)(-?)(\d*)$/.exec(range) ?? []
  if (from === '') return '501 Syntax error'
  const last = dash ? (to === '' ? Number.POSITIVE_INFINITY : Number(to)) : Number(from)
  return session.group.articles.filter(({ number }) => number >= Number(from) && number <= last)
}

const OVER: NntpCommand = async (session, [which]) => {
  const byId = which?.startsWith('<') ? byMessageId(which) : undefined
  const found =
    byId === undefined ? inRange(session, which) : typeof byId === 'string' ? byId : [{ ...byId, number: 0 }]
  if (typeof found === 'string') return session.reply(found)
  if (found.length === 0) return session.reply('423 No articles in that range')
  await session.block('224 Overview information follows', found.map((article) => `${overview(article)}\n`).join(''))
}

function summary(group: Group): string {
  return `211 ${group.articles.length} ${low(group)} ${high(group)} ${group.name}`
}

function select(session: NntpSession, name: string): Group | undefined {
  const group = seedGroups.find((candidate) => candidate.name === name)
  if (!group) return undefined
  session.group = group
  session.current = group.articles[0]
  return group
}

/** NEXT and LAST (RFC 3977, 6.1.3 and 6.1.4). */
function stepping(step: 1 | -1, none: string): NntpCommand {
  return async (session) => {
    const { group, current } = session
    if (!group) return session.reply('412 No newsgroup selected')
    if (!current) return session.reply('420 Current article number is invalid')
    const next = group.articles[group.articles.indexOf(current) + step]
    if (!next) return session.reply(none)
    session.current = next
    await session.reply(`223 ${next.number} ${next.messageId}`)
  }
}

export const commands: Readonly<Record<string, NntpCommand>> = {
  async CAPABILITIES(session) {
    const auth = session.authRequired && !session.loggedIn ? 'AUTHINFO USER\n' : ''
    const list = 'LIST ACTIVE NEWSGROUPS OVERVIEW.FMT\n'
    const text = `VERSION 2\nIMPLEMENTATION Retriever test server\nREADER\n${auth}${list}OVER MSGID\n`
    await session.block('101 Capability list:', text)
  },

  async MODE(session, [mode]) {
    const reader = mode?.toUpperCase() === 'READER'
    await session.reply(reader ? '201 Reader mode, no posting' : '501 MODE READER only')
  },

  async GROUP(session, [name]) {
    if (name === undefined) return session.reply('501 GROUP: a newsgroup is wanted')
    const group = select(session, name)
    await session.reply(group ? summary(group) : '411 No such newsgroup')
  },

  async LISTGROUP(session, [name, range]) {
    const group = name === undefined ? session.group : select(session, name)
    if (!group) return session.reply(name === undefined ? '412 No newsgroup selected' : '411 No such newsgroup')
    session.current = group.articles[0]
    const found = range === undefined ? group.articles : inRange(session, range)
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
  NEXT: stepping(1, '421 No next article'),
  LAST: stepping(-1, '422 No previous article'),

  async DATE(session) {
    await session.reply(`111 ${timeDigits(new Date())}`)
  },

  async HELP(session) {
    await session.block('100 Help text follows', `${Object.keys(commands).sort().join('\n')}\n`)
  },

  /** RFC 4643, 2.3: 381, then 281 or 481; 482 out of order; 502 once logged in. */
  async AUTHINFO(session, [kind, value]) {
    const step = kind?.toUpperCase()
    if (session.loggedIn) return session.reply('502 Already logged in')
    if (value === undefined || (step !== 'USER' && step !== 'PASS')) return session.reply('501 AUTHINFO USER or PASS')
    if (step === 'USER') {
      session.user = value
      return session.reply('381 Password required')
    }
    if (session.user === undefined) return session.reply('482 AUTHINFO USER first')
    session.loggedIn = session.user === 'alice' && value === 'secret'
    session.user = undefined
    await session.reply(session.loggedIn ? '281 Welcome' : '481 Authentication failed')
  },

  async POST(session) {
    await session.reply('440 Posting not permitted')
  },

  async QUIT(session) {
    session.quit()
    await session.reply('205 Goodbye')
  },
}
