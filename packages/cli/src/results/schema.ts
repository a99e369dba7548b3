import type { Result } from './result.ts'

/** The parts of JSON Schema, draft 2020-12, that this file needs. */
export interface Schema {
  readonly type: string | readonly string[]
  readonly description?: string
  readonly enum?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean
  readonly items?: Schema
}

const text: Schema = { type: 'string' }
const textOrNull: Schema = { type: ['string', 'null'] }
const numberOrNull: Schema = { type: ['number', 'null'] }

const redirects: Schema = {
  type: 'array',
  description: 'The redirects that were followed, in order',
  items: whole({ url: text, status: { type: 'number' }, location: text }),
}

const tls: Schema = {
  ...whole({
    host: text,
    version: textOrNull,
    cipher: text,
    alpn: textOrNull,
    subject: textOrNull,
    issuer: textOrNull,
    expires: textOrNull,
    trusted: { type: 'boolean' },
    resumed: { type: 'boolean' },
  }),
  type: ['object', 'null'],
  description: 'What TLS agreed with the last server, and its certificate; null: no TLS',
}

const findings: Schema = {
  type: 'array',
  description: 'Remarks on the URL, as in explain --json',
  items: whole({
    code: text,
    severity: { ...text, enum: ['notice', 'warning', 'danger'] },
    message: text,
    span: { type: 'array', items: { type: 'number' } },
    rule: text,
  }),
}

const error: Schema = {
  type: ['object', 'null'],
  description: 'Why it failed, as in the message on standard error; code is one of docs/errors.md',
  properties: { code: text, exit: { type: 'number' }, message: text },
  required: ['code', 'exit', 'message'],
}

const server: Schema = {
  ...whole({
    host: text,
    port: { type: 'number' },
    state: { ...text, enum: ['paused', 'given-up'] },
    until: { ...text, description: 'When it is asked again, as 2001-02-03T04:05:06.000Z' },
    failed: { type: 'number', description: 'How many URLs have failed one after the other' },
  }),
  type: ['object', 'null'],
  description:
    'Of several URLs: the server that caused the error, if its URLs wait (paused), or fail without being asked for',
}

/** The object that --json gives for each URL. */
const properties = {
  url: { ...text, description: 'The URL as it was typed, without secrets' },
  finalUrl: { ...textOrNull, description: 'The URL after redirects; null: it was not asked for' },
  outcome: {
    ...text,
    enum: ['retrieved', 'not-modified', 'skipped', 'failed', 'deleted'],
    description: 'not-modified: the condition of -z or --etag-compare was not met, so nothing came; deleted: by mirror',
  },
  exit: { type: 'number', description: 'The exit status that this URL alone would give' },
  status: { ...numberOrNull, description: 'The status of HTTP, or the last reply code of FTP and News' },
  mediaType: { ...textOrNull, description: 'As type/subtype' },
  size: { ...numberOrNull, description: 'The octets of the whole file that was saved, or of the body' },
  modified: { ...textOrNull, description: 'The date of the resource, as 2001-02-03T04:05:06.000Z' },
  sha256: { ...textOrNull, description: 'The SHA-256 of these octets, with --sha256' },
  seconds: { ...numberOrNull, description: 'From the start of this URL to its end' },
  file: { ...textOrNull, description: 'The file that was saved' },
  redirects,
  tls,
  findings,
  error,
  server,
} satisfies Readonly<Record<keyof Result, Schema>>

export const resultSchema: Schema = { ...whole(properties), description: 'One URL, as retrieve --json reports it' }

const payload = {
  size: { type: 'number', description: 'The octets of the payload' },
  encoding: {
    ...text,
    enum: ['utf-8', 'base64'],
    description: 'The encoding of payload: base64 if its octets are not UTF-8',
  },
  payload: text,
} satisfies Readonly<Record<string, Schema>>

/** The line that --json gives for each message of MQTT. */
export const mqttMessageSchema: Schema = {
  ...whole({
    topic: { ...text, description: 'The topic to which it was published' },
    qos: { type: 'number', description: 'The quality of service with which it came: 0' },
    retain: { type: 'boolean', description: 'true: the server had kept it from before the subscription' },
    ...payload,
  }),
  description: 'One message of MQTT',
}

/** The line that --json gives for each message of a WebSocket. */
export const wsMessageSchema: Schema = {
  ...whole({ type: { ...text, enum: ['text', 'binary'] }, ...payload }),
  description: 'One message of a WebSocket',
}

/** An object that has all of these members, and no others. */
function whole(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}
