import type { GeminiPlan } from '../plan.ts'
import type { Place, Scheme } from '../scheme.ts'
import { authority } from '../url/host.ts'
import type { Locator } from '../url/locator.ts'

/** Gemini 0.24.1: one line, the absolute URL, over TLS. */
export const gemini: Scheme = {
  name: 'gemini',
  title: 'Gemini',
  spec: 'Gemini 0.24.1',
  mechanism: 'gemini',
  defaultPort: 1965,
  tls: 'implicit',
  host: 'required',
  userinfo: 'forbidden',
  query: true,
  dotSegments: true,
  // The request line is the URL as encoded, so no decoded line end can get into it.
  lineParts: [],
  resolve: geminiPlan,
}

function geminiPlan({ urlPath, query }: Locator, place: Place): GeminiPlan {
  const { host, port } = place
  const target = `gemini://${authority(place, 1965)}/${urlPath ?? ''}${query === null ? '' : `?${query}`}`
  // Gemini 2.1: the request line holds at most 1024 octets.
  if (target.length > 1024) place.fail('a Gemini request has at most 1024 octets', 'urlPath')
  return { mechanism: 'gemini', host, port, tls: 'implicit', target, wire: [`${target}\r\n`] }
}
