import { RetrievalError } from '@retriever/core'
import { createClient } from '@retriever/fetchers'
import { entriesOf } from '../../support/entries.ts'
import { cut } from '../cut.ts'
import type { Random } from '../random.ts'
import { require, requireEqual, type Target } from '../target.ts'

/** URLs of listings, and lines that their protocols keep. */
const listings: Readonly<Record<string, readonly string[]>> = {
  'dict://h/m:u:*:prefix': ['wn "shortcake"', 'wn "WordNet (r) 3.0"'],
  'ftp://h/p/': [
    '-rw-r--r--   1 a b 12 Feb  3  2001 name',
    'type=file;size=12;modify=20010203040506; name',
    '02-03-01  04:05AM       <DIR>          x',
  ],
  'gopher://h/1/': ['0text\t/sel\th\t70', 'iinfo\t\t\t', 'hx\tURL:http://a/\th\t70'],
  'imap://h/': ['* LIST (\\HasNoChildren) "/" "Sent"', '* LIST () NIL INBOX'],
  'imap://h/INBOX': ['* 1 FETCH (UID 5 RFC822.SIZE 155 INTERNALDATE "03-Feb-2001 04:05:06 +0000" FLAGS (\\Seen))'],
  'news://h/*': ['a.b 12 1 y'],
  'news://h/a.b': ['1\tsubject\tA <a@b>\tSat, 03 Feb 2001 04:05:06 GMT\t<1@x>\t<0@x>\t12\t3'],
  'nfs://h/p/': [
    '-rw-r--r-- 1000 1000 12 2001-02-03T04:05:06Z name',
    '?--------- - - - - x',
    'lrwxr--r-- a b%20c 12 2001-02-03T04:05:06Z name -> x/y',
  ],
  'pop://h/': ['1 120', '2 300'],
  'prospero://h/p': ['LINK L DIRECTORY name INTERNET-D h(1) ASCII /x 0'],
  'sftp://h/p/': [
    '-rw-r--r--    1 alice    users          12 Feb  3  2001 two  words',
    'lrwxrwxrwx    ? 0        0               4 Nov 27 12:05 link -> folder/x',
  ],
  'wais://h/db?x': ['1000\t12\tTEXT,PS\tTitle\twais://h/db/TEXT/12/1=a;'],
}
const damage = ['', '\t', ' ', '"', '\\', '9', '-1', '1e9', '/', '..', '\0', '\r', '\n', 'à', ' -> ', '99-99', '%', ':']

function damaged(random: Random, text: string): string {
  const at = random.below(text.length + 1)
  return text.slice(0, at) + random.pick(damage) + text.slice(at + random.below(random.pick([1, 2, 8])))
}

/** The entries that kept octets have, or the code of the error. */
async function entriesIn(url: string, pieces: readonly Buffer[]) {
  const body = async function* () {
    yield* pieces
  }
  await using client = createClient({ use: [() => ({ body: body(), mediaType: 'text/plain', charset: null })] })
  try {
    const found = await client.retrieve(url)
    return found.hasEntries ? await entriesOf(found) : []
  } catch (error) {
    if (RetrievalError.is(error)) return error.code
    throw error
  }
}

export const kept: Target = {
  about:
    'a listing that was kept, damaged or not, has entries with true dates and sizes, however it is cut, or an error',
  generate(random) {
    const url = random.pick(Object.keys(listings))
    let text = `${random.pick(listings[url] ?? [])}\n${random.pick(listings[url] ?? [])}${random.pick(['', '\r\n'])}`
    for (let left = random.below(4); left > 0; left--) text = damaged(random, text)
    return [url, text, String(random.below(1e9))]
  },
  async check(url = '', text = '', seed = '0') {
    if (!(url in listings)) return
    const octets = Buffer.from(text)
    const entries = await entriesIn(url, [octets])
    requireEqual(await entriesIn(url, cut(octets, Number(seed))), entries, 'cut otherwise, it is read otherwise')
    if (typeof entries === 'string') return
    for (const { modified, size = 0 } of entries) {
      require(!Number.isNaN(modified?.getTime()), 'a date is none')
      require(Number.isSafeInteger(size) && size >= 0, `the size ${size} is none`)
    }
  },
}
