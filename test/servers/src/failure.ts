/**
 * Whether an error is the server's own, such as a bug or octets that it cannot read. Errors of streams and of the
 * system only mean that a client left.
 */
export function isFailure(error: unknown): error is Error {
  if (!(error instanceof Error)) return false
  return !('code' in error) || error instanceof RangeError || error instanceof TypeError
}
