/** The messages of every mailbox, over POP3 and IMAP. */
export const messages: readonly string[] = [
  'From: Bob <bob@example.net>\r\nSubject: Hello\r\nMessage-ID: <1@example.net>\r\n\r\nHello.\r\n.dot\r\n..\r\n',
  'Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n' +
    '--b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nGr\xc3\xbc\xc3\x9fe\r\n--b\r\n' +
    'Content-Type: application/octet-stream; name=a.bin\r\nContent-Transfer-Encoding: base64\r\n\r\nAAEC\r\n--b--\r\n',
]
