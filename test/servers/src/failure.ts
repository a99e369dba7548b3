/**
 * Whether an error is one of the server, such as that of octets which it cannot read, or of a bug. The others, of
 * streams and of the system, are those of a client that left.
 */
export function isFailure(error: unknown): error is Error {
  if (!(error instanceof Error)) return false
  return !('code' in error) || error instanceof RangeError || error instanceof TypeError
}
