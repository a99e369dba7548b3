import { type AccessPlans, resolve } from '@retriever/core'
import { ldapFetcher } from '../../../packages/fetchers/src/protocols/ldap/index.ts'
import { require, requireEqual, type Target } from '../target.ts'
import { codeOf, contextOver, FakeSocket } from './fake-socket.ts'

/** A server of LDAP, and what its limits do. Numbers of 0 are no limit. */
interface Directory {
  readonly entries: number
  /** What a page over `maxPage` becomes: smaller, an error at once, or an error behind so many entries. */
  readonly pages: 'none' | 'smaller' | 'refused' | 'stopped'
  readonly maxPage: number
  /** The most entries of one search, over all of its pages. */
  readonly maxEntries: number
  /** Each so manieth page is empty, and each so manieth entry has a reference behind it. */
  readonly emptyPage: number
  readonly reference: number
}

const byte = String.fromCharCode

/** An element of BER, with its length in one, two or three octets. */
function element(tag: number, content: string, form = 0): string {
  const size = content.length
  const isLong = form === 2 || size > 255
  return (
    byte(tag) +
    (isLong ? byte(0x82, size >> 8, size & 255) : size > 127 || form === 1 ? byte(0x81, size) : byte(size)) +
    content
  )
}

function numberOf(value: number): string {
  const octets: number[] = []
  for (let left = value; left > 0 || (octets[0] ?? 255) > 127; left = Math.floor(left / 256)) octets.unshift(left & 255)
  return byte(...octets)
}

/** The contents of the elements in some octets, with their tags. */
function elementsOf(octets: string): (readonly [tag: number, content: string])[] {
  const found: (readonly [number, string])[] = []
  for (let at = 0; at < octets.length; ) {
    const first = octets.charCodeAt(at + 1)
    const count = first < 128 ? 0 : first - 128
    const start = at + 2 + count
    const size =
      count === 0 ? first : [...octets.slice(at + 2, start)].reduce((sum, octet) => sum * 256 + octet.charCodeAt(0), 0)
    require(start + size <= octets.length, 'a request is cut')
    found.push([octets.charCodeAt(at), octets.slice(start, start + size)])
    at = start + size
  }
  return found
}

interface Asked {
  readonly id: string
  readonly operation: number
  readonly sizeLimit: number
  readonly page: { readonly size: number; readonly cookie: string } | null
}

function intOf(octets: string | undefined): number {
  return [...(octets ?? '')].reduce((sum, octet) => sum * 256 + octet.charCodeAt(0), 0)
}

function readRequest(message: string): Asked {
  const [[tag, content] = [0, ''], ...more] = elementsOf(message)
  requireEqual([tag, more.length], [0x30, 0], 'a request is no message')
  const [[, id] = [0, ''], [operation, fields] = [0, ''], controls] = elementsOf(content)
  if (operation !== 0x63) return { id, operation, sizeLimit: 0, page: null }
  const sizeLimit = intOf(elementsOf(fields)[3]?.[1])
  if (controls === undefined) return { id, operation, sizeLimit, page: null }
  const [[, control] = [0, '']] = elementsOf(controls[1])
  const [[, type] = [0, ''], [, value] = [0, '']] = elementsOf(control)
  requireEqual(type, '1.2.840.113556.1.4.319', 'another control is sent')
  const [[, size] = [0, ''], [, cookie] = [0, '']] = elementsOf(elementsOf(value)[0]?.[1] ?? '')
  return { id, operation, sizeLimit, page: { size: intOf(size), cookie } }
}

/** Answers a search as the directory does; the cookie of a page is the number of the next entry, and of the page. */
function answerOf(directory: Directory, { id, sizeLimit, page: asked }: Asked, form: number): string {
  const { entries, pages, maxPage, maxEntries, emptyPage, reference } = directory
  const page = pages === 'none' ? null : asked
  const [start = 0, number = 1] = (page?.cookie ?? '').split(' ').filter(Boolean).map(Number)
  const message = (operation: string, controls = ''): string =>
    element(0x30, element(2, id) + operation + controls, form)
  const most = Math.min(maxEntries || entries, sizeLimit || entries)
  const isTooLarge = page !== null && maxPage > 0 && page.size > maxPage
  const isEmpty = page !== null && emptyPage > 0 && number % emptyPage === 0
  const wanted = page === null ? entries : isEmpty ? 0 : isTooLarge ? maxPage : page.size
  const count = isTooLarge && pages === 'refused' ? 0 : Math.max(0, Math.min(wanted, most - start, entries - start))
  let octets = ''
  for (let index = start; index < start + count; index++) {
    const attributes = element(0x30, element(0x30, element(4, 'cn') + element(0x31, element(4, `${index}`)), form))
    octets += message(element(0x64, element(4, `cn=${index}`) + attributes, form))
    if (reference > 0 && index % reference === 0) octets += message(element(0x73, element(4, `ldap://h/r=${index}`)))
  }
  const end = start + count
  const stops = isTooLarge && pages === 'stopped' && end < entries
  const code = isTooLarge && pages === 'refused' ? 11 : stops || (end === most && most < entries) ? 4 : 0
  const cookie = code === 0 && end < entries ? `${end} ${number + 1}` : ''
  const control = element(0x30, element(2, numberOf(entries)) + element(4, cookie))
  const controls = element(0xa0, element(0x30, element(4, '1.2.840.113556.1.4.319') + element(4, control)), form)
  return (
    octets +
    message(
      element(0x65, element(0x0a, byte(code)) + element(4, '') + element(4, 'words')),
      page === null ? '' : controls,
    )
  )
}

