import { element, integer, octetString } from './ber.ts'
import { type DirectoryEntry, suffix } from './directory.ts'
import { disconnection, entryMessage, message, operations, result } from './messages.ts'

/** A hostile server's answers to a search, by the name of the entry. An answer may have no end. */
const answers: Readonly<Record<string, (id: number) => Iterable<Buffer>>> = {
  /** Entries without end. */
  *endless(id) {
    for (let count = 1; ; count++) yield entryMessage(id, madeEntry(count), [])
  },
  /** References without end. */
  *'endless references'(id) {
    while (true) yield message(id, element(operations.reference, octetString('ldap://127.0.0.1:9/')))
  },
  /** A message that claims 4 GiB. */
  *huge() {
    yield Buffer.from('3084ffffffff', 'hex')
  },
  /** A message whose length has nine octets. */
  *'long length'() {
    yield Buffer.from('3089010000000000000000', 'hex')
  },
  /** A message of indefinite length. */
  *indefinite() {
    yield Buffer.from('3080020101', 'hex')
  },
  /** A value that claims more octets than its message has. */
  *'false length'(id) {
    const inner = Buffer.concat([Buffer.from([0x04, 0x84, 0x7f, 0xff, 0xff, 0xff]), Buffer.from('x')])
    yield element(0x30, integer(id), element(operations.reference, inner))
  },
  /** A value whose length, as a signed number, is negative. */
  *'negative length'(id) {
    const inner = Buffer.concat([Buffer.from([0x04, 0x84, 0xff, 0xff, 0xff, 0xf0]), Buffer.from('x')])
    yield element(0x30, integer(id), element(operations.reference, inner))
  },
  /** Elements nested a thousand deep. */
  *deep(id) {
    let inner = octetString('')
    for (let depth = 0; depth < 1000; depth++) inner = element(0x30, inner)
    yield element(0x30, integer(id), element(operations.entry, inner))
  },
  /** One entry with two million empty values. */
  *crowded(id) {
    const values = element(0x31, Buffer.from('0400'.repeat(2_000_000), 'hex'))
    const list = element(0x30, element(0x30, octetString('cn'), values))
    yield message(id, element(operations.entry, octetString('cn=x'), list))
  },
  /** An answer to a message that nobody sent. */
  *'wrong id'(id) {
    yield entryMessage(id + 41, madeEntry(1), [])
  },
  /** One entry, then the notice that the server closes the connection. */
  *disconnected(id) {
    yield entryMessage(id, madeEntry(1), [])
    yield disconnection('the directory is being shut down')
  },
  /** Only the notice. */
  *refused() {
    yield disconnection('too many connections')
  },
  /** The answer to another operation. */
  *'wrong operation'(id) {
    yield message(id, result(operations.bindAnswer, 0))
  },
  /** Three entries, then the result that the server's limit is reached. */
  *limited(id) {
    for (let count = 1; count <= 3; count++) yield entryMessage(id, madeEntry(count), [])
    yield message(id, result(operations.done, 4, 'three are enough'))
  },
  /** An entry with a line break in an attribute name, which in LDIF would begin a line that means a change. */
  *'line break'(id) {
    const list = element(0x30, element(0x30, octetString('cn\nchangetype'), element(0x31, octetString('delete'))))
    yield message(id, element(operations.entry, octetString('cn=x'), list))
  },
  /** An entry with an attribute whose name would make LDIF read the entry as a change. */
  *'reserved name'(id) {
    const list = element(0x30, element(0x30, octetString('changetype'), element(0x31, octetString('delete'))))
    yield message(id, element(operations.entry, octetString('cn=x'), list))
  },
  /** A result whose last field lies behind its end. */
  *'beyond its end'(id) {
    const done = element(operations.done, integer(0, 0x0a), octetString(''))
    yield element(0x30, integer(id), done, octetString('words'))
  },
  /** Entries and references that would control a terminal. */
  *escapes(id) {
    const entry = { dn: 'cn=\x1b]52;c;ZXZpbA==\x07', attributes: { cn: ['\x1b[2J', '\u202egnp.exe'] } }
    yield entryMessage(id, entry, [])
    yield message(id, element(operations.reference, octetString('ldap://evil.example/\x1b[2J\n\ndn: cn=forged')))
    yield message(id, result(operations.done, 0))
  },
}

/** The answer to a search of `cn=NAME,ou=misbehaviour,dc=example,dc=net`; undefined for any other base. */
export function misbehaviour(base: string): ((id: number) => Iterable<Buffer>) | undefined {
  const [, name = ''] = /^cn=([^,]*),ou=misbehaviour,/.exec(base) ?? []
  return base.endsWith(`,${suffix}`) && Object.hasOwn(answers, name) ? answers[name] : undefined
}

function madeEntry(number: number): DirectoryEntry {
  return { dn: `cn=entry ${number},${suffix}`, attributes: { objectClass: ['device'], cn: [`entry ${number}`] } }
}
