import { answer, long, opaque, record, word, words } from './xdr.ts'

/** A file for which the server misbehaves in one procedure of version 3. */
export interface Hostile {
  /** The type that LOOKUP returns. */
  readonly type: number
  readonly size?: number
  readonly procedure: 'LOOKUP' | 'READLINK' | 'READ' | 'READDIRPLUS'
  /** The octets that replace the answer. `count` is how often this connection has called it before. */
  answer(xid: number, count: number): string
}

const file = 1
const directory = 2
const link = 5
const noAttributes = word(0)

/** An entry of READDIRPLUS without attributes and handle. */
function entry(name: string, cookie: number): string {
  return word(1) + long(cookie) + opaque(name) + long(cookie) + words(0, 0)
}

function page(xid: number, entries: string, isLast: number): string {
  return answer(xid, word(0) + noAttributes + long(7) + entries + words(0, isLast))
}

function inLookup(make: (xid: number) => string): Hostile {
  return { type: file, procedure: 'LOOKUP', answer: make }
}

function inRead(results: string): Hostile {
  return { type: file, procedure: 'READ', answer: (xid) => answer(xid, results) }
}

function inDirectory(make: Hostile['answer']): Hostile {
  return { type: directory, procedure: 'READDIRPLUS', answer: make }
}

/** The rest of fattr3 behind the size, and absent attributes of the directory. */
const afterSize = Array.from({ length: 15 }, () => 0)

/** The files below `/misbehaviour/`, by name. */
export const hostile: Readonly<Record<string, Hostile>> = {
  'wrong-xid': inLookup((xid) => answer(xid + 41, word(2))),
  /** A record that claims 2 GiB. */
  'huge-record': inLookup(() => '\xff\xff\xff\xff'),
  /** Empty fragments, none of which is the last. */
  'empty-fragments': inLookup(() => word(0).repeat(100_000)),
  /** Sends the call itself back. */
  echo: inLookup((xid) => record(words(xid, 0, 2, 100_003, 3, 3))),
  'bad-state': inLookup((xid) => record(words(xid, 1, 0, 0, 0, 77))),
  /** A verifier that claims 2 GiB. */
  'long-verifier': inLookup((xid) => record(words(xid, 1, 0, 0, 0x7fff_ffff))),
  'no-octets': inLookup(() => record('')),
  'long-handle': inLookup((xid) => answer(xid, words(0, 0x7fff_ffff))),
  'cut-attributes': inLookup((xid) => answer(xid, word(0) + opaque('x'.repeat(32)) + words(1, 1))),
  'bad-flag': inLookup((xid) => answer(xid, word(0) + opaque('x'.repeat(32)) + word(7))),
  /** A regular file of 2^63 octets. */
  'huge-size': inLookup((xid) =>
    answer(xid, word(0) + opaque('x'.repeat(32)) + words(1, 1, 0o644, 1, 0, 0, 0x8000_0000, 0) + words(...afterSize)),
  ),
  'garbage-arguments': inLookup((xid) => answer(xid, '', 5)),
  denied: inLookup((xid) => record(words(xid, 1, 1, 1, 2))),
  'unknown-status': inLookup((xid) => answer(xid, words(31_337, 0))),
  io: inLookup((xid) => answer(xid, words(5, 0))),
  closes: inLookup((xid) => answer(xid, '').slice(0, 10)),
  /** More octets than were asked for. */
  'long-read': inRead(word(0) + noAttributes + words(400_000, 1) + opaque('x'.repeat(400_000))),
  /** A count that differs from the number of octets. */
  'false-count': inRead(word(0) + noAttributes + words(5, 1) + opaque('abc')),
  /** Always no octets, and never the end. */
  'empty-reads': inRead(word(0) + noAttributes + words(0, 0) + opaque('')),
  stale: inRead(words(70, 0)),
  'read-denied': inRead(words(13, 0)),
  'read-later': inRead(words(10_008, 0)),
  /** The third READ succeeds. */
  'read-soon': {
    type: file,
    size: 3,
    procedure: 'READ',
    answer: (xid, count) =>
      answer(xid, count < 2 ? words(10_008, 0) : word(0) + noAttributes + words(3, 1) + opaque('abc')),
  },
  /** Names without end, one on each page. */
  endless: inDirectory((xid, count) => page(xid, entry(`name ${count}`, count + 1), 0)),
  /** A page that leads to itself. */
  circle: inDirectory((xid) => page(xid, entry('again', 5), 0)),
  /** Pages without end, each with nothing but the directory itself. */
  dots: inDirectory((xid, count) => page(xid, entry('.', count + 1), 0)),
  /** More names than fit into the requested page; the client asks about each. */
  crowd: inDirectory((xid) => page(xid, Array.from({ length: 20_000 }, (_, at) => entry(`${at}`, at + 1)).join(''), 1)),
  'empty-pages': inDirectory((xid) => page(xid, '', 0)),
  names: inDirectory((xid) =>
    page(
      xid,
      ['.', '..', '../up', 'a/b', '', '\x1b[2J', 'line\nfeed', 'nul\0', '100%', 'plain']
        .map((name, at) => entry(name, at + 1))
        .join(''),
      1,
    ),
  ),
  'long-name': inDirectory((xid) =>
    answer(xid, word(0) + noAttributes + long(7) + word(1) + long(1) + word(0x7fff_ffff)),
  ),
  'long-link': { type: link, procedure: 'READLINK', answer: (xid) => answer(xid, words(0, 0, 0x7fff_ffff)) },
  /** A text that would lead to another host if a client took its slashes for the beginning of one. */
  'slashes-link': {
    type: link,
    procedure: 'READLINK',
    answer: (xid) => answer(xid, words(0, 0) + opaque('//pub/hello.txt')),
  },
  'empty-link': { type: link, procedure: 'READLINK', answer: (xid) => answer(xid, words(0, 0, 0)) },
}
