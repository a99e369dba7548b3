/** The picture in each message of related(). */
export const picture = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0xff, 0x0d, 0x0a])

/** The octets of lines that end in CRLF. */
export function lines(...all: readonly string[]): Buffer {
  return Buffer.from(`${all.join('\r\n')}\r\n`, 'latin1')
}

/** A part with these header fields. */
export function part(fields: readonly string[], ...body: readonly string[]): string[] {
  return [...fields, '', ...body]
}

/** A multipart message. */
export function multipart(
  subtype: string,
  fields: readonly string[],
  ...parts: readonly (readonly string[])[]
): string[] {
  const boundary = `=_${subtype}`
  const type = `Content-Type: multipart/${subtype}; boundary="${boundary}"`
  return [...fields, type, '', ...parts.flatMap((each) => [`--${boundary}`, ...each]), `--${boundary}--`]
}

export function image(contentId: string): string[] {
  const fields = ['Content-Type: image/png; name="p.png"', 'Content-Transfer-Encoding: base64']
  return part([...fields, `Content-ID: ${contentId}`], picture.toString('base64'))
}

/** A message of an HTML text and a picture in it. */
export function related(messageId: string, contentId: string, text: string = '<img src="cid:x">'): string[] {
  const html = part(['Content-Type: text/html; charset=iso-8859-1'], text)
  return multipart('related', ['From: a@b.example', `Message-ID: <${messageId}>`], html, image(`<${contentId}>`))
}
