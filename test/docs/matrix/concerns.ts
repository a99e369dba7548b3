const wired =
  'dict finger ftp gemini gopher http imap ldap mqtt nfs nntp pop3 prospero rtsp sftp telnet tftp tn3270 wais ws z3950'
const withLines = 'dict finger ftp gemini gopher http imap nntp pop3 rtsp'
const withTls = 'ftp gemini gopher http imap ldap mqtt nntp pop3 rtsp telnet tn3270 ws'
const withSessions = 'ftp http imap ldap nntp pop3 sftp'
const withListings = 'dict ftp gopher http imap ldap nfs nntp pop3 prospero sftp wais z3950'
const withLogins = 'dict ftp gemini http imap ldap mqtt nntp pop3 rtsp sftp telnet ws'

/**
 * Which protocols and areas a number concerns that does not name its protocol. Each has a test with the number in its
 * title, or a reason in `reasons`. Tests elsewhere are welcome.
 */
export const concerns: Readonly<Record<string, string>> = {
  '2': 'finger gopher prospero wais',
  '3': 'ftp http nfs sftp trees',
  '5': 'ftp imap nntp pop3',
  '6': 'ftp gopher http nntp',
  '8': 'irc rtsp sftp telnet tn3270',
  '12': 'ftp imap ldap nntp pop3',
  '13': 'ftp imap ldap nntp pop3',
  '14': 'ftp http trees',
  '20': 'client core gopher http',
  '22': 'ftp http',
  '33': `${withListings} command`,
  '34': 'ftp gopher http nntp',
  '35': withTls,
  '38': withSessions,
  '39': withSessions,
  '42': `${withLines} ldap mqtt telnet wais ws z3950`,
  '43': withListings,
  '44': 'ftp gopher http nntp',
  '47': `${withLogins} command core`,
  '55': 'dict finger ftp gemini http imap irc ldap nfs nntp pop3 prospero rtsp sftp tftp z3950',
  '60': `${withLines} ldap`,
  '61': 'client ftp gemini http nfs prospero rtsp',
  '65': 'telnet tn3270',
  '66': 'ftp nfs sftp',
  '67': 'ftp imap nntp',
  '69': 'dict finger gopher',
  '75': 'command core',
  '76': 'prospero tftp',
  '80': 'ftp http nntp rtsp',
  '87': 'gemini http rtsp',
  R4: 'ftp gopher http',
  R33: wired,
  R40: wired,
  R41: 'ftp http nfs saving sftp',
  'property 11': wired,
  'property 12': wired,
  'property 13': wired,
  'property 14': wired,
  'property 15': 'ftp ldap nntp prospero telnet wais z3950',
  'property 16': wired,
  'property 17': 'ftp http imap nntp',
  'property 18': wired,
  'property 19': 'saving trees command',
  'property 20': 'client http trees',
  'property 21': wired,
}
