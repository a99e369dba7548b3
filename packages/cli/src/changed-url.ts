import type { Resolution } from '@retriever/core'
import type { Config } from './config.ts'
import { refuseUser } from './options/policy.ts'
import { checkForm } from './options/protocols/form.ts'
import { typedUrl } from './options/protocols/ftp.ts'
import { searchUrl } from './options/protocols/gopher.ts'
import { withQuery } from './options/protocols/url-query.ts'

/** The resolution of the URL that --form, --search, -l, -B, -G and --url-query make from the typed one. */
export function changedUrl(typed: Resolution, config: Config, resolve: (url: string) => Resolution): Resolution {
  const { form, refusesUsers, ftpType, urlQuery, search } = config
  if (form.length > 0) checkForm(typed)
  if (refusesUsers) refuseUser(typed)
  const withType = typedUrl(typed, ftpType)
  if (withType !== null) return resolve(withType)
  if (urlQuery.length > 0) return resolve(withQuery(typed, urlQuery))
  return search === null ? typed : resolve(searchUrl(typed, search))
}
