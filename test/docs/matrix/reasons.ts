/**
 * Why a number of threats.md has no test of its own for a protocol or an area that it concerns: a reason, and the cells
 * as `NUMBER: PLACES`. A cell that gets a test must go from here.
 */
export const reasons: readonly { readonly why: string; readonly cells: readonly string[] }[] = [
  {
    why: 'A test of `wire`, the code that several protocols share, starts a server of this protocol.',
    cells: ['12: imap pop3', '38: imap pop3', '42: dict gemini gopher pop3', '43: dict nntp pop3', '76: tftp'],
  },
  {
    why: 'The protocol asks by the code of `wire` for lines, dots or BER, which has the test.',
    cells: ['39: imap pop3', 'property 15: nntp z3950'],
  },
  {
    why: 'All lines are read by one reader, which gives each its time; `test/body/low-speed.test.ts` has it drip.',
    cells: ['60: dict finger ftp gemini gopher http imap nntp pop3 rtsp'],
  },
  {
    why: 'All TLS begins in one place, with the same rules for certificates.',
    cells: ['35: gopher imap mqtt nntp pop3 rtsp tn3270 ws'],
  },
  {
    why: 'One function makes texts harmless where the command shows them; `command` has the views, also of this protocol.',
    cells: ['33: dict ftp http imap pop3 prospero z3950'],
  },
  {
    why: 'A final reply, a size or a dot proves the end before TLS ends; without one, `eof-only` says that nothing does.',
    cells: ['34: ftp gopher nntp', 'R4: ftp gopher'],
  },
  {
    why: 'Octets are looked at where a line is written, which is one place; ftp, gopher and http show it.',
    cells: ['6: nntp'],
  },
  {
    why: 'A body of any octets and any length is right: the end of the connection is its only end.',
    cells: ['42: finger', 'property 14: finger gopher', 'property 18: finger'],
  },
  {
    why: 'A session with a service has no end that could be proved.',
    cells: ['property 12: telnet', 'property 18: telnet'],
  },
  {
    why: 'A datagram comes whole or not at all.',
    cells: ['property 11: prospero tftp'],
  },
  {
    why: 'Its answers have lengths, which are looked at before memory is taken.',
    cells: ['42: mqtt', '43: wais'],
  },
  {
    why: '`test/regexps.test.ts` looks at every expression of the sources.',
    cells: ['44: nntp'],
  },
  {
    why: 'Octets come as answers to reads alone, and few reads are sent ahead of the consumer.',
    cells: ['R41: sftp'],
  },
  {
    why: 'A size is 64 bits in the packet, and a file that ends before it is partial (R31).',
    cells: ['66: sftp'],
  },
  {
    why: 'A screen is whole or an error, by the ends of its records (property 18).',
    cells: ['property 12: tn3270'],
  },
]
