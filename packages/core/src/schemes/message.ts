import type { MessagePlan } from '../plan.ts'
import { type Place, type Scheme, variant } from '../scheme.ts'
import type { Locator } from '../url/locator.ts'
import { decodeOctets } from '../url/percent.ts'

/** RFC 2392: `cid:<content-id>` names a part of the current message. */
export const cid: Scheme = {
  name: 'cid',
  title: 'A part of the current message, by Content-ID',
  spec: 'RFC 2392',
  mechanism: 'message',
  defaultPort: null,
  tls: 'none',
  host: 'none',
  userinfo: 'forbidden',
  query: false,
  // A header line holds up to 998 octets (RFC 5322 2.1.1). Two ids may follow the scheme, with each octet escaped.
  maxLength: 6000,
  lineParts: ['urlPath'],
  partOf: 'the URL of its message, or of the mailbox with it',
  resolve: (locator, place) => messagePlan(null, decodeContentId(locator.urlPath ?? '', place)),
}

/** RFC 2392: `mid:<message-id>` and `mid:<message-id>/<content-id>`. */
export const mid: Scheme = /* @__PURE__ */ variant(cid, {
  name: 'mid',
  title: 'A message or its part, by Message-ID',
  resolve: midPlan,
})

/** Makes the plan. Splits the URL at the raw slash; an encoded slash belongs to an id. */
function midPlan({ urlPath }: Locator, place: Place): MessagePlan {
  const [message = '', part, ...rest] = (urlPath ?? '').split('/')
  if (rest.length > 0) place.fail('one / separates message and part; write a / of an id as %2F', 'urlPath')
  return messagePlan(decodeId(message, place), part === undefined ? null : decodeContentId(part, place))
}

function messagePlan(messageId: string | null, contentId: string | null): MessagePlan {
  return { mechanism: 'message', messageId, contentId, wire: [] }
}

/** Decodes a Content-ID. RFC 2392 2 wants an addr-spec, but mail programs write ids without `@`, such as `image001`. */
function decodeContentId(text: string, place: Place): string {
  const id = decodeOctets(text)
  return /^[^<>\t\v\f @]+$/.test(id) ? id : decodeId(text, place)
}

/** Decodes an addr-spec (RFC 2392 2), without the angle brackets of the header. */
function decodeId(text: string, place: Place): string {
  const id = decodeOctets(text)
  // CR, LF and NUL pass, since a finding reports them and says more. \s is not used, since it would match the octet A0.
  // Only the first @ behind a character is tried, since a server may send 64 KiB of them.
  if (!/^[^<>\t\v\f ][^<>\t\v\f @]*@[^<>\t\v\f ]+$/.test(id)) {
    place.fail('an id has the form left@right, without < and >', 'urlPath')
  }
  return id
}
