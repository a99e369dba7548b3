import { readMessage } from '@retriever/fetchers/mime'
import { expect, test } from 'vitest'

test('x', async () => {
  const m = await readMessage(
    Buffer.from(
      [
        'Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=',
        'From: J\xfcrgen <a@b>',
        'Message-ID: <a/b@c>',
        'MIME-Version: 1.0',
        'Content-Type: multipart/mixed; boundary="cut here"',
        '',
        'pre',
        '--cut here',
        '',
        'hello',
        '',
        '--cut here',
        'Content-Type: application/x; name="=?utf-8?q?=C3=BC.bin?="',
        'Content-ID: <foo@bar>',
        'Content-Transfer-Encoding: base64',
        'Content-Disposition: attachment; filename="../\xfc.bin"',
        '',
        'AAECAw==',
        '--cut here',
        'Content-Type: text/html',
        'Content-Transfer-Encoding: quoted-printable',
        '',
        '<p>a=3Db</p>=',
        'x',
        '--cut here--',
        '',
      ].join('\r\n'),
      'latin1',
    ),
  )
  console.log(
    m,
    m.parts.map((p) => p.name),
    m.parts.map((p) => Buffer.from(p.octets).toString('latin1')),
    m.part('mid:a%2Fb@c/foo@bar')?.number,
  )
})
