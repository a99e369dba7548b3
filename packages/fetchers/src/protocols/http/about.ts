import type { About } from '../../contract/about.ts'

export const http: About<'http'> = {
  mechanism: 'http',
  title: 'HTTP',
  honours: {
    range: 'all',
    resumeFrom: 'all',
    ifChangedSince: 'all',
    ifUnchangedSince: 'all',
    ifNoneMatch: 'all',
    accept: 'all',
    acceptLanguage: 'all',
    headers: 'all',
    virtualHost: 'all',
    autoReferer: 'all',
    login: 'all',
    digest: 'all',
    compressed: 'all',
    fail: 'all',
    split: 'all',
  },
}
