/**
 * The sources that mutation testing changes, and their tests: globs from the root of the repository. `timeout`:
 * milliseconds after which a change has made a loop endless, where nothing waits.
 */
const fetchers = 'packages/fetchers/src'
const kit = ['deadline', 'retry', 'stopwatch'].map((name) => `${fetchers}/kit/${name}.ts`)
const connection = `${fetchers}/protocols/http/connection`
const heads = ['head-reader', 'framing', 'chunk-sizes', 'named-fields'].map((name) => `${connection}/${name}.ts`)
/** The other files of the folder: git knows no set of names, so each has a glob. */
const rest = ['body', 'discard', 'http*', 'idle-time', 'pool', 'send-request', 'tls-port', 'undici-client'].map(
  (name) => `${connection}/${name}.ts`,
)
const http = ['request', 'response', 'fields'].map((name) => `${fetchers}/protocols/http/${name}.ts`)
/** All but that of the size of what a page loads, which the changes make larger. */
const names = 'abbreviation,advice,error-json,errors,explain,extract,findings,printable,properties,shell,urls'
const coreTests = [
  `test/core/{${names}}.test.ts`,
  'test/core/{url,secrets}/*.test.ts',
  'test/client/{gateways,resolving}.test.ts',
]

export const areas = {
  core: { mutate: ['packages/core/src/url/**/*.ts', 'packages/core/src/*.ts'], tests: coreTests, timeout: 3000 },
  policy: {
    mutate: [`${fetchers}/client/policy.ts`],
    tests: [
      'test/client/{policy,refusals,public-addresses,allow-addresses,addresses,network,gateways}.test.ts',
      'test/client/{redirect-schemes,redirected,honoured,direct,linked-from,named-options}.test.ts',
      'test/client/steps/connect.test.ts',
      'test/kit/nested.test.ts',
      'test/protocols/http/attacks.test.ts',
      'test/protocols/ldap/attacks.test.ts',
      'test/protocols/prospero/*.test.ts',
    ],
  },
  redirect: {
    mutate: [`${fetchers}/client/redirect.ts`],
    tests: [
      'test/client/{redirect-schemes,redirected,credentials,policy,given-fields,heads}.test.ts',
      'test/protocols/http/{redirects,auth,attacks,repeated-secrets,cookies,http,request-login}.test.ts',
      'test/protocols/gemini/*.test.ts',
    ],
  },
  deadline: {
    mutate: kit,
    tests: [
      'test/kit/{deadline,retry-options,retries,retry-budget,retry-turn,stopwatch}.test.ts',
      'test/wire/resuming-source.test.ts',
    ],
  },
  saving: { mutate: [`${fetchers}/saving/*.ts`], tests: ['test/saving/*.test.ts', 'test/client/save*.test.ts'] },
  heads: {
    mutate: heads,
    tests: ['test/protocols/http/connection/head-reader.test.ts'],
    timeout: 3000,
  },
  framing: {
    mutate: [...rest, ...http],
    tests: [
      'test/client/proxy-headers.test.ts',
      'test/protocols/http/{alpn,conditions,dates,errors,exchanges,faults,head,http,proxy,review}.test.ts',
      'test/protocols/http/{repeated-secrets,connection/*}.test.ts',
    ],
  },
  cache: { mutate: [`${fetchers}/protocols/http/cache/*.ts`], tests: ['test/protocols/http/cache/*.test.ts'] },
  logins: {
    mutate: [`${fetchers}/auth/*.ts`],
    tests: [
      'test/auth/*.test.ts',
      'test/protocols/http/{auth,auth-memory,digest-only,request-login,repeated-secrets,proxy}.test.ts',
      'test/client/{login-memory,empty-user,credentials}.test.ts',
      'test/protocols/{imap,pop3,rtsp,ws,dict}/*.test.ts',
      'test/protocols/nntp/connection/login.test.ts',
      'test/wire/mail-sessions.test.ts',
    ],
  },
  scheduler: {
    mutate: [`${fetchers}/client/batch/*.ts`],
    tests: [
      'test/client/{batch*,events,named-options}.test.ts',
      'test/client/batch/*.test.ts',
      'test/mirror/servers-in-trouble.test.ts',
      'test/walk/walk.test.ts',
    ],
  },
  mirror: {
    mutate: [`${fetchers}/mirror/*.ts`, `${fetchers}/walk/*.ts`],
    tests: ['test/mirror/*.test.ts', 'test/walk/*.test.ts'],
  },
  ftp: {
    mutate: [`${fetchers}/protocols/ftp/**/*.ts`],
    tests: [
      'test/protocols/ftp/*.test.ts',
      'test/protocols/ftp/{listing,transfer,transcripts,urls}/*.test.ts',
      'test/protocols/ftp/control/!(command).test.ts',
    ],
  },
}
