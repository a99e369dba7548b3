import { element, indefinite, integer, text } from './ber.ts'
import { closeRequest, diagnostic, named, presentResponse, searchResponse, segment, surrogate } from './messages.ts'
import { aligned, single, syntaxes, tagged } from './records.ts'
import { catalogue, marcOf } from './seed.ts'

const none = Buffer.alloc(0)
const marc = marcOf(catalogue.books?.[0] ?? { id: '', title: '', author: '', year: '', subject: '', shelf: '' })
const record = (octets: Buffer = marc): Buffer => named('misbehaviour', aligned(syntaxes.usmarc, octets))
const fragment = (tag: number, octets: Buffer): Buffer =>
  element(0x30, element(0xa1, element(tag, element(0x04, octets))))

/** A hostile server's answers to a search for NAME in the database `misbehaviour`. An answer may have no end. */
const searches: Readonly<Record<string, () => Iterable<Buffer>>> = {
  /** A message that claims 4 GiB. */
  *huge() {
    yield Buffer.from('b784ffffffff', 'hex')
  },
  /** A message whose length has nine octets. */
  *'long length'() {
    yield Buffer.from('b789010000000000000000', 'hex')
  },
  /** A tag of ten octets. */
  *'long tag'() {
    yield Buffer.from('bfffffffffffffffffff7f00', 'hex')
  },
  /** A number of hits below zero. */
  *negative() {
    yield element(
      0xb7,
      element(0x97, Buffer.from([0xff])),
      integer(0x98, 0),
      integer(0x99, 0),
      element(0x96, Buffer.from([1])),
    )
  },
  /** A number of hits that is too large for any number here. */
  *'too many'() {
    yield element(0xb7, element(0x97, Buffer.alloc(9, 0x7f)), element(0x96, Buffer.from([1])))
  },
  /** An answer without a status. */
  *'no status'() {
    yield element(0xb7, integer(0x97, 1))
  },
  /** A failure that gives no reason. */
  *failed() {
    yield element(0xb7, integer(0x97, 1), integer(0x98, 0), integer(0x99, 0), element(0x96, Buffer.from([0])))
  },
  /** An answer to another kind of request. */
  *'wrong message'() {
    yield presentResponse([])
  },
  /** The server ends the session. */
  *closed() {
    yield closeRequest(7, 'you were silent\x1b[2J')
  },
  /** A request for proof of access. */
  *'access control'() {
    yield element(0xbc, element(0x9f25, Buffer.from('who are you?')))
  },
  /** A diagnostic that would control a terminal. */
  *escapes() {
    yield searchResponse(0, none, diagnostic(0xbf8102, 3, '\x1b]52;c;ZXZpbA==\x07\x9b2J'))
  },
  /** A temporary failure. */
  *busy() {
    yield searchResponse(0, none, diagnostic(0xbf8102, 2, 'try later'))
  },
}

/** Its answers to the request for the record. */
const presents: Readonly<Record<string, () => Iterable<Buffer>>> = {
  /** A record of indefinite length that never ends. */
  *endless() {
    yield Buffer.from('b980bc80', 'hex')
    while (true) yield record()
  },
  /** Segments without end. */
  *'endless segments'() {
    while (true) yield segment([])
  },
  /** A record of forty megabytes in fragments, each in its own segment. */
  *'large segments'() {
    const piece = Buffer.alloc(1024 * 1024)
    yield segment([fragment(0xa3, piece)])
    for (let at = 0; at < 38; at++) yield segment([fragment(0xa4, piece)])
    yield presentResponse([fragment(0xa5, piece)])
  },
  /** Elements nested a thousand deep. */
  *deep() {
    let inner: Buffer = none
    for (let depth = 0; depth < 1000; depth++) inner = element(0x30, inner)
    yield element(0xb9, inner)
  },
  /** Two million empty elements. */
  *crowded() {
    yield element(0xb9, Buffer.from('0400'.repeat(2_000_000), 'hex'))
  },
  /** An element that claims more octets than its message has. */
  *'false length'() {
    yield element(0xb9, element(0xbc, Buffer.from([0x30, 0x84, 0x7f, 0xff, 0xff, 0xff, 0x00])))
  },
  /** The same for an element that contains octets instead of elements. */
  *'false length of octets'() {
    yield element(0xb9, Buffer.from([0x04, 0x7f, 0x00]))
  },
  /** A primitive element of indefinite length. */
  *'primitive without length'() {
    yield Buffer.from('b980048000000000', 'hex')
  },
  /** An answer without a record. */
  *empty() {
    yield presentResponse([])
  },
  /** More records than were asked for. */
  *generous() {
    yield presentResponse([record(), record()])
  },
  /** A record that is no EXTERNAL, although it should be. */
  *'no external'() {
    yield presentResponse([named('misbehaviour', element(0x30, none))])
  },
  /** A diagnostic instead of the record. */
  *surrogate() {
    yield presentResponse([surrogate('misbehaviour', 15, 'not for you\x1b[2J')])
  },
  /** A record in three fragments. */
  *fragments() {
    const whole = aligned(syntaxes.usmarc, marc)
    yield segment([fragment(0xa3, whole.subarray(0, 20))])
    yield segment([fragment(0xa4, whole.subarray(20, 50))])
    yield presentResponse([fragment(0xa5, whole.subarray(50))])
  },
  /** Fragments without the first one. */
  *'lost fragment'() {
    yield presentResponse([fragment(0xa5, marc)])
  },
  /** The first fragment of a record, without the others. */
  *'open fragment'() {
    yield presentResponse([fragment(0xa3, marc)])
  },
  /** MARC whose directory points behind the record. */
  *'false directory'() {
    yield presentResponse([
      record(Buffer.from(marc.toString('latin1').replace(/^(.{24}\d{3})\d{9}/s, '$1999999999'), 'latin1')),
    ])
  },
  /** Octets that are no MARC at all. */
  *'no marc'() {
    yield presentResponse([record(Buffer.from('\0\x01\x02 no MARC'))])
  },
  /** GRS-1 with a hundred nested trees, whose texts would control a terminal. */
  *'deep tree'() {
    let tree = text(0x1b, 'leaf\x1b[2J')
    for (let depth = 0; depth < 10; depth++) tree = element(0xa6, element(0x30, tagged(3, 'x\x1b]0;y\x07', tree)))
    yield presentResponse([named('misbehaviour', single(syntaxes.grs1, element(0x30, tagged(2, 1, tree))))])
  },
  /** A string in segments (X.690 8.7.3). */
  *'segmented string'() {
    const string = indefinite(0x3b, text(0x04, 'in two '), text(0x04, 'pieces'))
    yield presentResponse([named('misbehaviour', single(syntaxes.sutrs, string))])
  },
  /** The server ends the session before the record. */
  *closing() {
    yield closeRequest(1, 'shutting down')
  },
}

/** The wrong answer to a request of this kind; undefined if the server behaves. */
export function misbehaviour(request: 'search' | 'present', name: string): Iterable<Buffer> | undefined {
  const answers = request === 'search' ? searches : presents
  return Object.hasOwn(answers, name) ? answers[name]?.() : undefined
}
