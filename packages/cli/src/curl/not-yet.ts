import type { OtherOptions } from './refusals.ts'

/** Options that Retriever does not have yet, with a workaround, if there is one. */
export const notYet: readonly OtherOptions[] = [
  { why: 'Requests are not signed; give the fields with -H.', options: ['--aws-sigv4'] },
  { why: 'PRET is for servers that hold files elsewhere (drftpd); PASV is sent without it.', options: ['--ftp-pret'] },
  { why: 'One proxy is used at a time.', options: ['--preproxy'] },
  { why: 'Nothing is remembered between two runs.', options: ['--alt-svc', '--hsts'] },
]
