import { mustGive, mustSucceed, type Script } from '../script.ts'
import { good, type HttpRow, httpScript, type Reply, whole, withLogin } from './http.ts'
import { own } from './own.ts'

/** What clients can do or not: a scheme, and what is more than that. */
export const auditSchemes = [
  'http',
  'https',
  'ftp',
  'gopher',
  'nntp',
  'ldap',
  'nfs',
  'z3950',
  'wais',
  'rtsp',
  'ws',
  'dict',
  'finger',
  'gemini',
  'mqtt',
  'tftp',
  'pop3',
  'imap',
  'prospero',
] as const
export type Ability = (typeof auditSchemes)[number] | 'http login' | 'ftp login'

/** For each ability an answer that every client with it takes. */
export const probes: Readonly<Record<Ability, Script>> = {
  http: plain('http', { outcome: mustGive(good) }, whole),
  https: plain('https', { outcome: mustGive(good) }, whole),
  'http login': plain('http login', { login: true, outcome: mustGive(good) }, withLogin(whole)),
  ftp: own('ordinary', 'ftp', 'a file', { path: 'pub/hello.txt', outcome: mustGive('Hello, world.\n') }),
  'ftp login': own('ordinary', 'ftp', 'a login', { path: 'pub/hello.txt', login: true, outcome: mustSucceed }),
  gopher: own('ordinary', 'gopher', 'a file', { path: '9/pub/a.bin', outcome: mustSucceed }),
  nntp: own('ordinary', 'nntp', 'an article', { path: 'retriever.test/1', outcome: mustSucceed }),
  ldap: own('ordinary', 'ldap', 'an entry', { path: 'uid=alice,ou=people,dc=example,dc=net', outcome: mustSucceed }),
  nfs: own('ordinary', 'nfs', 'a file', { path: 'pub/hello.txt', outcome: mustGive('Hello, world.\n') }),
  z3950: own('ordinary', 'z3950', 'a record', { path: 'books?b1', outcome: mustSucceed }),
  wais: own('ordinary', 'wais', 'a search', { path: 'demo?ark', outcome: mustSucceed }),
  rtsp: own('ordinary', 'rtsp', 'a description', { path: 'bytes', outcome: mustSucceed }),
  ws: own('ordinary', 'ws', 'messages', { path: 'texts', outcome: mustSucceed }),
  dict: own('ordinary', 'dict', 'a definition', { path: 'd:url:web', outcome: mustSucceed }),
  finger: own('ordinary', 'finger', 'a user', { path: 'alice', outcome: mustSucceed }),
  gemini: own('ordinary', 'gemini', 'a page', { path: 'pub/hello.txt', outcome: mustSucceed }),
  mqtt: own('ordinary', 'mqtt', 'a message', { path: 'pub/hello', outcome: mustSucceed }),
  tftp: own('ordinary', 'tftp', 'a file', { path: 'hello.txt', outcome: mustSucceed }),
  pop3: own('ordinary', 'pop3', 'a message', { path: '1', login: true, outcome: mustSucceed }),
  imap: own('ordinary', 'imap', 'a message', { path: 'INBOX/;UID=11', login: true, outcome: mustSucceed }),
  prospero: own('ordinary', 'prospero', 'a directory', { path: '/docs', outcome: mustSucceed }),
}

function plain(needs: Ability, row: HttpRow, reply: Reply): Script {
  return httpScript('ordinary', 'a file', { ...row, needs }, reply)
}
