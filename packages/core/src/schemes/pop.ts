import type { PopPlan, TlsMode } from '../plan.ts'
import { type Place, type Scheme, variant } from '../scheme.ts'
import type { Locator } from '../url/locator.ts'
import { decodeOctets } from '../url/percent.ts'

/** RFC 2384: `pop://user;auth=*@host:port`. curl adds the number of a message as the path. */
export const pop: Scheme = {
  name: 'pop',
  title: 'Mailbox by the Post Office Protocol',
  spec: 'RFC 2384',
  mechanism: 'pop3',
  defaultPort: 110,
  tls: 'none',
  host: 'required',
  userinfo: 'allowed',
  query: false,
  lineParts: ['user', 'password', 'urlPath'],
  sendsPassword: true,
  resolve: (locator, place) => popPlan(locator, place, place.defaults.requireTls ? 'explicit' : 'none'),
}

/** curl and others write pop3 instead of pop. */
export const pop3: Scheme = /* @__PURE__ */ variant(pop, { name: 'pop3' })

export const pop3s: Scheme = /* @__PURE__ */ variant(pop, {
  name: 'pop3s',
  title: `${pop.title} over TLS`,
  spec: 'RFC 8314',
  defaultPort: 995,
  tls: 'implicit',
  resolve: (locator, place) => popPlan(locator, place, 'implicit'),
})

function popPlan(locator: Locator, place: Place, tls: TlsMode): PopPlan {
  const number = locator.urlPath ?? ''
  if (!/^(?:[1-9]\d{0,8})?$/.test(number)) place.fail('only the number of a message may follow the host', 'urlPath')
  const login = mailLogin(locator)
  const start = tls === 'explicit' ? ['STLS\r\n'] : []
  const lines = loginLines(login)
  const request = number === '' ? ['UIDL\r\n', 'LIST\r\n'] : [`RETR ${number}\r\n`]
  return {
    mechanism: 'pop3',
    host: place.host,
    port: place.port,
    tls,
    ...login,
    message: number === '' ? null : Number(number),
    wire: lines === null ? start : [...start, ...lines, ...request, 'QUIT\r\n'],
    ...(lines?.[0] === anyLogin && { unknown: { [anyLogin]: loginChoice(login.user) } }),
  }
}

/** Stands for APOP, or for USER and PASS; the server's greeting decides. */
const anyLogin = '<login>'

function loginChoice(user: string | null): string {
  const name = user ?? '<user>'
  return `APOP ${name} <password> if the greeting has a timestamp, with the MD5 of both; else USER ${name}, PASS <password>`
}

/** The lines of the login; null if the client refuses this way to log in. */
function loginLines({ user, auth }: Pick<PopPlan, 'user' | 'auth'>): readonly string[] | null {
  const name = user ?? '<user>'
  if (auth === '+APOP') return [`APOP ${name} <password>\r\n`]
  if (auth === 'PLAIN' || auth === '+PLAIN') return ['CAPA\r\n', 'AUTH PLAIN <password>\r\n']
  return auth === null || auth === '*' ? [anyLogin] : null
}

/** The login in the URL of a mailbox: `user;AUTH=way:password` (RFC 2384 5, RFC 5092 3.2). */
export function mailLogin({ user, password }: Locator): Pick<PopPlan, 'user' | 'password' | 'auth'> {
  const [, name, auth] = /^(.*?)(?:;auth=([^;]*))?$/is.exec(user ?? '') ?? []
  return {
    // Without a name, `;AUTH=*` only says how to log in. In `:password@` the name is empty (RFC 1738 3.1).
    user: name || (user === '' && password !== null) ? decodeOctets(name ?? '') : null,
    password: password === null ? null : decodeOctets(password),
    auth: auth === undefined ? null : decodeOctets(auth).toUpperCase(),
  }
}
