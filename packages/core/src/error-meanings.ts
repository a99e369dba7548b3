import type { ErrorCode } from './errors.ts'

/**
 * Says when each error happens; docs/errors.md and docs/exit-codes.md are generated from this table. The codes are in
 * another file, so that a page that loads the core does not load these sentences.
 */
export const errorMeanings: Readonly<Record<ErrorCode, string>> = {
  'unknown-scheme': 'No scheme of that name is known or registered.',
  'no-fetcher': 'The scheme is known, but nothing here can retrieve it.',
  handoff: 'The URL names an interactive service, not a data object.',
  'malformed-url': 'The URL breaks the syntax of its scheme.',
  'invalid-option': 'An option has a value of the wrong type or range.',
  'form-required': 'A form must be filled in first (Gopher+), and its answers are not given.',
  'no-server': 'The URL names no server and none is configured (news).',
  'host-not-found': 'The host name has no address.',
  'connect-failed': 'No connection: refused, unreachable, or reset before the first byte.',
  'protocol-violation': 'The server broke its own protocol, or speaks another one.',
  refused: 'The policy refused the URL before any connection: see the findings.',
  'access-denied': 'The server has the resource, but denies access to it. For HTTP the exit status is 22.',
  partial: 'The transfer ended before the whole representation had arrived.',
  'server-refused': 'The server answered correctly, with a refusal that no other code names.',
  'http-error': 'HTTP status 400 and above. In the library, 401, 403, 404, 407 and 410 have codes of their own.',
  'write-failed': 'Local output could not be written.',
  timeout: 'A time limit passed; the phase says when, and the advice which one.',
  'range-refused': 'The server cannot send the range asked for.',
  'resume-failed': 'The resource is shorter than the part that the caller already has.',
  'tls-failed': 'No TLS session could be established.',
  'file-failed': 'A local file could not be read.',
  'checksum-failed': 'The body has another checksum than the caller expects; the file was not saved.',
  'too-many-redirects': 'More redirects than the limit, or a loop.',
  'receive-failed': 'The connection broke while the client waited for an answer.',
  certificate: "The server's certificate does not prove who it is.",
  'limit-exceeded': 'The server sent more than a limit allows.',
  'auth-required': 'The server wants a user and password, and none are known.',
  'auth-failed': 'The server refused the user or password.',
  'not-found': 'The server has no such resource. For HTTP the exit status is 22.',
  'not-modified':
    'The resource is no newer than ifChangedSince, newer than ifUnchangedSince, or has the tag of http.ifNoneMatch: nothing came.',
  aborted: "The caller's AbortSignal, or an interrupt, ended the retrieval.",
}
