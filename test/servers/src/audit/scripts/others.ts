import { mustFail, mustSucceed, type Script } from '../script.ts'
import { tricks } from './http-terminal.ts'
import { own, ownPaths, ownRows } from './own.ts'

const lie = { outcome: mustFail }
const inDirectory = (name: string): string => `cn=${encodeURIComponent(name)},ou=misbehaviour,dc=example,dc=net`
const inBooks = (name: string): string => `misbehaviour?${encodeURIComponent(name)}`
const inFiles = (name: string): string => `misbehaviour/${name}`
const asIs = (name: string): string => name

/** Protocols for which our servers misbehave by the name of what is asked for. */
export const others: readonly Script[] = [
  own('ordinary', 'ldap', 'an entry', { path: 'uid=alice,ou=people,dc=example,dc=net', outcome: mustSucceed }),
  ...ownPaths(
    'framing',
    'ldap',
    lie,
    [
      'huge',
      'long length',
      'indefinite',
      'false length',
      'negative length',
      'wrong id',
      'refused',
      'disconnected',
      'wrong operation',
    ],
    inDirectory,
  ),
  ...ownPaths('limits', 'ldap', {}, ['endless', 'endless references', 'deep', 'crowded'], inDirectory),
  ...ownPaths('terminal', 'ldap', {}, ['escapes', 'line break', 'reserved name'], inDirectory),

  own('ordinary', 'z3950', 'a record', { path: 'books?b1', outcome: mustSucceed }),
  ...ownPaths('ordinary', 'z3950', { outcome: mustSucceed }, ['fragments'], inBooks),
  ...ownPaths(
    'framing',
    'z3950',
    lie,
    [
      'huge',
      'long length',
      'long tag',
      'negative',
      'too many',
      'no status',
      'failed',
      'wrong message',
      'false length',
      'false length of octets',
      'primitive without length',
      'empty',
      'lost fragment',
      'open fragment',
      'closing',
      'closed',
    ],
    inBooks,
  ),
  ...ownPaths('limits', 'z3950', lie, ['endless', 'endless segments', 'deep', 'crowded'], inBooks),
  ...ownPaths('limits', 'z3950', {}, ['large segments'], inBooks),
  ...ownPaths('terminal', 'z3950', {}, ['escapes', 'surrogate', 'access control'], inBooks),

  own('ordinary', 'nfs', 'a file', { path: 'pub/hello.txt', outcome: mustSucceed }),
  ...ownPaths(
    'framing',
    'nfs',
    { ...lie, options: { mount: false, versions: [3] } },
    [
      'wrong-xid',
      'huge-record',
      'echo',
      'bad-state',
      'long-verifier',
      'no-octets',
      'long-handle',
      'cut-attributes',
      'bad-flag',
      'huge-size',
      'garbage-arguments',
      'denied',
      'unknown-status',
      'io',
      'closes',
      'long-read',
      'false-count',
      'stale',
      'read-denied',
      'long-name',
      'long-link',
      'empty-link',
    ],
    inFiles,
  ),
  ...ownPaths(
    'limits',
    'nfs',
    { ...lie, options: { mount: false, versions: [3] } },
    ['empty-fragments', 'empty-reads', 'endless', 'circle', 'dots', 'empty-pages'],
    inFiles,
  ),
  ...ownPaths('terminal', 'nfs', { options: { mount: false, versions: [3] } }, ['names'], inFiles),

  own('ordinary', 'wais', 'a search', { path: 'demo?ark', outcome: mustSucceed }),
  ...ownPaths(
    'framing',
    'wais',
    lie,
    ['huge', 'empty', 'false-length', 'long-header', 'endless-number', 'wrong-type', 'refused', 'compressed', 'noise'],
    (name) => `demo?${name}`,
  ),
  ...ownPaths('limits', 'wais', {}, ['crowded'], (name) => `demo?${name}`),
  ...ownPaths('terminal', 'wais', {}, ['escapes'], (name) => `demo?${name}`),

  own('ordinary', 'rtsp', 'a description', { path: 'stream', outcome: mustSucceed }),
  ...ownPaths('framing', 'rtsp', lie, ['sequence', 'unnumbered', 'chunked', 'length', 'request'], asIs),
  ...ownPaths('limits', 'rtsp', lie, ['crowded', 'long', 'interims'], asIs),
  ...ownPaths('redirect', 'rtsp', lie, ['lost', 'redirect/loop', 'redirect/http'], asIs),

  own('ordinary', 'ws', 'messages', { path: 'texts', outcome: mustSucceed }),
  ...ownPaths('framing', 'ws', lie, ['failure', 'reserved', 'masked', 'orphan', 'long-ping'], asIs),

  own('ordinary', 'gemini', 'a page', { path: 'pub/hello.txt', outcome: mustSucceed }),
  ...ownPaths('redirect', 'gemini', lie, ['redirect/loop', 'redirect/http', 'redirect/empty'], asIs),

  own('ordinary', 'dict', 'a definition', { path: 'd:url:web', outcome: mustSucceed }),
  own('ordinary', 'finger', 'a user', { path: 'alice', outcome: mustSucceed }),
  own('ordinary', 'tftp', 'a file', { path: 'hello.txt', outcome: mustSucceed }),
  own('ordinary', 'mqtt', 'a message', { path: 'pub/hello', outcome: mustSucceed }),
  own('ordinary', 'pop3', 'a message', { path: '1', login: true, outcome: mustSucceed }),
  own('ordinary', 'imap', 'a message', { path: 'INBOX/;UID=11', login: true, outcome: mustSucceed }),
  own('ordinary', 'prospero', 'a directory', { path: '/docs', outcome: mustSucceed }),

  ...ownRows(
    'terminal',
    'dict',
    { path: 'd:url:web' },
    Object.fromEntries(
      Object.entries(tricks).map(([what, trick]) => [
        `${what} in an error`,
        { replies: { DEFINE: `550 ${trick}\r\n` } },
      ]),
    ),
  ),
  ...ownRows(
    'terminal',
    'pop3',
    { path: '1', login: true },
    Object.fromEntries(
      Object.entries(tricks).map(([what, trick]) => [
        `${what} in an error`,
        { replies: { RETR: `-ERR ${trick}\r\n` } },
      ]),
    ),
  ),
  ...silences(),
]

/** Servers that say nothing, for each protocol that has no rows of its own about time. */
function silences(): Script[] {
  const paths = {
    ldap: 'uid=alice,ou=people,dc=example,dc=net',
    dict: 'd:url:web',
    finger: 'alice',
    pop3: '1',
    imap: 'INBOX/;UID=11',
    rtsp: 'stream',
    ws: 'texts',
    gemini: 'pub/hello.txt',
    nfs: 'pub/hello.txt',
    wais: 'demo?ark',
    z3950: 'books?b1',
  } as const
  return Object.entries(paths).map(([protocol, path]) => {
    const login = protocol === 'pop3' || protocol === 'imap'
    const row = { path, login, outcome: mustFail, faults: { stall: 'greeting' } as const }
    return own('time', protocol as keyof typeof paths, 'silence from the first octet on', row)
  })
}
