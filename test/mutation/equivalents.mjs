/**
 * Changes that no test can notice, with the reason: `code` and `change` as pnpm mutate prints them. A row that no
 * survivor of its file has is listed as one too many.
 */
const of = (file, rows) => rows.map(([code, change, reason]) => ({ file: `packages/${file}`, code, change, reason }))

export const equivalents = [
  ...of('fetchers/src/client/policy.ts', [
    [
      'addresses[0] !== undefined',
      'true',
      'A look-up gives an address or an error; the guard is for a resolver that lies.',
    ],
    ["'port' in plan && plan.host", 'true', 'Only a plan with a host goes through a proxy; types ask for the test.'],
    ["'port' in plan && plan.host", "'port' in plan || plan.host", 'Only a plan with a host goes through a proxy.'],
    ['plan.host === null', 'false', 'isIP(null) is 0, too; types ask for the test.'],
    ['[]', '["Stryker was here"]', 'Without publicOnly nobody reads them, and without exceptions all are refused.'],
  ]),
  ...of('fetchers/src/client/redirect.ts', [
    ['user === null', 'false', 'It saves a second look at a URL without a login.'],
    ["origin(one) !== ''", 'true', 'No URL without a host redirects or is linked from with a login.'],
    ['request.http !== undefined', 'true', 'An empty group of options means the same as none.'],
  ]),
]
