import type { MqttPlan } from '../../plan.ts'
import { type Place, type Scheme, variant } from '../../scheme.ts'
import type { Locator } from '../../url/locator.ts'
import { decodeOctets, octetsToText, utf8Octets } from '../../url/percent.ts'
import { mqttConnect, mqttDisconnect, mqttReading, mqttSubscribe } from './packets.ts'

/** `mqtt://user:password@host:port/topic`: curl's form; no RFC defines one. */
export const mqtt: Scheme = {
  name: 'mqtt',
  title: 'Messages of an MQTT topic',
  spec: 'MQTT 3.1.1; the URL is a convention',
  mechanism: 'mqtt',
  defaultPort: 1883,
  tls: 'none',
  host: 'required',
  userinfo: 'allowed',
  query: false,
  lineParts: ['user', 'urlPath'],
  sendsFirst: true,
  isFramed: () => true,
  sendsPassword: true,
  reading: mqttReading,
  resolve: (locator, place) => mqttPlan(locator, place, 'none'),
}

export const mqtts: Scheme = /* @__PURE__ */ variant(mqtt, {
  name: 'mqtts',
  title: `${mqtt.title} over TLS`,
  defaultPort: 8883,
  tls: 'implicit',
  resolve: (locator, place) => mqttPlan(locator, place, 'implicit'),
})

/**
 * Stands in plans for the last twelve octets of the client's name, which each connection draws at random. It has as
 * many octets, so that the lengths in the packets are right.
 */
const randomName = '<random-hex>'
const anyClient = `retriever${randomName}`

function mqttPlan({ user, password, urlPath }: Locator, place: Place, tls: 'none' | 'implicit'): MqttPlan {
  const topic = decodeOctets(urlPath ?? '')
  const wrong = whyNoFilter(topic)
  if (wrong !== null) place.fail(wrong, 'urlPath')
  const ownName = user === null ? null : decodeOctets(user)
  const { login = password !== null, loginUser = ownName, count } = place.asked
  const isSent = [loginUser ?? '', password ?? ''].every(({ length }) => length <= 65_535)
  const connect = mqttConnect(anyClient, loginUser, login ? '<password>' : null)
  const subscription = [connect, mqttSubscribe(topic)]
  return {
    mechanism: 'mqtt',
    host: place.host,
    port: place.port,
    tls,
    user: ownName,
    password: password === null ? null : decodeOctets(password),
    topic,
    wire: isSent ? [...subscription, ...(count === undefined ? [] : [mqttDisconnect])] : [],
    unknown: { [randomName]: 'twelve random digits, which no other client has' },
  }
}

/** Why octets are no topic filter (MQTT 3.1.1 4.7); null if they are one. */
function whyNoFilter(topic: string): string | null {
  if (topic === '') return 'a topic must follow, as in mqtt://host/topic'
  // The length of a topic is sent in two octets (1.5.3).
  if (topic.length > 65_535) return 'a topic has at most 65535 octets'
  if (topic.includes('\0')) return 'a topic has no NUL'
  if (utf8Octets(octetsToText(topic)) !== topic) return 'a topic must be UTF-8'
  const levels = topic.split('/')
  if (levels.some((level) => level.length > 1 && /[#+]/.test(level))) {
    return 'the wildcards # and + (in a URL %23 and %2B) stand alone between slashes'
  }
  return levels.indexOf('#') < levels.length - 1 && levels.includes('#')
    ? 'nothing follows the wildcard # (in a URL %23), which stands for all further levels'
    : null
}
