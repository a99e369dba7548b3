import { mustFail, type Script, type Stage } from '../script.ts'
import { demand, httpRows, type Reply, whole, withLogin } from './http.ts'

type Aim = (stage: Stage) => string

const moved = (location: string, status = 302, fields = ''): string =>
  `HTTP/1.1 ${status} Moved\r\n${fields}Location: ${location}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`

const victim: Aim = ({ victim: { host, port } }) => `http://${host}:${port}/`
const sameStage = (aim: Aim, status?: number, fields?: (stage: Stage) => string): Reply =>
  withLogin((_asked, stage) => moved(aim(stage), status, fields?.(stage)))

/** What an error says must not hold the password, whatever the error is. */
const failures: Readonly<Record<string, Reply>> = {
  'a login in an error 404': withLogin('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'),
  'a login in an error 500': withLogin('HTTP/1.1 500 Broken\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'),
  'a login that is refused': demand,
  'a login in an answer that is cut': withLogin('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\ncut'),
  'a login in an answer that is garbage': withLogin('HTTP/1.1 garbage\r\n\r\n'),
  'a login in no answer at all': withLogin(''),
  'a login in a redirect to itself': withLogin(({ target }) => moved(target)),
  'a login in a redirect to nowhere': withLogin(() => moved('http://127.0.0.1:1/')),
  'a login in a redirect to a local file': withLogin((_asked, { outside }) => moved(`file://${outside}`)),
  'a login in a redirect to a wrong URL': withLogin(() => moved('http://[/')),
  'a password that the server says back in its reason': withLogin(
    (_asked, { secret }) => `HTTP/1.1 403 not ${secret}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
  ),
  'a password that the server says back in a Location': withLogin((_asked, { secret }) => moved(`evil:${secret}`)),
  'a login at a server that demands another scheme':
    'HTTP/1.1 401 No\r\nWWW-Authenticate: Evil realm="x"\r\nConnection: close\r\nContent-Length: 0\r\n\r\n',
}

const cookie = ({ secret }: Stage, rest = ''): string => `Set-Cookie: key=${secret}${rest}\r\n`

export const httpSecrets: readonly Script[] = [
  ...httpRows(
    'secrets',
    { login: true },
    Object.fromEntries(
      [301, 302, 303, 307, 308].map((status) => [
        `a login and a redirect to another host by ${status}`,
        sameStage(victim, status),
      ]),
    ),
  ),
  ...httpRows(
    'secrets',
    { login: true, prepare: ({ victim: { demandLogin } }) => demandLogin() },
    {
      'a login and a redirect to another host that demands one': sameStage(victim),
      'a login and a redirect to another host, with a login of the server': sameStage(
        ({ victim: { host, port } }) => `http://alice@${host}:${port}/`,
      ),
    },
  ),
  ...httpRows(
    'secrets',
    { login: true },
    {
      'a login and a redirect to another host without a scheme': sameStage((stage) => victim(stage).slice(5)),
      'a login and a redirect within the server, then to another': withLogin(({ target }, stage) =>
        moved(target === '/next' ? victim(stage) : '/next'),
      ),
      'a login and a page with a Refresh to another host': withLogin((_asked, stage) =>
        whole.replace('\r\n', `\r\nRefresh: 0; url=${victim(stage)}\r\n`),
      ),
    },
  ),
  ...httpRows('secrets', { login: true, outcome: mustFail }, failures),
  ...httpRows(
    'secrets',
    {},
    {
      'a cookie and a redirect to another host': (_asked, stage) => moved(victim(stage), 302, cookie(stage)),
      'a cookie for another host': (_asked, stage) =>
        moved(victim(stage), 302, cookie(stage, `; Domain=${stage.victim.host}`)),
      'a cookie for all hosts of com': (_asked, stage) => moved(victim(stage), 302, cookie(stage, '; Domain=com')),
      'a cookie for all hosts': (_asked, stage) => moved(victim(stage), 302, cookie(stage, '; Domain=.')),
      'a cookie for a part of an address': (_asked, stage) =>
        moved(victim(stage), 302, cookie(stage, '; Domain=0.0.2')),
    },
  ),
  ...httpRows(
    'secrets',
    { path: 'file.txt?key=KEY', victim: { never: 'key=KEY' } },
    {
      'a key in the URL and a redirect to another host': (_asked, stage) => moved(victim(stage)),
    },
  ),
]