/** Messages that a server may put between its answers, rightly or not. */
const strays: readonly string[] = [
  // The notice of disconnection (RFC 4511 4.4.1), and another notice.
  element(0x30, `\x02\x01\0${element(0x78, `\x0a\x01\x34\x04\0\x04\0${element(0x8a, '1.3.6.1.4.1.1466.20036')}`)}`),
  element(0x30, `\x02\x01\0${element(0x78, '\x0a\x01\x34\x04\0\x04\0')}`),
  // An intermediate response (4.13), an entry of another search, a result of a bind, half a message.
  element(0x30, `\x02\x01\x01${element(0x79, element(0x80, '1.2.3'))}`),
  element(0x30, `\x02\x01\x63${element(0x64, '\x04\0\x30\0')}`),
  element(0x30, `\x02\x01\x01${element(0x61, '\x0a\x01\0\x04\0\x04\0')}`),
  element(0x30, `\x02\x01\x01${element(0x65, '\x0a\x01\0\x04\0\x04\0')}`),
  '\x30\x84\0\0\0\x20\x02\x01',
  '\x30\0',
  'HTTP/1.1 400 Bad Request\r\n\r\n',
]

async function receive(directory: Directory, limit: number, seed: number | null, stray: string) {
  const { plan } = resolve('ldap://h/o=x??sub', { asked: limit === 0 ? {} : { limit } })
  const [place = 0, kind = 0, form = 0] = stray.split(' ').map(Number)
  let asked = 0
  const socket = new FakeSocket((message) => {
    const request = readRequest(message)
    require(++asked < 3000, 'it asks without end')
    if (request.operation === 0x42) return null
    requireEqual(request.operation, 0x63, 'it asks for something else')
    const answer = answerOf(directory, request, form)
    if (stray === '') return answer
    const found = strays[kind % strays.length] ?? ''
    // It stands behind some message, or where it breaks one.
    const marks = [...answer.matchAll(/\x30/g)].map(({ index }) => index)
    const at = place % 2 === 0 ? (marks[place % marks.length] ?? 0) : place % answer.length
    return place % 5 === 0 ? answer.slice(0, at) : answer.slice(0, at) + found + answer.slice(at + (place % 3))
  }, seed)
  const request = limit === 0 ? {} : { limit }
  const fetcher = ldapFetcher()
  let [body, error]: [string, string | null] = ['', null]
  try {
    const result = await fetcher.retrieve(
      plan as AccessPlans['ldap'],
      contextOver(socket, 'ldap://h/o=x??sub', request),
    )
    require(result.outcome === 'retrieved' && 'read' in result.body, 'it is not retrieved')
    for (let chunk = await result.body.read(); chunk !== null; chunk = await result.body.read()) {
      body += Buffer.from(chunk).toString('latin1')
    }
  } catch (cause) {
    error = codeOf(cause)
  } finally {
    await fetcher.dispose?.()
  }
  require(socket.destroyed, 'the connection stays open')
  requireEqual(socket.sent[0], plan.wire[0], 'another search is sent than is told')
  return { body, error, sent: socket.sent }
}

export const directory: Target = {
  about:
    'property 11: a search gives each entry once, whatever limits and pages the server has, and however its answers are cut',
  generate: (random) => {
    const entries = random.pick([0, 1, 2, 5, 9, 23, 60, random.below(1300)])
    const pages = random.pick(['none', 'smaller', 'refused', 'stopped'])
    const limits = [random.chance(50) ? 0 : 1 + random.below(600), random.chance(60) ? 0 : 1 + random.below(700)]
    const odd = [random.chance(80) ? 0 : 2 + random.below(3), random.chance(70) ? 0 : 1 + random.below(5)]
    const limit = random.chance(60) ? 0 : 1 + random.below(700)
    const stray = random.chance(50) ? '' : [random.below(2000), random.below(20), random.below(3)].join(' ')
    return [[entries, pages, ...limits, ...odd].join(' '), String(limit), String(random.below(1e9)), stray]
  },
  async check(text = '', limitText = '', seed = '0', stray = '') {
    const [entries, pages, ...numbers] = text.split(' ')
    const [maxPage = 0, maxEntries = 0, emptyPage = 0, reference = 0] = numbers.map(Number)
    if (!/^\d+ (?:none|smaller|refused|stopped)(?: \d+){4}$/.test(text) || !/^\d+$/.test(limitText)) return
    const server = { entries: Number(entries), pages, maxPage, maxEntries, emptyPage, reference } as Directory
    const limit = Number(limitText)
    const whole = await receive(server, limit, null, stray)
    requireEqual(await receive(server, limit, Number(seed), stray), whole, 'cut otherwise, it is read otherwise')
    const names = [...whole.body.matchAll(/^dn: cn=(\d+)$/gm)].map(([, name]) => Number(name))
    const references = [...whole.body.matchAll(/^# reference: ldap:\/\/h\/r=(\d+)$/gm)].map(([, name]) => Number(name))
    if (stray !== '') return
    const wanted = Math.min(limit || server.entries, server.entries)
    const found = Math.min(wanted, maxEntries || wanted)
    requireEqual(
      names,
      Array.from({ length: found }, (_, index) => index),
      'other entries come',
    )
    const others = reference === 0 ? [] : names.filter((index) => index % reference === 0)
    // A reference behind the last entry that is wanted may come, or not.
    requireEqual(references.slice(0, others.length - 1), others.slice(0, -1), 'other references come')
    const isAll = found === wanted
    requireEqual(whole.error?.split(':')[0] ?? null, isAll ? null : 'partial', 'it ends otherwise')
  },
}
