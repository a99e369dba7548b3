/** The sources that mutation testing changes, and their tests: globs from the root of the repository. */
const fetchers = 'packages/fetchers/src'

export const areas = {
  core: { mutate: ['packages/core/src/url/**/*.ts', 'packages/core/src/*.ts'], tests: ['test/core/**/*.test.ts'] },
  policy: {
    mutate: [`${fetchers}/client/policy.ts`],
    tests: [
      'test/client/{policy,public-addresses,allow-addresses,addresses,guards,network,gateways}.test.ts',
      'test/protocols/http/attacks.test.ts',
      'test/protocols/ftp/attacks.test.ts',
    ],
  },
  redirect: {
    mutate: [`${fetchers}/client/redirect.ts`],
    tests: [
      'test/client/{redirect-schemes,credentials,policy}.test.ts',
      'test/protocols/http/{redirects,auth,attacks,repeated-secrets,cookies}.test.ts',
      'test/protocols/gemini/contract.test.ts',
    ],
  },
  deadline: {
    mutate: [`${fetchers}/kit/{deadline,retry,stopwatch}.ts`],
    tests: ['test/client/{clock,timings,retry,per-call,client-door}.test.ts', 'test/kit/*.test.ts'],
  },
  saving: { mutate: [`${fetchers}/saving/*.ts`], tests: ['test/saving/*.test.ts', 'test/client/save*.test.ts'] },
  framing: {
    mutate: [`${fetchers}/protocols/http/connection/*.ts`, `${fetchers}/protocols/http/{request,response,fields}.ts`],
    tests: ['test/protocols/http/*.test.ts', 'test/protocols/http/{connection,coding,range}/*.test.ts'],
  },
  cache: { mutate: [`${fetchers}/protocols/http/cache/*.ts`], tests: ['test/protocols/http/cache/*.test.ts'] },
  logins: {
    mutate: [`${fetchers}/auth/*.ts`],
    tests: [
      'test/protocols/http/{auth,auth-memory,request-login,repeated-secrets}.test.ts',
      'test/client/*log*.test.ts',
    ],
  },
  scheduler: { mutate: [`${fetchers}/client/batch/*.ts`], tests: ['test/client/batch*.test.ts'] },
}
